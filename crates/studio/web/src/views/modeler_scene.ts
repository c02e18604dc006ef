// The picture of the modeler: the character at rest, what is chosen, its handles.

import { Color, Group, Mesh, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3 } from "three";
import type { Studio } from "../app/view";
import type { OverlayBar } from "../parts/overlay_bar";
import type { BodyCover, CharacterDetail, Edit, RestPose, Skin } from "../protocol/types";
import { Actor, parentsOf } from "../scene/actor";
import { Gizmo, type GizmoChange, type GizmoMode } from "../scene/gizmo";
import { JointMarks } from "../scene/joint_marks";
import type { Model } from "../scene/model";
import { restFrame, sceneOf } from "../scene/rest";
import { colors, heat, onThemeChange } from "../scene/theme";
import type { Selection } from "./modeler_inspector";

const CLICK_PIXELS = 4;

export class ModelerScene {
  readonly group = new Group();
  onSelect: (body: string | null, isJoint: boolean) => void = () => {};
  onEdit: (edit: Edit) => void = () => {};
  mode: GizmoMode | null = "translate";
  withJoint = false;
  private detail: CharacterDetail | null = null;
  private selection: Selection | null = null;
  private actor: Actor | null = null;
  private hovered: number | null = null;
  private framedId = "";
  private shown = false;
  private readonly marks = new JointMarks();
  private readonly gizmo: Gizmo;
  private readonly effectors = new Group();
  private pressedAt: [number, number] | null = null;
  private draggedLimit: 0 | 1 | null = null;
  private limitsNow: [number, number] | null = null;

  constructor(
    private readonly studio: Studio,
    private readonly bar: OverlayBar,
  ) {
    this.gizmo = new Gizmo(studio.viewport);
    this.gizmo.onPreview = (change) => this.preview(change);
    this.gizmo.onCommit = (change, mode) => this.commit(change, mode);
    this.group.add(this.marks.group, this.effectors);
    onThemeChange(() => {
      this.paint();
      this.drawEffectors();
    });
    const { canvas } = studio.viewport;
    canvas.addEventListener("pointerdown", (e) => this.shown && this.down(e), { capture: true });
    canvas.addEventListener("pointermove", (e) => this.shown && this.moved(e));
    window.addEventListener("pointerup", (e) => this.shown && this.up(e));
  }

  show(): void {
    this.shown = true;
    const { viewport } = this.studio;
    viewport.world.add(this.group);
    viewport.onTick = null;
    viewport.follow(null);
    this.bar.onChange = () => {
      this.actor?.show(this.bar.overlays);
      viewport.invalidate();
    };
    this.bar.onFrame = () => this.frame();
    this.frameOnce();
    this.placeHandles();
    viewport.invalidate();
  }

  hide(): void {
    this.shown = false;
    this.framedId = "";
    this.gizmo.detach();
    this.group.removeFromParent();
    this.studio.viewport.controls.enabled = true;
  }

  set(detail: CharacterDetail, model: Model | null, skin: Skin | null): void {
    this.detail = detail;
    this.actor?.dispose();
    const { bodies, joints } = sceneOf(detail);
    this.actor = new Actor({ bodies, joints, parents: parentsOf(bodies, joints, detail), model, skin });
    this.group.add(this.actor.group);
    this.actor.setFrame(restFrame(detail));
    this.actor.show(this.bar.overlays);
    this.hovered = null;
    this.select(this.selection);
    this.frameOnce();
    this.studio.viewport.invalidate();
  }

  select(selection: Selection | null): void {
    this.selection = selection;
    this.paint();
    this.placeHandles();
  }

  setMode(mode: GizmoMode | null): void {
    this.mode = mode;
    this.placeHandles();
  }

  /** Looks at a character that has not been looked at; the camera is another view's while this one is hidden. */
  private frameOnce(): void {
    if (!this.shown || this.detail === null || this.framedId === this.detail.id) return;
    this.framedId = this.detail.id;
    this.frame();
  }

  frame(): void {
    if (this.actor === null) return;
    this.studio.viewport.frame(this.actor.box());
    this.studio.viewport.lightOn(this.actor.middle());
  }

  private chosen(): { index: number; rest: RestPose } | null {
    const index = this.detail?.character.body.findIndex((b) => b.name === this.selection?.body) ?? -1;
    const rest = this.detail?.rest[index];
    return rest === undefined ? null : { index, rest };
  }

