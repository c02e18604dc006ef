// Modeler: the body of a character, edited by hand and by number, dropped to see whether it stands.

import { fill, h } from "../app/dom";
import { icon, type IconName } from "../app/icons";
import type { Studio, View } from "../app/view";
import { select } from "../parts/fields";
import { button, empty, hint, plan, section, segments, sentences } from "../parts/layout";
import { LiveSession } from "../parts/live";
import { OverlayBar } from "../parts/overlay_bar";
import { DIVERGED, FALLEN, type Frame } from "../protocol/frame";
import { address, getJson, postJson, Refusal } from "../protocol/http";
import type { Change, CharacterDetail, Edit, PreflightAnswer, Problem, ShapeKind } from "../protocol/types";
import type { GizmoMode } from "../scene/gizmo";
import { drawInspector, type Part, type Selection } from "./modeler_inspector";
import { bodyTree, inTreeOrder, preflightSection } from "./modeler_lists";
import { ModelerScene } from "./modeler_scene";
import { sizeSection, type Resize } from "./modeler_size";

/** How far above the ground it begins, over its height: little, so that a drop says what the pre-flight says. */
const DROP_SHARE = 0.02;
/** The pre-flight looks so long. */
const JUDGED_AFTER_SECS = 3;
const MODES: { value: GizmoMode; label: string; icon: IconName }[] = [
  { value: "translate", label: "Move (W)", icon: "move" },
  { value: "rotate", label: "Turn (E)", icon: "turn" },
  { value: "scale", label: "Size (R)", icon: "size" },
];

export class ModelerView implements View {
  readonly element: HTMLElement;
  private readonly plan = plan("modeler");
  private readonly bar = new OverlayBar("modeler", { skin: true, bodies: true }, ["skin", "bodies", "skeleton"], false);
  private readonly dropBar = new OverlayBar("modeler.drop", { skin: false, bodies: true, contacts: true, balance: true });
  private readonly scene: ModelerScene;
  private readonly live: LiveSession;
  private readonly tools = h("div", { class: "tools" });
  private readonly message = hint("Make a character of a rig in the library first.");
  private detail: CharacterDetail | null = null;
  private selection: Selection | null = null;
  private mirror = true;
  /** Handles of each part; none while a joint's arc is to be read. */
  private readonly modes: Record<Part, GizmoMode | null> = { body: "translate", joint: null, effectors: "translate" };
  private preflight: PreflightAnswer | null = null;
  private preflightRuns = false;
  private dropping = false;
  private dropState = "";
  private shown = false;
  private queue: Promise<void> = Promise.resolve();

  constructor(private readonly studio: Studio) {
    this.element = this.plan.element;
    this.scene = new ModelerScene(studio, this.bar);
    this.scene.onSelect = (body, isJoint) =>
      this.select(body === null ? null : { body, part: isJoint ? "joint" : (this.selection?.part ?? "body"), effector: null });
    this.scene.onEdit = (edit) => this.edit(edit);
    this.live = new LiveSession(studio, this.dropBar);
    this.live.onFrame = (frame) => this.dropped(frame);
    this.live.onEnded = (reason) => {
      studio.status.news(reason);
      this.stopDrop();
    };
    this.plan.stage.append(this.tools, this.bar.element, this.dropBar.element, this.message);
    this.registerKeys();
    studio.store.on(["characters"], () => this.shown && this.listed());
    studio.socket.listen((message) => {
      if (message.type !== "character" || message.id !== this.detail?.id || message.revision <= this.detail.revision || this.sends > 0)
        return;
      studio.cache.forgetCharacter(message.id);
      void this.load(message.id);
    });
  }

  show(parameters: URLSearchParams): void {
    this.shown = true;
    this.studio.viewport.attach(this.plan.stage);
    this.scene.show();
    const wanted = parameters.get("character") ?? this.detail?.id ?? this.studio.store.characters[0]?.id;
    this.refresh();
    if (wanted !== undefined && wanted !== this.detail?.id) void this.load(wanted);
  }

  hide(): void {
    this.stopDrop();
    this.shown = false;
    this.scene.hide();
  }

