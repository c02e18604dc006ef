// Handles to move, turn or size something with the mouse. The change is given in the frame of the thing itself.

import { Object3D, Quaternion, Vector3 } from "three";
import { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import type { Viewport } from "./viewport";

export type GizmoMode = "translate" | "rotate" | "scale";

export interface GizmoChange {
  by: Vector3;
  turn: Quaternion;
  scale: number;
}

export class Gizmo {
  dragging = false;
  onPreview: (change: GizmoChange) => void = () => {};
  onCommit: (change: GizmoChange, mode: GizmoMode) => void = () => {};
  private readonly proxy = new Object3D();
  private readonly controls: TransformControls;
  private readonly start = { position: new Vector3(), turn: new Quaternion() };

  constructor(private readonly viewport: Viewport) {
    this.controls = new TransformControls(viewport.camera, viewport.canvas);
    this.controls.setSpace("local");
    this.controls.setSize(0.7);
    this.controls.addEventListener("change", () => viewport.invalidate());
    this.controls.addEventListener("objectChange", () => this.onPreview(this.change()));
    this.controls.addEventListener("dragging-changed", (event) => {
      this.dragging = event.value === true;
      viewport.controls.enabled = !this.dragging;
      if (!this.dragging && this.moved()) this.onCommit(this.change(), this.mode);
    });
  }

  get mode(): GizmoMode {
    return this.controls.mode as GizmoMode;
  }

  /** Shows the handles at a place of the server's world, along the axes of the thing. */
  attach(position: Vector3, orientation: Quaternion, mode: GizmoMode): void {
    this.viewport.world.add(this.proxy);
    this.viewport.scene.add(this.controls.getHelper());
    this.proxy.position.copy(position);
    this.proxy.quaternion.copy(orientation);
    this.proxy.scale.set(1, 1, 1);
    this.start.position.copy(position);
    this.start.turn.copy(orientation);
    this.proxy.updateMatrixWorld();
    this.controls.setMode(mode);
    this.controls.attach(this.proxy);
    this.controls.enabled = true;
    this.viewport.invalidate();
  }

  detach(): void {
    this.controls.detach();
    this.controls.enabled = false;
    this.controls.getHelper().removeFromParent();
    this.proxy.removeFromParent();
    this.viewport.invalidate();
  }

  private change(): GizmoChange {
    const back = this.start.turn.clone().invert();
    const by = this.proxy.position.clone().sub(this.start.position).applyQuaternion(back);
    const { x, y, z } = this.proxy.scale;
    // The size is uniform: the handle that was dragged furthest decides.
    const scale = [x, y, z].reduce((most, s) => (Math.abs(s - 1) > Math.abs(most - 1) ? s : most), 1);
    return { by, turn: back.multiply(this.proxy.quaternion), scale: Math.min(Math.max(scale, 0.1), 10) };
  }

  private moved(): boolean {
    const { by, turn, scale } = this.change();
    return by.length() > 1e-5 || Math.abs(turn.w) < 1 - 1e-8 || Math.abs(scale - 1) > 1e-4;
  }
}
