// What to transfer: character, clip, preset, and the few things that change a run.

import { firstClip } from "../app/clip_names";
import { fill, h } from "../app/dom";
import { icon } from "../app/icons";
import type { Studio } from "../app/view";
import { checkbox, clipSelect, field, numberInput, select } from "../parts/fields";
import { button, empty, section } from "../parts/layout";
import { getJson, postJson } from "../protocol/http";
import type { Change, CharacterDetail, Job, PreflightAnswer, RigDetail } from "../protocol/types";

const PRESETS: Record<string, string> = { quick: "Quick: a first look", default: "Standard", paper: "As in the paper: slow" };

export class TransferForm {
  readonly element = h("div");
  private character: string | null = null;
  private rig: RigDetail | null = null;
  private clip: string | null = null;
  private preset = "quick";
  private cycles: number | null = null;
  private seed = 0;
  private fromRest = false;
  private assist = false;
  private busy = false;
  private asked: string | null = null;
  private drawn = "";

  constructor(
    private readonly studio: Studio,
    private readonly onStart: (job: Job) => void,
  ) {}

  async choose(character: string | null, clip: string | null): Promise<void> {
    const { recent, store } = this.studio;
    const last = store.characters.find((c) => c.id === recent.character)?.id;
    const id = character ?? last ?? this.character ?? store.characters[0]?.id ?? null;
    if (id === null) return this.refresh();
    const isOther = id !== this.character;
    this.character = id;
    recent.character = id;
    void this.preflight(id);
    if (clip !== null) this.clip = clip;
    else if (isOther) this.clip = null;
    const entry = this.studio.store.characters.find((c) => c.id === id);
    this.rig = entry?.rig == null ? null : await this.studio.status.during("Reading the clips…", this.studio.cache.rig(entry.rig));
    if (this.rig !== null && !this.rig.clips.some((c) => c.name === this.clip)) this.clip = firstClip(this.rig.clips)?.name ?? null;
    this.refresh();
  }

  refresh(): void {
    const { store } = this.studio;
    if (store.characters.length === 0) {
      fill(
        this.element,
        section(
          "New transfer",
          empty("A transfer needs a character; make one in the library."),
          h(
            "div",
            { class: "actions" },
            button("To the library", () => this.studio.go("library")),
          ),
        ),
      );
      this.drawn = "";
      return;
    }
    const revision = store.characters.find((c) => c.id === this.character)?.revision;
    if (this.trial !== null && revision !== undefined && revision > this.trial.revision) void this.preflight(this.trial.id);
    if (this.character === null || !store.characters.some((c) => c.id === this.character)) {
      void this.choose(store.characters[0].id, null);
      return;
    }
    const entry = store.characters.find((c) => c.id === this.character);
    if (entry?.rig != null && this.rig?.id !== entry.rig && this.asked !== entry.rig) {
      this.asked = entry.rig;
      void this.choose(this.character, this.clip);
    }
    // Fields that are being typed into are not drawn anew for nothing.
    const now = JSON.stringify([
      store.characters,
      store.project.presets,
      this.character,
      this.rig?.id,
      this.clip,
      this.preset,
      this.cycles,
      this.seed,
      this.fromRest,
      this.assist,
      this.busy,
      this.trial,
    ]);
    if (now === this.drawn) return;
    this.drawn = now;
    const clips = this.rig?.clips ?? [];
    const clip = clips.find((c) => c.name === this.clip);
    const set = (change: () => void) => {
      change();
      this.refresh();
    };
    fill(
      this.element,
      section(
        "New transfer",
        field(
          "Character",
          select(
            store.characters.map((c) => ({ value: c.id, label: c.name })),
            this.character,
            (id) => void this.choose(id, null),
            "character",
          ),
        ),
        clips.length > 0
          ? field(
              "Clip",
              clipSelect(clips, this.clip, (c) => set(() => (this.clip = c)), true),
            )
          : empty("The rig of this character is not here or has no clips."),
        field(
          "Preset",
          select(
            store.project.presets.map((p) => ({ value: p, label: PRESETS[p] ?? p })),
            this.preset,
            (p) => set(() => (this.preset = p)),
            "preset",
          ),
        ),
        checkbox(
          "With help from outside (front of fidelity against help)",
          this.assist,
          (on) => set(() => (this.assist = on)),
          "assist",
        ),
        h(
          "details",
          { open: this.opened, ontoggle: (e: Event) => (this.opened = (e.target as HTMLDetailsElement).open) },
          h("summary", { textContent: "More" }),
          clip?.is_cycle
            ? field(
                "Cycles",
                numberInput(this.cycles, 1, (n) => set(() => (this.cycles = Math.max(1, Math.round(n)))), {
                  key: "cycles",
                  placeholder: "1",
                  min: 1,
                  onClear: () => set(() => (this.cycles = null)),
                }),
              )
            : null,
          field(
            "Seed",
            numberInput(this.seed, 1, (n) => set(() => (this.seed = Math.max(0, Math.round(n)))), {
              key: "seed",
              min: 0,
              onClear: () => set(() => (this.seed = 0)),
            }),
          ),
          checkbox("Start from rest", this.fromRest, (on) => set(() => (this.fromRest = on)), "from-rest"),
        ),
        this.trialSection(),
        h(
          "div",
          { class: "actions" },
          button("Start", () => void this.start(), {
            icon: "transfer",
            primary: true,
            key: "start",
            disabled: this.busy || this.clip === null,
            title: "Ctrl Enter",
          }),
        ),
      ),
    );
  }