  /** The list of characters is new: there may be a first one, or news that came while the server was away. */
  private listed(): void {
    const { characters } = this.studio.store;
    const entry = characters.find((c) => c.id === this.detail?.id);
    if (this.wanted === null && characters[0] !== undefined) void this.load(characters[0].id);
    else if (entry !== undefined && this.detail !== null && entry.revision > this.detail.revision && this.sends === 0) {
      this.studio.cache.forgetCharacter(entry.id);
      void this.load(entry.id);
    }
    this.refresh();
  }

  private sends = 0;

  /** The character that was asked for last; others that arrive late are not shown. */
  private wanted: string | null = null;

  private async load(id: string): Promise<void> {
    this.wanted = id;
    const detail = await this.studio.status.during("Loading the character…", this.studio.cache.character(id));
    if (detail !== null && this.wanted === id) await this.take(detail);
    else if (detail === null && this.detail === null) this.wanted = null;
  }

  private async take(detail: CharacterDetail): Promise<void> {
    const { cache } = this.studio;
    const isOther = detail.id !== this.detail?.id;
    if (isOther) this.studio.recent.character = detail.id;
    this.detail = detail;
    if (isOther) {
      this.selection = null;
      this.preflight = null;
    }
    const names = new Set(detail.character.body.map((b) => b.name));
    if (this.selection !== null && !names.has(this.selection.body)) this.selection = null;
    this.scene.select(this.selection);
    const model = detail.rig === null ? null : await cache.model(detail.rig).catch(() => null);
    const skin = model === null ? null : await cache.skin(detail.id).catch(() => null);
    if (this.detail !== detail) return;
    this.scene.set(detail, model, skin);
    this.refresh();
    if (this.preflight === null || this.preflight.revision !== detail.revision) this.schedulePreflight();
  }

  private preflightTimer = 0;

  /** Looks whether it stands, once the hands are still. */
  private schedulePreflight(): void {
    window.clearTimeout(this.preflightTimer);
    this.preflightTimer = window.setTimeout(() => void this.runPreflight(false), 700);
  }

  private async runPreflight(clips: boolean): Promise<void> {
    const id = this.detail?.id;
    if (id === undefined || !this.shown) return;
    this.preflightRuns = true;
    this.refreshLeft();
    const answer = await this.studio.status.during(
      "Pre-flight: does it stand?",
      getJson<PreflightAnswer>("character/preflight", { id, ...(clips ? { clips: true } : {}) }),
    );
    this.preflightRuns = false;
    if (answer !== null && answer.id === this.detail?.id) this.preflight = answer;
    this.scene.showCover(this.showsCover ? (this.preflight?.cover?.bodies ?? null) : null);
    this.refreshLeft();
    // It has how well the skin is filled.
    this.refreshRight();
  }

  edit(edit: Edit): void {
    const body = "body" in edit ? edit.body : this.bodyOf(edit);
    const hasOther = this.detail?.mirrored[this.detail.character.body.findIndex((b) => b.name === body)] != null;
    this.change(this.mirror && hasOther ? { ...edit, mirror: true } : edit);
  }

  private change(change: Change): void {
    this.send("Saving the edit…", () =>
      postJson<CharacterDetail>("character/edit", { id: this.detail?.id, revision: this.detail?.revision, change }),
    );
  }

  /** Makes it again, with its edits, at another size or with another axis up. */
  private resize(size: Resize): void {
    this.send("Making it again at that size…", () =>
      postJson<CharacterDetail>("character/remake", { id: this.detail?.id, revision: this.detail?.revision, ...size }),
    );
  }

  private refit(body: string, kind: ShapeKind | null, shape?: number): void {
    const hasOther = this.detail?.mirrored[this.detail.character.body.findIndex((b) => b.name === body)] != null;
    this.send("Fitting shapes…", () =>
      postJson<CharacterDetail>("character/refit", {
        id: this.detail?.id,
        revision: this.detail?.revision,
        body,
        ...(kind === null ? {} : { kind }),
        ...(shape === undefined ? {} : { shape }),
        mirror: this.mirror && hasOther,
      }),
    );
  }

