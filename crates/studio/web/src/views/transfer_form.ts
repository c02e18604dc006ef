// What to transfer: character, clip, preset, and the few things that change a run.

import { fill, h } from "../app/dom";
import type { Studio } from "../app/view";
import { checkbox, field, numberInput, select } from "../parts/fields";
import { button, empty, section } from "../parts/layout";
import { postJson } from "../protocol/http";
import type { Job, RigDetail } from "../protocol/types";

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
    const id = character ?? this.character ?? this.studio.store.characters[0]?.id ?? null;
    if (id === null) return this.refresh();
    const isOther = id !== this.character;
    this.character = id;
    if (clip !== null) this.clip = clip;
    else if (isOther) this.clip = null;
    const entry = this.studio.store.characters.find((c) => c.id === id);
    this.rig = entry?.rig == null ? null : await this.studio.status.during("Reading the clips…", this.studio.cache.rig(entry.rig));
    if (this.rig !== null && !this.rig.clips.some((c) => c.name === this.clip)) this.clip = this.rig.clips[0]?.name ?? null;
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
              select(
                clips.map((c) => ({ value: c.name, label: `${c.name}, ${c.duration_secs.toFixed(1)} s` })),
                this.clip,
                (c) => set(() => (this.clip = c)),
                "clip",
              ),
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
                }),
              )
            : null,
          field(
            "Seed",
            numberInput(this.seed, 1, (n) => set(() => (this.seed = Math.max(0, Math.round(n)))), { key: "seed", min: 0 }),
          ),
          checkbox("Start from rest", this.fromRest, (on) => set(() => (this.fromRest = on)), "from-rest"),
        ),
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
