// Transfer: a clip becomes a motion that the simulated character performs. Start, watch, compare, take away.

import { fill, h } from "../app/dom";
import { icon } from "../app/icons";
import type { Studio, View } from "../app/view";
import { CostChart, type CostSeries } from "../parts/chart";
import { Curve } from "../parts/curve";
import { field, numberInput } from "../parts/fields";
import { comparisonSection, nextComparison } from "../parts/comparison";
import { button, empty, hint, plan, row, section } from "../parts/layout";
import { OverlayBar } from "../parts/overlay_bar";
import { Player, type Comparison } from "../parts/player";
import { Timeline } from "../parts/timeline";
import { getJson, getMotion, postJson, remove } from "../protocol/http";
import type { Job, Progress, ResultDetail } from "../protocol/types";
import { jobPerformances, resultPerformances } from "./performances";
import { comparisonTable, downloads, resultFigures } from "./result_panel";
import { TransferForm } from "./transfer_form";
import { badgeClass, verdict, verdictBadge } from "./verdict";

type Watched = { kind: "job"; id: number } | { kind: "result"; id: string };
const ENDED = ["done", "failed", "cancelled"];

export class TransferView implements View {
  readonly element: HTMLElement;
  private readonly plan = plan("transfer");
  private readonly timeline = new Timeline();
  private readonly bar = new OverlayBar("transfer", { skin: true });
  private readonly player: Player;
  private readonly chart = new CostChart();
  private readonly curve = new Curve();
  private readonly chartCaption = h("p", { class: "caption" });
  private readonly message = hint("Choose a character and a clip, and start.");
  private readonly form: TransferForm;
  private readonly jobList = h("div");
  private readonly resultList = h("div");
  private watched: Watched | null = null;
  private shownRevision = -1;
  private fetching = false;
  private loading = 0;
  private readonly compared = new Set<string>();
  private readonly details = new Map<string, ResultDetail>();
  private shown = false;

  constructor(private readonly studio: Studio) {
    this.element = this.plan.element;
    this.player = new Player(studio.viewport, this.bar, this.timeline);
    this.form = new TransferForm(studio, (job) => this.started(job));
    this.plan.stage.append(this.bar.element, this.message);
    this.plan.below.append(this.timeline.element, h("div", { class: "chart-box" }, this.chartCaption, this.chart.element, this.curve.element));
    this.plan.left.append(this.form.element, this.jobList, this.resultList);
    this.chart.onSeek = (secs) => {
      this.timeline.playing = false;
      this.timeline.seek(secs);
    };
    const pose = this.timeline.onChange;
    this.timeline.onChange = () => {
      pose();
      this.chart.setCursor(this.timeline.secs);
    };
    studio.keyboard.register("Transfer", [
      ...this.bar.shortcuts(),
      ...this.timeline.shortcuts(),
      { keys: ["ctrl+enter"], what: "Start the transfer", run: () => void this.form.start() },
      { keys: ["p"], what: "Pause the job, or go on", run: () => this.pauseOrResume() },
      { keys: ["g"], what: "Key-framed motion: as a ghost, beside it, hidden", run: () => this.nextComparison() },
    ]);
    studio.store.on(["jobs", "results", "characters", "rigs", "fronts"], () => this.shown && this.refresh());
  }

  show(parameters: URLSearchParams): void {
    this.shown = true;
    this.studio.viewport.attach(this.plan.stage);
    this.player.show();
    const tick = this.studio.viewport.onTick;
    this.studio.viewport.onTick = (secs) => {
      const moved = tick?.(secs) ?? false;
      if (moved) this.chart.setCursor(this.timeline.secs);
      return moved;
    };
    void this.form.choose(parameters.get("character"), parameters.get("clip"));
    const result = parameters.get("result");
    if (result !== null) this.watch({ kind: "result", id: result });
    this.refresh();
  }

  hide(): void {
    this.shown = false;
    this.player.hide();
  }

  private started(job: Job): void {
    if (!this.studio.store.jobs.some((j) => j.id === job.id)) this.studio.store.takeJob(job);
    this.watch({ kind: "job", id: job.id });
  }

  private watch(watched: Watched): void {
    if (watched.kind === this.watched?.kind && watched.id === this.watched.id) return;
    this.watched = watched;
    this.shownRevision = -1;
    this.loading += 1;
    this.timeline.secs = 0;
    this.player.set(null, null);
    this.chart.set([], 1);
    if (watched.kind === "result") void this.loadResult(watched.id);
    this.refresh();
  }

  private job(): Job | null {
    const { watched } = this;
    return watched?.kind === "job" ? (this.studio.store.jobs.find((j) => j.id === watched.id) ?? null) : null;
  }

