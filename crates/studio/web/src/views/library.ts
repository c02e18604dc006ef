// Library: files come in, rigs are looked at, characters are made of them.

import { firstClip } from "../app/clip_names";
import { fill, h } from "../app/dom";
import { icon } from "../app/icons";
import type { Studio, View } from "../app/view";
import { button, bytes, empty, hint, plan, row, section, sentences } from "../parts/layout";
import { OverlayBar } from "../parts/overlay_bar";
import { Player } from "../parts/player";
import { clipSelect } from "../parts/fields";
import { Timeline } from "../parts/timeline";
import { postJson, remove } from "../protocol/http";
import type { CharacterDetail, CharacterEntry, RigDetail } from "../protocol/types";
import { rigPerformance } from "./performances";

export class LibraryView implements View {
  readonly element: HTMLElement;
  private readonly plan = plan("library");
  private readonly timeline = new Timeline();
  private readonly bar = new OverlayBar("library", { skin: true }, ["skin", "skeleton"]);
  private readonly player: Player;
  private readonly message = hint("Drop a rigged character here: GLB, glTF with its buffers, FBX or BVH.");
  private rigId: string | null = null;
  private rig: RigDetail | null = null;
  private clip: string | null = null;
  private loading = 0;
  private shown = false;
  /** A rig may be shown before the list has it. */
  private wasListed = false;

  constructor(private readonly studio: Studio) {
    this.element = this.plan.element;
    this.player = new Player(studio.viewport, this.bar, this.timeline);
    this.plan.stage.append(this.bar.element, this.message);
    this.plan.below.append(this.timeline.element);
    studio.keyboard.register("Library", [
      ...this.bar.shortcuts(),
      ...this.timeline.shortcuts(),
      { keys: ["m"], what: "Make a character of this rig", run: () => void this.make() },
      { keys: ["arrowup", "arrowdown"], what: "Another rig", run: (e) => this.stepRig(e.key === "ArrowUp" ? -1 : 1) },
    ]);
    studio.store.on(["rigs", "characters", "results", "project"], () => this.shown && this.refresh());
  }

  show(parameters: URLSearchParams): void {
    this.shown = true;
    this.studio.viewport.attach(this.plan.stage);
    this.player.show();
    const wanted = parameters.get("rig");
    if (wanted !== null && (wanted !== this.rigId || parameters.has("again"))) void this.choose(wanted);
    this.refresh();
  }

  hide(): void {
    this.shown = false;
    this.player.hide();
  }

  async choose(id: string, keepCamera = false): Promise<void> {
    const turn = ++this.loading;
    const changed = id !== this.rigId;
    this.rigId = id;
    if (changed) {
      this.clip = null;
      this.wasListed = false;
    }
    this.refresh();
    const rig = await this.studio.status.during("Reading the rig…", this.studio.cache.rig(id));
    if (turn !== this.loading || rig === null) return;
    this.rig = rig;
    if (!rig.clips.some((c) => c.name === this.clip)) this.clip = firstClip(rig.clips)?.name ?? null;
    this.refresh();
    const performance = await this.studio.status.during("Loading the figure…", rigPerformance(this.studio, id, this.clip ?? undefined));
    if (turn !== this.loading || performance === null) return;
    this.timeline.secs = 0;
    this.player.set(performance, null, keepCamera);
  }

