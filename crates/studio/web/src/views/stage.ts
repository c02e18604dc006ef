// Stage: any motion of the project, with everything that physics has to say about it.

import { firstClip } from "../app/clip_names";
import { fill, h } from "../app/dom";
import type { Studio, View } from "../app/view";
import { comparisonSection, nextComparison } from "../parts/comparison";
import { clipSelect, field } from "../parts/fields";
import { button, empty, hint, plan, row, section } from "../parts/layout";
import { OverlayBar } from "../parts/overlay_bar";
import { Player, type Comparison, type Performance } from "../parts/player";
import { Timeline } from "../parts/timeline";
import { getJson } from "../protocol/http";
import type { RigDetail, ResultDetail } from "../protocol/types";
import { characterPerformance, resultPerformances } from "./performances";
import { ClipEditor } from "./clip_editor";
import { badgeClass, verdict, verdictBadge } from "./verdict";

type Subject = { kind: "result" | "character"; id: string };
const SHOWN_JOINTS = 7;

export class StageView implements View {
  readonly element: HTMLElement;
  private readonly plan = plan("stage-view");
  private readonly timeline = new Timeline();
  private readonly bar = new OverlayBar("stage", { skin: true, contacts: true });
  private readonly player: Player;
  private readonly message = hint("Make a character of a rig in the library, then it can be seen here.");
  private readonly loads = h("div", { class: "loads" });
  private readonly figures = h("dl", { class: "figures" });
  private subject: Subject | null = null;
  private rig: RigDetail | null = null;
  private result: ResultDetail | null = null;
  private clip: string | null = null;
  private loading = 0;
  private shown = false;
  /** What is new may be asked for before the list has it. */
  private wasListed = false;
  private timer = 0;

  constructor(private readonly studio: Studio) {
    this.element = this.plan.element;
    this.player = new Player(studio.viewport, this.bar, this.timeline);
    this.editor = new ClipEditor(
      studio,
      () => this.timeline.secs,
      (rig, clip) => this.clipChanged(rig, clip),
    );
    this.plan.stage.append(this.bar.element, this.message);
    this.plan.below.append(this.timeline.element);
    studio.keyboard.register("Stage", [
      ...this.bar.shortcuts(),
      ...this.timeline.shortcuts(),
      { keys: ["g"], what: "Key-framed motion: as a ghost, beside it, hidden", run: () => this.nextComparison() },
      { keys: ["arrowup", "arrowdown"], what: "Another motion", run: (e) => this.stepSubject(e.key === "ArrowUp" ? -1 : 1) },
    ]);
    studio.store.on(["characters", "results"], () => this.shown && this.refresh());
  }

  show(parameters: URLSearchParams): void {
    this.shown = true;
    this.studio.viewport.attach(this.plan.stage);
    this.player.show();
    this.timer = window.setInterval(() => this.refreshNumbers(), 150);
    const result = parameters.get("result");
    const character = parameters.get("character");
    if (result !== null) this.choose({ kind: "result", id: result });
    else if (character !== null) this.choose({ kind: "character", id: character }, parameters.get("clip"));
    else if (this.subject !== null) this.choose(this.subject, this.clip, true);
    else this.refresh();
  }

  hide(): void {
    this.shown = false;
    window.clearInterval(this.timer);
    this.player.hide();
  }

  private subjects(): Subject[] {
    const { store } = this.studio;
    return [
      ...store.results.map((r): Subject => ({ kind: "result", id: r.id })),
      ...store.characters.map((c): Subject => ({ kind: "character", id: c.id })),
    ];
  }

  private choose(subject: Subject, clip: string | null = null, keepCamera = false): void {
    if (!same(subject, this.subject)) this.wasListed = false;
    this.subject = subject;
    this.clip = clip;
    this.refresh();
    void this.load(subject, keepCamera);
  }

