// Help from outside as an arrow at the centre of mass, as long as contact forces of the same size; torque as a ring about its axis.

import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, TorusGeometry, Vector3 } from "three";
import type { Frame } from "../protocol/frame";
import { themed } from "./theme";

const LONGEST_M = 1.2;
const HEAD_M = 0.09;
const SMALLEST_RING_M = 0.06;
const LARGEST_RING_M = 0.32;

export class HelpOverlay {
  readonly group = new Group();
  private readonly material = themed(new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 }), "help");
  private readonly shaft = new Mesh(new CylinderGeometry(0.009, 0.009, 1, 10).translate(0, 0.5, 0), this.material);
  private readonly head = new Mesh(new ConeGeometry(0.026, HEAD_M, 16).translate(0, HEAD_M / 2, 0), this.material);
  private readonly ring = new Mesh(new TorusGeometry(1, 0.03, 8, 48).rotateX(Math.PI / 2), this.material);

  /** A force as large as the weight is drawn a metre long. */
  constructor(private readonly weightN: number) {
    for (const mesh of [this.shaft, this.head, this.ring]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 13;
      this.group.add(mesh);
    }
  }

  /** Shows the help of a moment, where there is any. */
  pose(frame: Frame, isShown: boolean): void {
    const { help } = frame;
    this.group.visible = isShown && help !== null;
    if (!this.group.visible || help === null) return;
    this.group.position.set(...frame.centerOfMass);
    const force = WAY.fromArray(help, 0).length() / this.weightN;
    this.shaft.visible = this.head.visible = force > 1e-3;
    if (this.head.visible) {
      WAY.normalize();
      const shaft = Math.max(Math.min(force, LONGEST_M) - 0.5 * HEAD_M, 1e-4);
      for (const mesh of [this.shaft, this.head]) mesh.quaternion.setFromUnitVectors(UP, WAY);
      this.shaft.scale.set(1, shaft, 1);
      this.head.position.copy(WAY).multiplyScalar(shaft);
    }
    const torque = WAY.fromArray(help, 3).length() / this.weightN;
    this.ring.visible = torque > 1e-3;
    if (this.ring.visible) {
      this.ring.quaternion.setFromUnitVectors(UP, WAY.normalize());
      this.ring.scale.setScalar(Math.min(Math.max(torque, SMALLEST_RING_M), LARGEST_RING_M));
    }
  }

  dispose(): void {
    for (const mesh of [this.shaft, this.head, this.ring]) mesh.geometry.dispose();
    this.material.dispose();
  }
}

const UP = new Vector3(0, 1, 0);
const WAY = new Vector3();