  private opened = false;
  private trial: PreflightAnswer | null = null;

  /** Whether the character stands is said before anything is started. */
  private async preflight(id: string): Promise<void> {
    const revision = this.studio.store.characters.find((c) => c.id === id)?.revision;
    if (this.trial?.id === id && this.trial.revision === revision) return;
    const trial = await getJson<PreflightAnswer>("character/preflight", { id }).catch(() => null);
    if (this.character !== id) return;
    this.trial = trial;
    this.refresh();
  }

  /** What is wrong with it and the one edit that mends it. */
  private trialSection(): HTMLElement | null {
    const { trial } = this;
    if (trial === null || trial.ok || trial.id !== this.character) return null;
    const { mend } = trial;
    return h(
      "div",
      { class: "trial", data: { key: "trial" } },
      ...trial.problems.slice(0, 3).map((p) => h("p", { class: "problem" }, icon("warning"), h("span", { textContent: p.sentence }))),
      mend ? h("p", { class: "quiet", textContent: mend.sentence }) : null,
      h(
        "div",
        { class: "actions wrap" },
        mend ? button("Mend it", () => void this.mend(trial.id, mend.change), { key: "trial-mend", title: "Makes this one edit; Undo in the modeler takes it back" }) : null,
        button("To the modeler", () => this.studio.go("modeler", { character: trial.id }), { key: "trial-modeler" }),
      ),
    );
  }

  private async mend(id: string, change: Change): Promise<void> {
    const answer = await this.studio.status.during("Mending it…", postJson<CharacterDetail>("character/edit", { id, change }));
    if (answer === null) return;
    this.studio.cache.put(answer);
    this.trial = null;
    await this.preflight(id);
  }

  async start(): Promise<void> {
    if (this.character === null || this.clip === null || this.busy) return;
    this.busy = true;
    this.refresh();
    const clip = this.rig?.clips.find((c) => c.name === this.clip);
    const job = await this.studio.status.during(
      "Queueing the transfer…",
      postJson<Job>("job", {
        kind: "transfer",
        character: this.character,
        clip: this.clip,
        preset: this.preset,
        seed: this.seed,
        from_rest: this.fromRest,
        assist: this.assist,
        ...(this.cycles !== null && clip?.is_cycle ? { cycles: this.cycles } : {}),
      }),
    );
    this.busy = false;
    this.refresh();
    if (job !== null) this.onStart(job);
  }
}