  private async load(subject: Subject, keepCamera: boolean): Promise<void> {
    const turn = ++this.loading;
    const { status, cache } = this.studio;
    const loaded = await status.during("Loading the motion…", async (): Promise<{ main: Performance; other: Performance | null }> => {
      if (subject.kind === "result") {
        this.result = await getJson<ResultDetail>("result", { id: subject.id });
        const { simulated, target } = await resultPerformances(this.studio, subject.id, this.result.rig);
        return { main: simulated, other: target };
      }
      const character = await cache.character(subject.id);
      if (character.rig === null) throw new Error(`The rig of ${character.character.name} is not in this project; drop its file in again.`);
      this.rig = await cache.rig(character.rig);
      this.clip ??= firstClip(this.rig.clips)?.name ?? null;
      if (this.clip === null) throw new Error(`${this.rig.name} has no clips; its body can be seen in the modeler.`);
      return { main: await characterPerformance(this.studio, subject.id, this.clip), other: null };
    });
    if (turn !== this.loading || loaded === null) return;
    if (!keepCamera) this.timeline.secs = 0;
    this.player.set(loaded.main, loaded.other, keepCamera);
    this.refresh();
  }

  private refresh(): void {
    const { store } = this.studio;
    const subjects = this.subjects();
    const isListed = subjects.some((s) => same(s, this.subject));
    if (this.subject !== null && this.wasListed && !isListed) this.subject = null;
    this.wasListed = isListed;
    if (this.subject === null && this.shown && subjects.length > 0) {
      this.choose(subjects[0]);
      return;
    }
    this.message.hidden = subjects.length > 0;
    const result = store.results.map((r) =>
      row({
        key: `result:${r.id}`,
        title: r.name,
        detail: `${r.character}, ${r.clip}, ${r.preset}`,
        icon: "transfer",
        selected: same({ kind: "result", id: r.id }, this.subject),
        badge: verdictBadge(r),
        badgeClass: badgeClass(r),
        onClick: () => this.choose({ kind: "result", id: r.id }),
      }),
    );
    const character = store.characters.map((c) =>
      row({
        key: `character:${c.id}`,
        title: c.name,
        detail: "key-framed",
        icon: "modeler",
        selected: same({ kind: "character", id: c.id }, this.subject),
        onClick: () => this.choose({ kind: "character", id: c.id }),
      }),
    );
    fill(
      this.plan.left,
      section("Simulated", ...(result.length > 0 ? result : [empty("Nothing yet. A transfer makes a simulated motion of a clip.")])),
      section("Key-framed", ...(character.length > 0 ? character : [empty("No characters yet.")])),
    );
    this.refreshRight();
  }

  private refreshRight(): void {
    if (this.subject === null) {
      fill(this.plan.right, section("Motion", empty("Choose a motion on the left.")));
    } else if (this.subject.kind === "result") {
      const r = this.result?.entry.id === this.subject.id ? this.result : null;
      const entry = this.studio.store.results.find((e) => e.id === this.subject?.id);
      fill(
        this.plan.right,
        h(
          "header",
          { class: "subject" },
          h("h1", { textContent: entry?.name ?? "" }),
          h("p", { textContent: entry ? verdict(entry) : "" }),
        ),
        comparisonSection(this.player.comparison, (c) => this.setComparison(c)),
        section("At this moment", this.figures, h("h3", { textContent: "Hardest working joints" }), this.loads),
        r === null
          ? null
          : h(
              "div",
              { class: "actions end" },
              button("Play with it", () => this.studio.go("play", { result: r.entry.id }), { icon: "play" }),
              button("Run and downloads", () => this.studio.go("transfer", { result: r.entry.id }), { icon: "transfer" }),
            ),
      );
    } else {
      const id = this.subject.id;
      const entry = this.studio.store.characters.find((c) => c.id === id);
      const clips = this.rig !== null && this.rig.id === entry?.rig ? this.rig.clips : [];
      fill(
        this.plan.right,
        h(
          "header",
          { class: "subject" },
          h("h1", { textContent: entry?.name ?? "" }),
          h("p", { textContent: "the clip on the rigid bodies, before physics" }),
        ),
        clips.length > 0
          ? section(
              "Clip",
              field(
                "Clip",
                clipSelect(clips, this.clip, (clip) => this.choose({ kind: "character", id }, clip, true)),
              ),
            )
          : null,
        section("At this moment", this.figures),
        this.rig !== null && clips.length > 0 && this.clip !== null ? this.editorOf(this.rig, this.clip) : null,
        h(
          "div",
          { class: "actions end" },
          button("Edit its body", () => this.studio.go("modeler", { character: id }), { icon: "modeler" }),
          button("Make it physical", () => this.studio.go("transfer", { character: id, ...(this.clip ? { clip: this.clip } : {}) }), {
            icon: "transfer",
            primary: true,
          }),
        ),
      );
    }
    this.refreshNumbers();
  }