  private cover: BodyCover[] | null = null;

  /** Paints every body by how well it fills its skin; `null`: as usual. */
  showCover(bodies: BodyCover[] | null): void {
    this.cover = bodies;
    this.paint();
  }

  private paint(): void {
    const c = colors();
    const fit = new Map((this.cover ?? []).map((b) => [b.body, coverColor(b)]));
    const chosen = this.chosen()?.index ?? -1;
    const other = this.detail?.mirrored[chosen] ?? null;
    const bodies = this.detail?.character.body ?? [];
    this.actor?.bodyMesh?.paint((i) =>
      i === chosen
        ? c.bodySelected
        : (fit.get(bodies[i]?.name ?? "") ?? (i === this.hovered || bodies[i]?.name === other ? c.bodyHovered : c.body)),
    );
    this.studio.viewport.invalidate();
  }

  private placeHandles(): void {
    const { detail, selection } = this;
    const chosen = this.chosen();
    this.gizmo.detach();
    this.marks.clear();
    this.drawEffectors();
    if (!this.shown || detail === null || selection === null || chosen === null) return;
    const { rest, index } = chosen;
    const turn = quaternion(rest);
    const joint = detail.character.joint.find((j) => j.child === selection.body);
    const { mode } = this;
    if (selection.part === "joint" && joint !== undefined) this.marks.set(joint, detail.character.body[index], rest);
    if (mode === null) return;
    if (selection.part === "body") {
      this.gizmo.attach(new Vector3(...rest.center_of_mass), turn, mode);
    } else if (selection.part === "joint" && joint !== undefined) {
      const turns = joint.type === "hinge" && mode !== "translate";
      if (joint.parent !== undefined) this.gizmo.attach(new Vector3(...rest.position), turn, turns ? "rotate" : "translate");
    } else if (selection.part === "effectors" && selection.effector !== null) {
      const effector = detail.character.end_effector?.find((e) => e.name === selection.effector);
      if (effector)
        this.gizmo.attach(new Vector3(...effector.position).applyQuaternion(turn).add(new Vector3(...rest.position)), turn, "translate");
    }
    this.studio.viewport.invalidate();
  }

  private drawEffectors(): void {
    this.effectors.clear();
    const { detail } = this;
    if (detail === null) return;
    for (const e of detail.character.end_effector ?? []) {
      const rest = detail.rest[detail.character.body.findIndex((b) => b.name === e.body)];
      if (rest === undefined) continue;
      const isChosen = e.name === this.selection?.effector;
      const material = new MeshBasicMaterial({
        color: isChosen ? colors().bodySelected : colors().balance,
        depthTest: false,
        transparent: true,
        opacity: isChosen ? 1 : 0.75,
      });
      const mesh = new Mesh(new SphereGeometry(isChosen ? 0.014 : 0.009, 12, 8), material);
      mesh.position.copy(new Vector3(...e.position).applyQuaternion(quaternion(rest)).add(new Vector3(...rest.position)));
      mesh.renderOrder = 15;
      this.effectors.add(mesh);
    }
  }

  /** Shows a change on the one body before it is made. */
  private preview(change: GizmoChange): void {
    const chosen = this.chosen();
    if (chosen === null || this.selection === null || this.actor === null) return;
    const { rest, index } = chosen;
    const joint = this.detail?.character.joint.find((j) => j.child === this.selection?.body);
    if (this.selection.part === "joint" && this.gizmo.mode === "rotate" && joint?.axis) {
      this.marks.preview(new Vector3(...joint.axis).applyQuaternion(change.turn), null);
      return;
    }
    const bone = this.actor.bodyMesh?.bones[index];
    if (bone === undefined || this.selection.part === "effectors") return;
    const turn = quaternion(rest);
    const center = new Vector3(...rest.center_of_mass);
    const arm = new Vector3(...rest.position).sub(center).applyQuaternion(turn.clone().invert());
    bone.quaternion.copy(turn).multiply(change.turn);
    bone.scale.setScalar(change.scale);
    bone.position
      .copy(arm.multiplyScalar(change.scale).applyQuaternion(bone.quaternion))
      .add(center)
      .add(change.by.clone().applyQuaternion(turn));
    this.studio.viewport.invalidate();
  }