  private refresh(): void {
    const { store } = this.studio;
    const isListed = store.rigs.some((r) => r.id === this.rigId);
    if (this.rigId !== null && this.wasListed && !isListed) {
      this.rigId = null;
      this.rig = null;
      this.player.set(null, null);
    }
    this.wasListed = isListed;
    if (this.rigId === null && this.shown && store.rigs.length > 0) void this.choose(store.rigs[0].id);
    this.message.hidden = store.rigs.length > 0;
    const input = h("input", {
      type: "file",
      multiple: true,
      accept: ".glb,.gltf,.bin,.fbx,.bvh,.toml,.png,.jpg,.jpeg",
      hidden: true,
      data: { key: "files" },
    });
    input.addEventListener("change", () => void this.studio.takeFiles([...(input.files ?? [])]));
    const characterRow = (c: CharacterEntry, inside: boolean): HTMLElement => {
      const entry = row({
        key: `character:${c.id}`,
        title: c.name,
        detail: c.rig === null ? "its rig is not in this project" : "character",
        icon: "modeler",
        onClick: () => this.studio.go("modeler", { character: c.id }),
      });
      entry.classList.toggle("inside", inside);
      return entry;
    };
    // Each file with the characters that are made of it.
    const rigRows = store.rigs.flatMap((r) => [
      row({
        key: `rig:${r.id}`,
        title: r.name,
        detail: r.embedded ? "comes with sinew" : `${r.format.toUpperCase()}, ${bytes(r.bytes)}`,
        icon: "stage",
        selected: r.id === this.rigId,
        onClick: () => void this.choose(r.id),
      }),
      ...store.characters.filter((c) => c.rig === r.id).map((c) => characterRow(c, true)),
    ]);
    const homeless = store.characters.filter((c) => !store.rigs.some((r) => r.id === c.rig));
    fill(
      this.plan.left,
      h(
        "button",
        { class: "drop-here", data: { key: "open" }, onclick: () => input.click() },
        icon("plus"),
        h("span", {}, "Add files", h("small", { textContent: "or drop them anywhere on the page" })),
      ),
      input,
      section("Files and their characters", ...rigRows),
      homeless.length > 0 ? section("Characters without a file", ...homeless.map((c) => characterRow(c, false))) : null,
    );
    this.refreshRight();
  }

  private refreshRight(): void {
    const { rig } = this;
    if (rig === null || rig.id !== this.rigId) {
      fill(this.plan.right, section("Rig", empty("Choose a rig on the left.")));
      return;
    }
    const entry = this.studio.store.rigs.find((r) => r.id === rig.id);
    const made = this.studio.store.characters.filter((c) => c.rig === rig.id);
    const clips = clipSelect(rig.clips, this.clip, (name) => {
      this.clip = name;
      void this.choose(rig.id, true);
    });
    const clip = rig.clips.find((c) => c.name === this.clip);
    fill(
      this.plan.right,
      h(
        "header",
        { class: "subject" },
        h("h1", { textContent: rig.name }),
        h("p", { textContent: `${rig.joints.length} joints, ${rig.height_m.toFixed(2)} m tall${rig.has_skin ? "" : ", no skin"}` }),
      ),
      h(
        "div",
        { class: "actions wrap" },
        button(made.length > 0 ? "Make another" : "Make a character", () => void this.make(), {
          icon: "modeler",
          primary: made.length === 0,
          key: "make",
          title: "Bodies, joints and masses are guessed from the rig (M)",
        }),
        made.length > 0
          ? button(`Open ${made[0].name}`, () => this.studio.go("modeler", { character: made[0].id }), {
              primary: true,
              key: "open-character",
            })
          : null,
      ),
      rig.clips.length > 0
        ? section(
            "Clips",
            clips,
            clip
              ? h("p", {
                  class: "quiet",
                  textContent: `${clip.duration_secs.toFixed(2)} s, ${clip.frames} frames at ${clip.rate_hz.toFixed(0)} Hz${clip.is_cycle ? ", repeats" : ""}${Math.abs(clip.travel_m) > 0.05 ? `, goes ${clip.travel_m.toFixed(2)} m` : ""}`,
                })
              : null,
            ...(clip?.notes ?? []).map((n) => h("p", { class: "quiet", textContent: n })),
          )
        : section("Clips", empty("This file has no clips.")),
      section("What the import did", sentences(rig.repairs, "repairs")),
      entry !== undefined && !entry.embedded
        ? h(
            "div",
            { class: "actions end" },
            button("Remove from the project", () => void this.remove(rig), { icon: "trash", danger: true, key: "remove" }),
          )
        : null,
    );
  }

  private async make(): Promise<void> {
    if (this.rigId === null) return;
    const made = await this.studio.status.during(
      "Making a character: bodies, joints, masses…",
      postJson<CharacterDetail>("character", { rig: this.rigId }),
    );
    if (made === null) return;
    this.studio.cache.put(made);
    this.studio.go("modeler", { character: made.id });
  }

  private async remove(rig: RigDetail): Promise<void> {
    if (!window.confirm(`Remove ${rig.name} from the project? Its file is deleted; characters made of it stay.`)) return;
    await this.studio.status.during("Removing…", remove("rig", { id: rig.id }));
  }

  private stepRig(by: number): void {
    const { rigs } = this.studio.store;
    const index = rigs.findIndex((r) => r.id === this.rigId);
    const next = rigs[Math.min(Math.max(index + by, 0), rigs.length - 1)];
    if (next !== undefined && next.id !== this.rigId) void this.choose(next.id);
  }
}