  private readonly editor: ClipEditor;

  /** The changed clip, at the same moment. */
  private clipChanged(rig: RigDetail, clip: string): void {
    this.studio.cache.putRig(rig);
    if (this.subject?.kind === "character") this.choose(this.subject, clip, true);
  }

  private editorOf(rig: RigDetail, clip: string): HTMLElement | null {
    const detail = rig.clips.find((c) => c.name === clip);
    return detail === undefined ? null : this.editor.section(rig, detail);
  }

  private refreshNumbers(): void {
    const frame = this.player.main?.frame ?? null;
    const cast = this.player.main?.cast;
    if (frame === null || cast === undefined) {
      fill(this.figures);
      return;
    }
    const weight = 9.81 * cast.bodies.reduce((m, b) => m + (b.is_character ? b.mass_kg : 0), 0);
    let up = 0;
    for (let i = 0; i < frame.contactCount; i++) if (frame.contactBodies[8 * i + 1] === -1) up += frame.contactNumbers[8 * i + 7];
    const entries: [string, string][] = [
      ["Time", `${frame.timeSecs.toFixed(2)} s`],
      ["Mass", `${(weight / 9.81).toFixed(1)} kg`],
      ["Centre of mass", `${frame.centerOfMass[2].toFixed(2)} m high`],
    ];
    if (this.subject?.kind === "result") entries.push(["Ground bears", `${(up / Math.max(weight, 1e-6)).toFixed(2)} × weight`]);
    fill(this.figures, ...entries.flatMap(([k, v]) => [h("dt", { textContent: k }), h("dd", { textContent: v })]));
    const loads = cast.joints
      .map((j, k) => ({
        name: j.name,
        load: (frame.torques[k] ?? 0) / Math.max(j.torque_limit ?? Infinity, 1e-6),
        torque: frame.torques[k] ?? 0,
      }))
      .sort((a, b) => b.load - a.load || b.torque - a.torque)
      .slice(0, SHOWN_JOINTS);
    fill(
      this.loads,
      ...loads.map((l) => {
        const bar = h("i", {});
        bar.style.width = `${Math.min(100, 100 * l.load)}%`;
        bar.classList.toggle("hot", l.load > 0.9);
        return h(
          "div",
          { class: "load" },
          h("span", { textContent: l.name }),
          h("span", { class: "bar" }, bar),
          h("span", { class: "value", textContent: `${l.torque.toFixed(0)} N·m` }),
        );
      }),
    );
  }

  private setComparison(comparison: Comparison): void {
    this.player.setComparison(comparison);
    if (comparison === "sides") this.player.frame();
  }

  private nextComparison(): void {
    this.setComparison(nextComparison(this.player.comparison));
    this.refreshRight();
  }

  private stepSubject(by: number): void {
    const subjects = this.subjects();
    const index = subjects.findIndex((s) => same(s, this.subject));
    const next = subjects[Math.min(Math.max(index + by, 0), subjects.length - 1)];
    if (next !== undefined && !same(next, this.subject)) this.choose(next);
  }
}

function same(a: Subject, b: Subject | null): boolean {
  return b !== null && a.kind === b.kind && a.id === b.id;
}