  private async loadResult(id: string): Promise<void> {
    const turn = ++this.loading;
    const loaded = await this.studio.status.during("Loading the run…", async () => {
      const detail = await this.detail(id, true);
      return { detail, ...(await resultPerformances(this.studio, id, detail.rig)) };
    });
    if (turn !== this.loading || loaded === null) return;
    this.player.set(loaded.simulated, loaded.target);
    this.refresh();
  }

  private async detail(id: string, again = false): Promise<ResultDetail> {
    const known = this.details.get(id);
    if (known !== undefined && !again) return known;
    const detail = await getJson<ResultDetail>("result", { id });
    this.details.set(id, detail);
    return detail;
  }

  /** Fetches the best motion so far, one request at a time, always ending at the newest. */
  private async followJob(job: Job): Promise<void> {
    if (this.fetching || job.motion_revision === 0 || job.motion_revision === this.shownRevision) return;
    this.fetching = true;
    const turn = this.loading;
    const first = this.shownRevision < 0;
    const revision = job.motion_revision;
    try {
      if (first) {
        const { request } = job;
        const character = request.kind === "transfer" ? request.character : undefined;
        const { simulated, target } = await jobPerformances(this.studio, job.id, character);
        if (turn === this.loading) this.player.set(simulated, target);
      } else {
        const motion = await getMotion("job/motion", { id: job.id });
        if (turn === this.loading) this.player.replaceMotion(motion);
      }
      if (turn === this.loading) this.shownRevision = revision;
    } catch {
      // The job may have ended between the news and the request; its result is shown then.
      this.shownRevision = first ? -1 : revision;
    } finally {
      this.fetching = false;
    }
    const now = this.job();
    if (this.shown && now !== null && now.motion_revision !== revision) void this.followJob(now);
  }

  private refresh(): void {
    const { store } = this.studio;
    if (this.watched === null) {
      const live = store.jobs.find((j) => !ENDED.includes(j.status));
      const last = store.results[store.results.length - 1];
      if (live !== undefined) return this.watch({ kind: "job", id: live.id });
      if (last !== undefined) return this.watch({ kind: "result", id: last.id });
    }
    const job = this.job();
    if (job !== null && job.status === "done" && store.results.some((r) => r.id === job.result))
      return this.watch({ kind: "result", id: job.result });
    if (this.watched?.kind === "job" && job === null) this.watched = null;
    if (job !== null) void this.followJob(job);
    this.message.hidden = this.watched !== null;
    this.message.textContent =
      store.characters.length === 0 ? "Make a character of a rig in the library first." : "Choose a character and a clip, and start.";
    this.form.refresh();
    this.refreshLists();
    this.refreshChart(job);
    this.refreshRight(job);
  }

  private refreshLists(): void {
    const { jobs, results } = this.studio.store;
    const rows = jobs.filter((j) => j.status !== "done").map((j) => this.jobRow(j));
    if (rows.length !== this.jobRows.length || rows.some((r, k) => r !== this.jobRows[k])) {
      this.jobRows = rows;
      fill(this.jobList, rows.length === 0 ? null : section("Jobs", ...rows));
    }
    const listed = JSON.stringify([results, this.watched, [...this.compared]]);
    if (listed === this.listed) return;
    this.listed = listed;
    fill(
      this.resultList,
      section(
        "Runs",
        ...(results.length === 0
          ? [empty("None yet.")]
          : results.map((r) => {
              const box = h("input", {
                type: "checkbox",
                checked: this.compared.has(r.id),
                title: "Compare",
                data: { key: `compare:${r.id}` },
                aria: { label: `Compare ${r.name}` },
              });
              box.addEventListener("change", () => void this.compare(r.id, box.checked));
              const line = row({
                key: `result:${r.id}`,
                title: r.name,
                detail: `${r.clip}, ${r.preset}${r.cost_mean !== null ? `, cost ${r.cost_mean.toPrecision(2)}` : ""}`,
                selected: this.watched?.kind === "result" && this.watched.id === r.id,
                badge: verdictBadge(r) ?? (r.has_policy ? "feedback" : undefined),
                badgeClass: badgeClass(r),
                onClick: () => this.watch({ kind: "result", id: r.id }),
              });
              return h("div", { class: "with-check" }, box, line);
            })),
      ),
    );
  }

  private jobRows: HTMLElement[] = [];
  private listed = "";
  private readonly rowsByJob = new Map<number, { key: string; element: HTMLElement; detail: HTMLElement; bar: HTMLElement }>();