  private bodyOf(edit: Edit): string | undefined {
    if ("joint" in edit) return this.detail?.character.joint.find((j) => j.name === edit.joint)?.child;
    return "name" in edit ? this.detail?.character.end_effector?.find((e) => e.name === edit.name)?.body : undefined;
  }

  private history(what: "undo" | "redo"): void {
    if (this.detail === null || !(what === "undo" ? this.detail.can_undo : this.detail.can_redo)) return;
    this.send(what === "undo" ? "Undoing…" : "Redoing…", () => postJson<CharacterDetail>(`character/${what}`, { id: this.detail?.id }));
  }

  /** One after the other, so that each is made on the revision before it. */
  private send(text: string, request: () => Promise<CharacterDetail>): void {
    this.sends += 1;
    this.queue = this.queue
      .then(async () => {
        if (this.detail === null) return;
        const id = this.detail.id;
        const answer = await this.studio.status.during(text, async () => {
          try {
            return await request();
          } catch (error) {
            if (error instanceof Refusal && error.status === 409) this.studio.cache.forgetCharacter(id);
            throw error;
          }
        });
        if (answer !== null) {
          this.studio.cache.put(answer);
          await this.take(answer);
        } else await this.load(id);
      })
      .catch((error) => this.studio.status.error(error))
      .finally(() => (this.sends -= 1));
  }

  private select(selection: Selection | null): void {
    this.selection = selection;
    this.scene.mode = this.modes[this.part()];
    this.scene.select(selection);
    this.refreshTools();
    this.refreshLeft();
    this.refreshRight();
  }

  private async drop(): Promise<void> {
    if (this.detail === null) return;
    const id = this.detail.id;
    this.dropping = true;
    this.dropState = "It starts…";
    this.scene.hide();
    this.live.show();
    this.refresh();
    const started = await this.studio.status.during("Dropping it…", () =>
      this.live.start({ what: "drop", character: id, height_m: DROP_SHARE * this.heightM() }).then(() => true),
    );
    if (started === null) this.stopDrop();
  }

  /** Of its rest pose; without a rig, as far as its bodies' centres are apart. */
  private heightM(): number {
    const { detail } = this;
    const heights = detail?.rest.map((r) => r.center_of_mass[2]) ?? [];
    return detail?.size.height_m ?? Math.max(...heights, 0.1) - Math.min(...heights, 0);
  }

  private stopDrop(): void {
    if (!this.dropping) return;
    this.dropping = false;
    this.live.leave(true);
    this.live.hide();
    if (this.shown) this.scene.show();
    this.refresh();
  }

  private dropped(frame: Frame): void {
    const state =
      (frame.flags & DIVERGED) !== 0
        ? "Its numbers left all reason: look for a body that is far too light."
        : (frame.flags & FALLEN) !== 0
          ? "It does not stand: the pre-flight says why."
          : frame.timeSecs < JUDGED_AFTER_SECS
            ? `It is on its feet, ${frame.timeSecs.toFixed(1)} s of ${JUDGED_AFTER_SECS} s.`
            : "It stands.";
    if (state === this.dropState) return;
    this.dropState = state;
    const output = this.tools.querySelector("output");
    if (output) output.textContent = state;
  }

  private refresh(): void {
    const { characters } = this.studio.store;
    this.message.hidden = characters.length > 0 || this.detail !== null;
    this.bar.element.hidden = this.dropping;
    this.dropBar.element.hidden = !this.dropping;
    this.studio.keyboard.activate(this.shown ? ["Everywhere", this.dropping ? "Drop" : "Modeler"] : ["Everywhere"]);
    this.refreshTools();
    this.refreshLeft();
    this.refreshRight();
  }

