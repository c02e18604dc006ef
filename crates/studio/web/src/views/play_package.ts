// What belongs to the characters of a package: how they are, their actions, who is steered, and takes of what was played.

import { fill, h } from "../app/dom";
import type { Studio } from "../app/view";
import { field, select } from "../parts/fields";
import { button, section } from "../parts/layout";
import type { LiveSession } from "../parts/live";
import { postJson } from "../protocol/http";
import type { PackageEntry, PlayedCharacter, TakeDetail } from "../protocol/types";
import { teamColour } from "../scene/teams";
import type { Steering } from "./play_steer";
import { takeFiles } from "./result_panel";

const MOST_CHARACTERS = 6;
const LEADS = "W A S D or arrows walk, with Shift run; so do a gamepad and a touch screen. Click on the ground to go there.";
/** Slower than this share of what was asked for is told. */
const SLOW = 0.93;

export class PackagePanel {
  /** Under the picture, so that it is at hand on every screen. */
  readonly bar = h("div", { class: "play-bar" });
  private readonly doing = h("output", { class: "doing", aria: { live: "polite" } });
  private readonly figures = h("dl", { class: "figures" });
  private readonly slow = h("p", { class: "slow" });
  private readonly take = h("div", { class: "take" });
  private saved: TakeDetail | null = null;
  private saving = false;
  private of: number | null = null;

  constructor(
    private readonly studio: Studio,
    private readonly live: LiveSession,
    private readonly steering: Steering,
    private readonly restart: (characters: number) => void,
  ) {
    this.doing.dataset["key"] = "doing";
  }

  entry(): PackageEntry | null {
    const start = this.live.session?.start;
    if (start?.what !== "package") return null;
    return this.studio.store.packages.find((p) => p.id === start.package) ?? null;
  }

  private isSimulated(): boolean {
    return this.entry()?.is_simulated ?? true;
  }

  /** News of the characters. */
  tell(): void {
    const { played, session, character } = this.live;
    const now = played?.characters[character];
    if (session === null || played === null || now === undefined) return;
    this.doing.textContent = says(now);
    this.doing.dataset["doing"] = now.doing;
    const { real_time_factor: factor, frame_ms: cost } = played;
    const rows: [name: string, text: string, colour?: string][] = [];
    if (this.isSimulated()) rows.push(["Falls", String(now.falls)], ["Stood up by itself", String(now.stand_ups)]);
    fallsOfTeams(played.characters).forEach((falls, team) => rows.push([`Falls of team ${team + 1}`, String(falls), teamColour(team)]));
    rows.push(
      ["Played", `${played.time_secs.toFixed(1)} s`],
      ["Speed", factor === null ? "stands still" : `${factor.toFixed(2)} × real time`],
      ["A frame costs", cost === null ? "–" : `${cost.toFixed(1)} ms`],
      ["Hash", played.hash],
    );
    const value = ([name, text, colour]: (typeof rows)[number]): HTMLElement[] => {
      const title = h("dt", { textContent: name });
      if (colour !== undefined) title.style.borderLeft = `0.5em solid ${colour}`;
      title.style.paddingLeft = colour === undefined ? "" : "0.4em";
      return [title, h("dd", { textContent: text, data: { figure: name } })];
    };
    this.figures.replaceChildren(...rows.flatMap(value));
    const isSlow = factor !== null && factor < SLOW * session.time_scale;
    this.slow.textContent = isSlow ? `This machine is too slow: it plays at ${factor.toFixed(2)} of real time and leaves nothing out.` : "";
    this.slow.hidden = !isSlow;
  }

  drawBar(): void {
    const entry = this.entry();
    this.bar.hidden = entry === null;
    if (entry === null) return fill(this.bar);
    fill(
      this.bar,
      this.doing,
      ...entry.actions.map((a) =>
        h(
          "button",
          { title: a.about, data: { key: `perform:${a.name}` }, onclick: () => this.steering.perform(a.name) },
          a.name,
          h("kbd", { textContent: a.key }),
        ),
      ),
      h("span", { class: "spring" }),
      button("Save take", () => void this.save(), { icon: "download", key: "save-take", disabled: this.saving, title: "Since the start or the last reset" }),
    );
  }

  /** For the panel on the right. */
  sections(): HTMLElement[] {
    const { session, scene } = this.live;
    if (session?.start.what !== "package") return [];
    if (this.of !== session.id) this.saved = null;
    this.of = session.id;
    const count = scene?.characters?.length ?? session.start.characters;
    const numbers = (n: number): string[] => Array.from({ length: n }, (_, i) => String(i + 1));
    this.drawTake();
    this.tell();
    return [
      section("How it is", this.figures, this.slow),
      section(
        "Characters",
        field(
          "In the world",
          select(
            numbers(MOST_CHARACTERS).map((n) => ({ value: n, label: n })),
            String(count),
            (n) => this.restart(Number(n)),
            "characters",
          ),
        ),
        count > 1
          ? field(
              "Steered",
              select(
                numbers(count).map((n) => ({ value: n, label: `Character ${n}` })),
                String(this.live.character + 1),
                (n) => {
                  this.steering.choose(Number(n) - 1);
                  this.tell();
                },
                "steered",
              ),
            )
          : "",
        h("p", { class: "quiet", textContent: this.isSimulated() ? `${LEADS} Click on the character to throw a ball; drag from it to push.` : LEADS }),
        this.isSimulated()
          ? ""
          : h("p", {
              class: "quiet",
              data: { key: "motion-alone" },
              textContent: "This is a generator without a policy: its motion is shown, without physics. Pushes and balls do nothing.",
            }),
        h(
          "div",
          { class: "actions wrap" },
          button("Let it go freely", () => this.steering.goFreely(), { key: "free" }),
          count > 1
            ? button("Two teams", () => this.steering.goForEachOther(count), {
                key: "game",
                title: "Every second character is of the other team; all go for the nearest of the other and bump into it",
              })
            : "",
        ),
      ),
      section("Take", this.take),
    ];
  }

  private drawTake(): void {
    const { saved } = this;
    fill(
      this.take,
      this.saving ? h("p", { class: "quiet", textContent: "Playing it again and writing its files…" }) : null,
      saved === null && !this.saving
        ? h("p", { class: "quiet", textContent: "Everything is recorded from the start. Saved, it plays again to the same hash." })
        : null,
      ...(saved === null ? [] : takeFiles(saved)),
    );
  }

  private async save(): Promise<void> {
    const session = this.live.session?.id;
    if (session === undefined || this.saving) return;
    this.saving = true;
    this.drawTake();
    this.drawBar();
    const saved = await this.studio.status.during("Saving the take…", () => postJson<TakeDetail>("take", { session }));
    this.saving = false;
    if (saved !== null && this.live.session?.id === session) {
      this.saved = saved;
      this.studio.status.news(`${saved.id} has ${saved.seconds.toFixed(1)} s with the hash ${saved.hash}.`);
    }
    this.drawTake();
    this.drawBar();
  }
}

function says(now: PlayedCharacter): string {
  switch (now.doing) {
    case "limp":
      return "Limp";
    case "standing_up":
      return "Standing up";
    case "acting":
      return now.action ?? "Acting";
    case "moving":
      return now.target ? "On its way" : "Moving";
  }
}

/** How often each team fell. */
function fallsOfTeams(characters: PlayedCharacter[]): number[] {
  const falls: number[] = [];
  for (const { team, falls: its } of characters) if (team != null) falls[team] = (falls[team] ?? 0) + its;
  return [...falls].map((count) => count ?? 0);
}