  /** The row of a job; it stays the same element while only its progress changes. */
  private jobRow(job: Job): HTMLElement {
    const { progress } = job;
    const isWatched = this.watched?.kind === "job" && this.watched.id === job.id;
    const key = `${job.status} ${isWatched}`;
    const known = this.rowsByJob.get(job.id);
    const row = known?.key === key ? known : { key, ...this.makeJobRow(job, isWatched) };
    this.rowsByJob.set(job.id, row);
    row.detail.textContent = job.message;
    row.bar.style.width = `${progress ? (100 * progress.done) / Math.max(progress.total, 1) : 0}%`;
    return row.element;
  }

  private makeJobRow(job: Job, isWatched: boolean): { element: HTMLElement; detail: HTMLElement; bar: HTMLElement } {
    const bar = h("i");
    const detail = h("span", { class: "detail" });
    const act = (what: string, label: string, name: Parameters<typeof icon>[0]) =>
      h(
        "button",
        { class: "plain", title: label, aria: { label }, data: { key: `${what}:${job.id}` }, onclick: () => void this.act(job, what) },
        icon(name),
      );
    const buttons = [
      job.status === "running" || job.status === "queued" ? act("pause", "Pause", "pause") : null,
      job.status === "paused" || job.status === "failed" ? act("resume", "Go on", "play") : null,
      ENDED.includes(job.status) ? act("remove", "Take it off the list", "close") : act("cancel", "Cancel", "close"),
    ];
    const element = h(
      "div",
      {
        class: `job ${job.status}${isWatched ? " selected" : ""}`,
        data: { job: String(job.id), status: job.status },
      },
      h(
        "button",
        { class: "plain head", data: { key: `job:${job.id}` }, onclick: () => this.watch({ kind: "job", id: job.id }) },
        h("span", { class: "title", textContent: job.title }),
        detail,
      ),
      h("span", { class: "job-buttons" }, ...buttons),
      h("span", { class: "bar" }, bar),
    );
    return { element, detail, bar };
  }

  private async act(job: Job, what: string): Promise<void> {
    const { status } = this.studio;
    if (what === "remove") await status.during("Taking it off the list…", remove("job", { id: job.id }));
    else {
      // What becomes of it comes over the socket; the answer may be older than that.
      await status.during(
        what === "pause" ? "Pausing after this window…" : what === "resume" ? "Going on…" : "Cancelling…",
        postJson<Job>(`job/${what}`, { id: job.id }),
      );
    }
  }

  private pauseOrResume(): void {
    const job = this.job();
    if (job !== null && !ENDED.includes(job.status)) void this.act(job, job.status === "paused" ? "resume" : "pause");
  }

  private async compare(id: string, on: boolean): Promise<void> {
    if (on) this.compared.add(id);
    else this.compared.delete(id);
    if (on) await this.studio.status.during("Loading the figures…", this.detail(id));
    this.refresh();
  }

  private refreshChart(job: Job | null): void {
    const trains = job?.request.kind === "feedback";
    this.chart.element.hidden = trains;
    this.curve.element.hidden = !trains;
    if (trains && job !== null) {
      this.curve.set(job.curve ?? [], job.progress?.total ?? 1);
      fill(this.chartCaption, `Best ${job.progress?.best?.name ?? "figure"} over the work done.`);
      return;
    }
    const series: CostSeries[] = [];
    if (job !== null) series.push({ label: job.title, windows: job.windows, class: "s0" });
    const ids = this.watched?.kind === "result" ? [this.watched.id, ...this.compared] : [...this.compared];
    for (const id of new Set(ids)) {
      const detail = this.details.get(id);
      if (detail?.summary?.windows)
        series.push({ label: detail.entry.name, windows: detail.summary.windows, class: `s${series.length % 5}` });
    }
    const until = this.player.main !== null ? Number((this.player.main.frame?.timeSecs ?? 0).toFixed(1)) : 0;
    this.chart.set(series, until);
    fill(
      this.chartCaption,
      job === null
        ? "Mean cost of the motion in each window."
        : "Cost per window as it is searched. Line: the best way. Dots: samples kept alive.",
      ...(series.length > 1 ? series.map((s) => h("span", { class: `key ${s.class}`, textContent: s.label })) : []),
    );
    this.chart.setCursor(this.timeline.secs);
  }