  private refreshTools(): void {
    const { detail } = this;
    if (detail === null) {
      fill(this.tools);
    } else if (this.dropping) {
      fill(
        this.tools,
        button("Back to editing", () => this.stopDrop(), { title: "Esc" }),
        button("Drop again", () => void this.live.act({ action: "reset" }).catch((e) => this.studio.status.error(e)), { icon: "reset" }),
        h("output", { class: "drop-state", textContent: this.dropState }),
      );
    } else {
      fill(
        this.tools,
        segments<GizmoMode>(MODES, this.modes[this.part()], (m) => this.setMode(m)),
        h(
          "button",
          {
            class: "plain toggle boxed",
            title: "The other side changes alike (X)",
            aria: { pressed: String(this.mirror), label: "Mirror" },
            data: { key: "mirror" },
            onclick: () => this.setMirror(!this.mirror),
          },
          icon("mirror"),
        ),
        h(
          "div",
          { class: "segments" },
          h(
            "button",
            {
              class: "plain",
              title: "Undo (Ctrl Z)",
              disabled: !detail.can_undo,
              data: { key: "undo" },
              aria: { label: "Undo" },
              onclick: () => this.history("undo"),
            },
            icon("undo"),
          ),
          h(
            "button",
            {
              class: "plain",
              title: "Redo (Ctrl Shift Z)",
              disabled: !detail.can_redo,
              data: { key: "redo" },
              aria: { label: "Redo" },
              onclick: () => this.history("redo"),
            },
            icon("redo"),
          ),
        ),
        h(
          "button",
          {
            class: "plain toggle boxed",
            title: "How well bodies fill the skin, in colour: blue fills it, red misses it (V)",
            aria: { pressed: String(this.showsCover), label: "Cover in colour" },
            data: { key: "cover-colors" },
            onclick: () => this.setCover(!this.showsCover),
          },
          icon("heat"),
        ),
        button("Drop it", () => void this.drop(), { icon: "drop", primary: true, key: "drop", title: "See it simulated at once (D)" }),
      );
    }
  }

  private refreshLeft(): void {
    const { detail } = this;
    const { characters } = this.studio.store;
    const chooser =
      characters.length > 0
        ? select(
            characters.map((c) => ({ value: c.id, label: c.name })),
            detail?.id ?? null,
            (id) => void this.load(id),
            "character",
          )
        : null;
    if (detail === null) {
      fill(this.plan.left, section("Character", chooser ?? empty("None yet.")));
      return;
    }
    fill(
      this.plan.left,
      section(
        "Character",
        chooser,
        h("p", {
          class: "quiet",
          textContent: `${detail.character.body.length} bodies, ${detail.dof} degrees of freedom, ${detail.mass_kg.toFixed(1)} kg. Every edit is saved.`,
        }),
      ),
      preflightSection(
        this.preflight,
        this.preflightRuns,
        (p) => this.selectCulprit(p),
        () => void this.runPreflight(true),
        (mend) => this.change(mend.change),
      ),
      section(
        "Bodies",
        bodyTree(detail, this.selection?.body ?? null, this.preflight, (body) => this.select({ body, part: this.part(), effector: null })),
      ),
    );
  }

  private selectCulprit({ bodies: [body], joints: [joint] }: Problem): void {
    const child = joint === undefined ? undefined : this.detail?.character.joint.find((j) => j.name === joint)?.child;
    if (child !== undefined) this.select({ body: child, part: "joint", effector: null });
    else if (body !== undefined) this.select({ body, part: "body", effector: null });
  }

  private refreshRight(): void {
    const { detail, selection } = this;
    if (detail === null) {
      fill(this.plan.right, section("Body", empty("Nothing to edit yet.")));
    } else if (selection === null) {
      fill(
        this.plan.right,
        h(
          "header",
          { class: "subject" },
          h("h1", { textContent: detail.character.name }),
          h("p", { textContent: "Click a body to edit it; with Shift, its joint." }),
        ),
        h(
          "div",
          { class: "actions wrap" },
          button("See its clips", () => this.studio.go("stage", { character: detail.id }), { icon: "stage" }),
          button("Make it physical", () => this.studio.go("transfer", { character: detail.id }), { icon: "transfer" }),
          h("a", { class: "button", href: address("character/file", { id: detail.id }), download: "" }, icon("download"), "Download TOML"),
        ),
        sizeSection(
          detail,
          (size) => this.resize(size),
          (mass) => this.change({ edit: "set_total_mass", mass }),
        ),
        detail.notes.length > 0 ? section("What was guessed", sentences(folded(detail.notes))) : null,
      );
    } else {
      drawInspector(this.plan.right, {
        detail,
        selection,
        withJoint: this.scene.withJoint,
        cover: this.preflight?.cover?.bodies.find((b) => b.body === selection.body) ?? null,
        edit: (e) => this.edit(e),
        refit: (body, kind, shape) => this.refit(body, kind, shape),
        select: (s) => this.select(s),
        setWithJoint: (on) => (this.scene.withJoint = on),
      });
    }
  }