  private commit(change: GizmoChange, mode: GizmoMode): void {
    const { selection, detail } = this;
    if (selection === null || detail === null) return;
    const by: [number, number, number] = [round(change.by.x), round(change.by.y), round(change.by.z)];
    const { w, x, y, z } = change.turn;
    if (selection.part === "effectors") {
      const effector = detail.character.end_effector?.find((e) => e.name === selection.effector);
      if (effector)
        this.onEdit({
          edit: "move_effector",
          name: effector.name,
          position: [round(effector.position[0] + by[0]), round(effector.position[1] + by[1]), round(effector.position[2] + by[2])],
        });
    } else if (selection.part === "joint") {
      const joint = detail.character.joint.find((j) => j.child === selection.body);
      if (mode === "rotate" && joint?.axis) {
        const axis = new Vector3(...joint.axis).applyQuaternion(change.turn);
        this.onEdit({ edit: "set_axis", joint: joint.name, axis: [round(axis.x), round(axis.y), round(axis.z)] });
      } else if (mode === "translate") this.onEdit({ edit: "move_body", body: selection.body, by, with_joint: true });
    } else if (mode === "translate") this.onEdit({ edit: "move_body", body: selection.body, by, with_joint: this.withJoint });
    else if (mode === "rotate") this.onEdit({ edit: "orient_body", body: selection.body, turn: [w, x, y, z] });
    else this.onEdit({ edit: "size_body", body: selection.body, size: { scale: round(change.scale) } });
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.pressedAt = [event.clientX, event.clientY];
    const handles = this.marks.group.visible ? this.marks.handles.filter((h) => h.visible) : [];
    const hit = handles.length > 0 ? this.studio.viewport.pick(event, handles)[0] : undefined;
    const joint = this.detail?.character.joint.find((j) => j.child === this.selection?.body);
    if (hit === undefined || joint?.limits === undefined) return;
    this.draggedLimit = hit.object === this.marks.handles[0] ? 0 : 1;
    this.limitsNow = [...joint.limits];
    this.studio.viewport.controls.enabled = false;
  }

  private moved(event: PointerEvent): void {
    if (this.draggedLimit !== null && this.limitsNow !== null) {
      const angle = this.marks.angleAt(this.studio.viewport.ray(event));
      if (angle !== null) {
        this.limitsNow[this.draggedLimit] =
          this.draggedLimit === 0 ? Math.min(angle, this.limitsNow[1] - 0.02) : Math.max(angle, this.limitsNow[0] + 0.02);
        this.marks.preview(null, this.limitsNow);
        this.studio.viewport.invalidate();
      }
      return;
    }
    if (this.pressedAt !== null || this.gizmo.dragging) return;
    const body = this.bodyUnder(event);
    if (body !== this.hovered) {
      this.hovered = body;
      this.studio.viewport.canvas.style.cursor = body === null ? "" : "pointer";
      this.paint();
    }
  }

  private up(event: PointerEvent): void {
    const pressed = this.pressedAt;
    this.pressedAt = null;
    if (this.draggedLimit !== null) {
      const joint = this.detail?.character.joint.find((j) => j.child === this.selection?.body);
      this.draggedLimit = null;
      this.studio.viewport.controls.enabled = true;
      if (joint && this.limitsNow)
        this.onEdit({ edit: "set_limits", joint: joint.name, limits: [round(this.limitsNow[0]), round(this.limitsNow[1])] });
      return;
    }
    if (pressed === null || event.target !== this.studio.viewport.canvas || this.gizmo.dragging) return;
    if (Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > CLICK_PIXELS) return;
    const body = this.bodyUnder(event);
    this.onSelect(body === null ? null : (this.detail?.character.body[body]?.name ?? null), event.shiftKey);
  }

  private bodyUnder(event: PointerEvent): number | null {
    const mesh = this.actor?.bodyMesh;
    if (!mesh || !mesh.group.visible) return null;
    mesh.refreshBounds();
    return this.actor?.bodyAt(this.studio.viewport.pick(event, [mesh.mesh])) ?? null;
  }
}

function quaternion(rest: RestPose): Quaternion {
  const [w, x, y, z] = rest.orientation;
  return new Quaternion(x, y, z, w);
}

function round(x: number): number {
  return Math.round(x * 1e6) / 1e6;
}

/** Blue where a body covers its skin and lies in it, red where it does neither. */
function coverColor({ covered, outside }: BodyCover): number {
  const good = Math.min(Math.max(((covered ?? 1 - outside) - outside + 0.1) / 0.8, 0), 1);
  return heat(1 - good, new Color()).getHex();
}
