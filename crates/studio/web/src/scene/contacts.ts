// Contact points as discs, their forces as arrows: two draw calls.

import { ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3, type BufferGeometry } from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Frame } from "../protocol/frame";
import { colors } from "./theme";

const MOST = 256;
const LONGEST_M = 1.2;

export class ContactOverlay {
  readonly group = new Group();
  private readonly points: InstancedMesh;
  private readonly arrows: InstancedMesh;

  /** A force as large as the weight is drawn as 0.6 m. */
  constructor(private readonly weightN: number) {
    const c = colors();
    this.points = new InstancedMesh(new SphereGeometry(1, 12, 8), new MeshBasicMaterial({ color: c.contact, depthTest: false, transparent: true }), MOST);
    this.arrows = new InstancedMesh(arrowGeometry(), new MeshBasicMaterial({ color: c.force, depthTest: false, transparent: true, opacity: 0.9 }), MOST);
    for (const mesh of [this.points, this.arrows]) {
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
      const length = Math.min((0.6 * size) / this.weightN, LONGEST_M);
      this.arrows.setMatrixAt(i, MATRIX.compose(A, TURN, SCALE.set(1, Math.max(length, 0.001), 1)));
    }
    this.points.count = n;
    this.arrows.count = n;
    this.points.instanceMatrix.needsUpdate = true;
    this.arrows.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    for (const mesh of [this.points, this.arrows]) {
      mesh.geometry.dispose();
      (mesh.material as MeshBasicMaterial).dispose();
      mesh.dispose();
    }
  }
}

function arrowGeometry(): BufferGeometry {
  const shaft = new CylinderGeometry(0.007, 0.007, 0.84, 8).translate(0, 0.42, 0);
  const head = new ConeGeometry(0.022, 0.16, 10).translate(0, 0.92, 0);
  return mergeGeometries([shaft, head]);
}

const UP = new Vector3(0, 1, 0);
const A = new Vector3();
const B = new Vector3();
const SCALE = new Vector3();
const TURN = new Quaternion();
const MATRIX = new Matrix4();
