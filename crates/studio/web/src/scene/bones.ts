// The skeleton as an overlay: an octahedron for each bone, a ball for each joint, which takes the colour of its torque.

import {
  Color,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  MeshLambertMaterial,
  OctahedronGeometry,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import type { SceneBody, SceneJoint } from "../protocol/types";
import { shapesCenter, shapesReachAlong } from "./shapes";
import { colors, heat, themed } from "./theme";

interface Bone {
  from: number;
  to: number;
  tip: Vector3 | null;
}

export class BoneOverlay {
  readonly group = new Group();
  showHeat = false;
  private readonly bones: Bone[] = [];
  private readonly octahedra: InstancedMesh;
  private readonly balls: InstancedMesh;
  private readonly radius: number;

  /** `parents` has the parent of each body, or `null`. */
  constructor(
    bodies: SceneBody[],
    private readonly joints: SceneJoint[],
    parents: (number | null)[],
    sizeM: number,
  ) {
    const hasChild = new Set(parents);
    parents.forEach((parent, to) => parent !== null && this.bones.push({ from: parent, to, tip: null }));
    bodies.forEach((b, i) => {
      if (!b.is_character || hasChild.has(i) || b.shapes.length === 0) return;
      const center = shapesCenter(b.shapes);
      if (center.lengthSq() < 1e-8) return;
      center.normalize();
      this.bones.push({ from: i, to: i, tip: center.multiplyScalar(0.85 * shapesReachAlong(b.shapes, center)) });
    });
    this.radius = Math.min(Math.max(0.011 * sizeM, 0.004), 0.05);
    this.marked = bodies.flatMap((b, i) => (b.is_character ? [i] : []));
    // Thickest near its joint, as artists know bones.
    const geometry = new OctahedronGeometry(1, 0);
    geometry.scale(0.075, 0.5, 0.075).translate(0, 0.5, 0);
    const place = geometry.getAttribute("position");
    for (let i = 0; i < place.count; i++) if (Math.abs(place.getY(i) - 0.5) < 1e-6) place.setY(i, 0.18);
    geometry.computeVertexNormals();
    this.octahedra = new InstancedMesh(
      geometry,
      themed(new MeshLambertMaterial({ flatShading: true, depthTest: false, transparent: true, opacity: 0.92 }), "bone"),
      Math.max(this.bones.length, 1),
    );
    this.balls = new InstancedMesh(
      new SphereGeometry(1, 14, 10),
      new MeshBasicMaterial({ depthTest: false, transparent: true }),
      Math.max(this.marked.length, 1),
    );
    this.octahedra.count = this.bones.length;
    this.balls.count = this.marked.length;
    for (const mesh of [this.octahedra, this.balls]) {
      mesh.frustumCulled = false;
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      this.group.add(mesh);
    }
    this.octahedra.renderOrder = 10;
    this.balls.renderOrder = 11;
    for (let i = 0; i < this.marked.length; i++) this.balls.setColorAt(i, new Color(colors().bone));
  }

  private readonly marked: number[];

  setShown(skeleton: boolean, withHeat: boolean): void {
    this.showHeat = withHeat;
    this.group.visible = skeleton || withHeat;
    this.octahedra.visible = skeleton;
  }

  pose(poses: Float32Array, torques: Float32Array): void {
    if (!this.group.visible) return;
    if (this.octahedra.visible) this.placeBones(poses);
    this.placeBalls(poses, torques);
  }

  dispose(): void {
    for (const mesh of [this.octahedra, this.balls]) {
      mesh.geometry.dispose();
      (mesh.material as MeshBasicMaterial).dispose();
      mesh.dispose();
    }
  }

  private placeBones(poses: Float32Array): void {
    this.bones.forEach(({ from, to, tip }, i) => {
      A.fromArray(poses, 7 * from);
      if (tip === null) B.fromArray(poses, 7 * to);
      else
        B.copy(tip)
          .applyQuaternion(TURN.fromArray(poses, 7 * from + 3))
          .add(A);
      const length = B.sub(A).length();
      TURN.setFromUnitVectors(UP, length > 1e-9 ? B.divideScalar(length) : B.copy(UP));
      this.octahedra.setMatrixAt(i, MATRIX.compose(A, TURN, B.setScalar(length)));
    });
    this.octahedra.instanceMatrix.needsUpdate = true;
  }

  private placeBalls(poses: Float32Array, torques: Float32Array): void {
    const loads = new Map<number, number>();
    if (this.showHeat) this.joints.forEach((j, k) => loads.set(j.body, (torques[k] ?? 0) / Math.max(j.torque_limit ?? 200, 1e-6)));
    const plain = new Color(colors().bone);
    this.marked.forEach((body, i) => {
      A.fromArray(poses, 7 * body);
      const load = loads.get(body);
      const radius = this.radius * (load === undefined ? 1 : 1.3 + 1.6 * Math.min(load, 1));
      this.balls.setMatrixAt(i, MATRIX.compose(A, TURN.identity(), B.setScalar(radius)));
      this.balls.setColorAt(i, load === undefined ? plain : heat(load, COLOR));
    });
    this.balls.instanceMatrix.needsUpdate = true;
    if (this.balls.instanceColor) this.balls.instanceColor.needsUpdate = true;
  }
}

const UP = new Vector3(0, 1, 0);
const A = new Vector3();
const B = new Vector3();
const TURN = new Quaternion();
const MATRIX = new Matrix4();
const COLOR = new Color();