  private part(): Part {
    return this.selection?.part ?? "body";
  }

  /** Shows handles; the same choice again puts them away. */
  private setMode(mode: GizmoMode): void {
    const part = this.part();
    this.modes[part] = this.modes[part] === mode ? null : mode;
    this.scene.setMode(this.modes[part]);
    this.refreshTools();
  }

  private showsCover = false;

  private setCover(shows: boolean): void {
    this.showsCover = shows;
    this.scene.showCover(shows ? (this.preflight?.cover?.bodies ?? null) : null);
    this.refreshTools();
  }

  private setMirror(mirror: boolean): void {
    this.mirror = mirror;
    this.refreshTools();
  }

  private registerKeys(): void {
    const step = (by: number): void => {
      if (this.detail === null) return;
      const order = inTreeOrder(this.detail).map((b) => b.name);
      const index = order.indexOf(this.selection?.body ?? "");
      const body = order[Math.min(Math.max(index + by, 0), order.length - 1)];
      if (body !== undefined) this.select({ body, part: this.selection?.part ?? "body", effector: null });
    };
    const part = (p: Selection["part"]): void => {
      if (this.selection !== null) this.select({ ...this.selection, part: p, effector: null });
    };
    this.studio.keyboard.register("Modeler", [
      { keys: ["w"], what: "Move", run: () => this.setMode("translate") },
      { keys: ["e"], what: "Turn", run: () => this.setMode("rotate") },
      { keys: ["r"], what: "Size", run: () => this.setMode("scale") },
      { keys: ["v"], what: "Cover of the skin in colour, or not", run: () => this.setCover(!this.showsCover) },
      { keys: ["x"], what: "Mirror edits, or not", run: () => this.setMirror(!this.mirror) },
      { keys: ["arrowdown"], what: "Next body", run: () => step(1) },
      { keys: ["arrowup"], what: "Body before", run: () => step(-1) },
      { keys: ["q"], what: "Edit the body", run: () => part("body") },
      { keys: ["a"], what: "Edit its joint", run: () => part("joint") },
      { keys: ["s"], what: "Edit its end effectors", run: () => part("effectors") },
      {
        keys: ["delete", "backspace"],
        what: "Delete the body",
        run: () => this.selection && this.edit({ edit: "delete_body", body: this.selection.body }),
      },
      {
        keys: ["m"],
        what: "Merge the body into its parent",
        run: () => this.selection && this.edit({ edit: "merge_body", body: this.selection.body }),
      },
      { keys: ["ctrl+z"], what: "Undo", run: () => this.history("undo") },
      { keys: ["ctrl+shift+z", "ctrl+y"], what: "Redo", run: () => this.history("redo") },
      { keys: ["d"], what: "Drop it", run: () => void this.drop() },
      { keys: ["p"], what: "Pre-flight with its clips", run: () => void this.runPreflight(true) },
      { keys: ["escape"], what: "Choose nothing", run: () => this.select(null) },
      ...this.bar.shortcuts().filter((s) => s.keys[0] !== "t"),
    ]);
    this.studio.keyboard.register("Drop", [
      { keys: ["escape"], what: "Back to editing", run: () => this.stopDrop() },
      { keys: ["d"], what: "Drop again", run: () => void this.live.act({ action: "reset" }).catch((e) => this.studio.status.error(e)) },
      ...this.dropBar.shortcuts(),
    ]);
  }
}

/** Many joints that no clip moves become one sentence. */
function folded(notes: string[]): string[] {
  const still = notes.flatMap((n) => n.match(/^Joint ("[^"]*") does not move in any clip\.$/)?.[1] ?? []);
  if (still.length < 3) return notes;
  const isStill = (n: string): boolean => /^Joint "[^"]*" does not move in any clip\.$/.test(n);
  return [...notes.filter((n) => !isStill(n)), `${still.length} joints move in no clip: ${still.join(", ")}.`];
}
