// Contact points as balls, their forces as arrows: three draw calls.

import {
  ConeGeometry,
  CylinderGeometry,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import type { Frame } from "../protocol/frame";
import { themed } from "./theme";

const MOST = 256;
const LONGEST_M = 1.2;
const HEAD_M = 0.06;

export class ContactOverlay {
  readonly group = new Group();
  private readonly points: InstancedMesh;
  private readonly shafts: InstancedMesh;
  private readonly heads: InstancedMesh;

  /** A force as large as the weight is drawn a metre long. */
  constructor(private readonly weightN: number) {
    this.points = new InstancedMesh(
      new SphereGeometry(1, 12, 8),
      themed(new MeshBasicMaterial({ depthTest: false, transparent: true }), "contact"),
      MOST,
    );
    const force = themed(new MeshBasicMaterial({ depthTest: false, transparent: true }), "force");
    this.shafts = new InstancedMesh(new CylinderGeometry(0.006, 0.006, 1, 8).translate(0, 0.5, 0), force, MOST);
    this.heads = new InstancedMesh(new ConeGeometry(0.02, HEAD_M, 12).translate(0, HEAD_M / 2, 0), force, MOST);
    for (const mesh of this.meshes()) {
      mesh.frustumCulled = false;
      mesh.count = 0;
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.renderOrder = 12;
      this.group.add(mesh);
    }
  }

  pose(frame: Frame): void {
    if (!this.group.visible) return;
    const n = Math.min(frame.contactCount, MOST);
    for (let i = 0; i < n; i++) {
      A.fromArray(frame.contactNumbers, 8 * i + 2);
      B.fromArray(frame.contactNumbers, 8 * i + 5);
      const size = B.length();
      this.points.setMatrixAt(i, MATRIX.compose(A, TURN.identity(), SCALE.setScalar(0.011)));
      TURN.setFromUnitVectors(UP, size > 1e-6 ? B.divideScalar(size) : B.copy(UP));
      const length = Math.min(size / this.weightN, LONGEST_M);
      const head = Math.min(1, length / (1.6 * HEAD_M));
      const shaft = Math.max(length - head * HEAD_M, 1e-4);
      this.shafts.setMatrixAt(i, MATRIX.compose(A, TURN, SCALE.set(1, shaft, 1)));
      this.heads.setMatrixAt(i, MATRIX.compose(A.addScaledVector(B, shaft), TURN, SCALE.setScalar(Math.max(head, 1e-4))));
    }
    for (const mesh of this.meshes()) {
      mesh.count = n;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  dispose(): void {
    for (const mesh of this.meshes()) {
      mesh.geometry.dispose();
      (mesh.material as MeshBasicMaterial).dispose();
      mesh.dispose();
    }
  }

  private meshes(): InstancedMesh[] {
    return [this.points, this.shafts, this.heads];
  }
}

const UP = new Vector3(0, 1, 0);
const A = new Vector3();
const B = new Vector3();
const SCALE = new Vector3();
const TURN = new Quaternion();
const MATRIX = new Matrix4();