  private refreshRight(job: Job | null): void {
    const { watched } = this;
    const comparison = comparisonSection(this.player.comparison, (c) => this.setComparison(c));
    if (job !== null) {
      const p = job.progress;
      const figures: [string, string][] = p
        ? [
            ["Done", `${Math.round((100 * p.done) / Math.max(p.total, 1))} %`],
            ...(p.best ? [[`Best ${p.best.name}`, p.best.value.toPrecision(3)] as [string, string]] : []),
            ["Steps", `${(p.steps / 1e6).toFixed(1)} million`],
            ["Speed", `${Math.round(p.clock.steps_per_sec / 1000)} thousand a second`],
            ["Time", `${clock(p.clock.elapsed_secs)}${timeLeft(p)}`],
          ]
        : [];
      fill(
        this.plan.right,
        h("header", { class: "subject" }, h("h1", { textContent: job.title }), h("p", { id: "job-message", textContent: job.message })),
        section(
          "Progress",
          h("dl", { class: "figures" }, ...figures.flatMap(([k, v]) => [h("dt", { textContent: k }), h("dd", { textContent: v })])),
          figures.length === 0 ? empty("It waits for its turn.") : null,
        ),
        comparison,
      );
    } else if (watched?.kind === "result") {
      const detail = this.details.get(watched.id);
      const entry = this.studio.store.results.find((r) => r.id === watched.id);
      const others = [...this.compared].flatMap((id) => (this.details.has(id) && id !== watched.id ? [this.details.get(id)!] : []));
      fill(
        this.plan.right,
        h(
          "header",
          { class: "subject" },
          h("h1", { textContent: entry?.name ?? watched.id }),
          h("p", { textContent: entry ? verdict(entry) : "" }),
        ),
        h(
          "div",
          { class: "actions wrap" },
          button("Play with it", () => this.studio.go("play", { result: watched.id }), { icon: "play", primary: true, key: "play" }),
          this.studio.store.fronts.some((f) => f.id === watched.id)
            ? button("With help", () => this.studio.go("fronts", { front: watched.id }), {
                icon: "fronts",
                key: "front",
                title: "The same motion with more or less help from outside",
              })
            : null,
          h(
            "button",
            {
              class: "plain danger",
              title: "Delete this run",
              aria: { label: "Delete this run" },
              data: { key: "delete" },
              onclick: () => void this.deleteResult(watched.id),
            },
            icon("trash"),
          ),
        ),
        comparison,
        this.trainingSection(watched.id, entry?.completed !== false),
        detail === undefined ? null : others.length > 0 ? comparisonTable([detail, ...others]) : resultFigures(detail),
        detail === undefined ? null : downloads(detail),
      );
    } else {
      fill(this.plan.right, section("Run", empty("What comes of a transfer is shown here.")));
    }
  }

  private periodSecs: number | null = null;

  private trainingSection(result: string, canTrain: boolean): HTMLElement {
    return section(
      "Feedback",
      h("p", { class: "quiet", textContent: "A policy that repeats the motion and keeps the balance." }),
      field(
        "Period",
        numberInput(this.periodSecs, 0.05, (secs) => (this.periodSecs = secs), {
          key: "period",
          placeholder: "found by itself",
          min: 0.05,
          onClear: () => (this.periodSecs = null),
        }),
        "s",
      ),
      h(
        "div",
        { class: "actions" },
        button("Train feedback", () => void this.train(result), {
          key: "train",
          disabled: !canTrain,
          title: canTrain ? "Repeats the cycle without end and survives pushes" : "A motion that falls cannot be repeated",
        }),
      ),
    );
  }

  private async train(result: string): Promise<void> {
    const job = await this.studio.status.during(
      "Queueing the training…",
      postJson<Job>("job", {
        kind: "feedback",
        result,
        preset: "default",
        seed: 0,
        ...(this.periodSecs !== null ? { period_secs: this.periodSecs } : {}),
      }),
    );
    if (job !== null) this.started(job);
  }

  private async deleteResult(id: string): Promise<void> {
    if (!window.confirm(`Delete the run ${id} with all its files?`)) return;
    if (
      (await this.studio.status.during(
        "Deleting…",
        remove("result", { id }).then(() => true),
      )) === null
    )
      return;
    this.compared.delete(id);
    this.watched = null;
    this.player.set(null, null);
    this.refresh();
  }

  private setComparison(comparison: Comparison): void {
    this.player.setComparison(comparison);
    if (comparison === "sides") this.player.frame();
  }

  private nextComparison(): void {
    this.setComparison(nextComparison(this.player.comparison));
    this.refreshRight(this.job());
  }
}

function clock(secs: number): string {
  if (secs < 60) return `${secs.toFixed(0)} s`;
  return secs < 3600
    ? `${Math.floor(secs / 60)} min ${Math.round(secs % 60)} s`
    : `${Math.floor(secs / 3600)} h ${Math.round((secs % 3600) / 60)} min`;
}

/** How long it will take, as far as is known. */
function timeLeft({ clock: { left_secs }, total_is_bound }: Progress): string {
  return left_secs === undefined ? "" : `, ${total_is_bound ? "at most" : "about"} ${clock(left_secs)} left`;
}
