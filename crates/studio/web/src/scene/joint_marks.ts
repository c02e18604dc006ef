// A joint as artists read it: a hinge's axis with its limits as an arc whose ends can be dragged, a ball's limit as a cap.

import {
  BufferGeometry,
  CircleGeometry,
  CylinderGeometry,
  DoubleSide,
  Float32BufferAttribute,
  Group,
  Line,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import type { Body, Joint, RestPose } from "../protocol/types";
import { shapesCenter, shapesReach } from "./shapes";
import { themed } from "./theme";

const UP = new Vector3(0, 1, 0);
const FULL: [number, number] = [-Math.PI, Math.PI];

export class JointMarks {
  /** In the server's world; turned and placed like the body. */
  readonly group = new Group();
  readonly handles: [Mesh, Mesh];
  private joint: Joint | null = null;
  private axis = new Vector3(0, 1, 0);
  private zero = new Vector3(1, 0, 0);
  private side = new Vector3(0, 0, 1);
  private radius = 0.1;
  private readonly parts = new Group();
  private readonly solid = themed(new MeshBasicMaterial({ depthTest: false, transparent: true }), "axis");
  private readonly thin = themed(new LineBasicMaterial({ depthTest: false, transparent: true }), "axis");
  private readonly soft = themed(
    new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.22, side: DoubleSide }),
    "axis",
  );

  constructor() {
    const handle = (): Mesh => {
      const mesh = new Mesh(
        new SphereGeometry(1, 16, 12),
        this.solid,
      );
      mesh.renderOrder = 22;
      return mesh;
    };
    this.handles = [handle(), handle()];
    this.group.add(this.parts, ...this.handles);
    this.group.visible = false;
  }

  clear(): void {
    this.joint = null;
    this.group.visible = false;
  }

  set(joint: Joint, body: Body, rest: RestPose): void {
    this.joint = joint;
    const [w, x, y, z] = rest.orientation;
    this.group.position.set(...rest.position);
    this.group.quaternion.set(x, y, z, w);
    this.radius = Math.min(Math.max(0.75 * shapesReach(body.shape), 0.06), 0.45);
    this.axis.set(...(joint.axis ?? [0, 1, 0])).normalize();
    this.zero.copy(shapesCenter(body.shape));
    if (joint.type === "hinge") this.zero.addScaledVector(this.axis, -this.zero.dot(this.axis));
    if (this.zero.lengthSq() < 1e-8) this.zero.set(1, 0, 0).addScaledVector(this.axis, -this.axis.x);
    if (this.zero.lengthSq() < 1e-8) this.zero.set(0, 0, 1);
    this.zero.normalize();
    this.side.crossVectors(this.axis, this.zero);
    this.draw(joint.limits ?? null);
  }

  /** Another axis or other limits while something is dragged. */
  preview(axis: Vector3 | null, limits: [number, number] | null): void {
    if (this.joint === null) return;
    if (axis !== null) {
      this.axis.copy(axis).normalize();
      this.zero.addScaledVector(this.axis, -this.zero.dot(this.axis)).normalize();
      this.side.crossVectors(this.axis, this.zero);
    }
    this.draw(limits ?? this.joint.limits ?? null);
  }

  /** The hinge's angle at which a ray of the server's world meets the arc's plane. */
  angleAt(ray: { origin: Vector3; direction: Vector3 }): number | null {
    const back = this.group.quaternion.clone().invert();
    const origin = ray.origin.clone().sub(this.group.position).applyQuaternion(back);
    const direction = ray.direction.clone().applyQuaternion(back);
    const slope = direction.dot(this.axis);
    if (Math.abs(slope) < 1e-3) return null;
    const point = origin.addScaledVector(direction, -origin.dot(this.axis) / slope);
    return Math.atan2(point.dot(this.side), point.dot(this.zero));
  }

  private draw(limits: [number, number] | null): void {
    const { joint } = this;
    this.parts.clear();
    for (const h of this.handles) h.visible = false;
    this.group.visible = joint !== null && (joint.type === "hinge" || joint.type === "ball");
    if (joint === null || !this.group.visible) return;
    if (joint.type === "hinge") this.drawHinge(limits);
    else this.drawBall(limits);
    this.parts.traverse((o) => (o.renderOrder = 20));
  }

  private drawHinge(limits: [number, number] | null): void {
    const { radius: r, thin, soft } = this;
    const rod = new Mesh(
      new CylinderGeometry(0.035 * r, 0.035 * r, 2.1 * r, 10),
      this.solid,
    );
    rod.quaternion.setFromUnitVectors(UP, this.axis);
    const tip = new Mesh(new CylinderGeometry(0, 0.11 * r, 0.26 * r, 14).translate(0, 1.1 * r, 0), rod.material);
    tip.quaternion.copy(rod.quaternion);
    const [from, to] = limits ?? FULL;
    const sector = new Mesh(new CircleGeometry(r, 64, from, to - from), soft);
    sector.quaternion.setFromRotationMatrix(basis(this.zero, this.side, this.axis));
    const edge: Vector3[] = [];
    for (let i = 0; i <= 64; i++) edge.push(this.at(from + ((to - from) * i) / 64));
    const rim = new Line(new BufferGeometry().setFromPoints(limits ? [new Vector3(), ...edge, new Vector3()] : edge), thin);
    const zero = new LineSegments(dashes(this.zero.clone().multiplyScalar(1.12 * r)), thin);
    this.parts.add(rod, tip, sector, rim, zero);
    if (limits === null) return;
    this.handles.forEach((h, i) => {
      h.visible = true;
      h.position.copy(this.at(limits[i]));
      h.scale.setScalar(0.085 * r);
    });
  }

  private drawBall(limits: [number, number] | null): void {
    const { thin, soft } = this;
    const most = Math.min(limits?.[1] ?? Math.PI, Math.PI);
    const cap = new Mesh(new SphereGeometry(this.radius, 36, 18, 0, 2 * Math.PI, 0, most), soft);
    cap.quaternion.setFromUnitVectors(UP, this.zero);
    const edge: Vector3[] = [];
    const turn = new Quaternion().setFromUnitVectors(UP, this.zero);
    for (let i = 0; i <= 48; i++) {
      const a = (2 * Math.PI * i) / 48;
      edge.push(
        new Vector3(Math.sin(most) * Math.cos(a), Math.cos(most), Math.sin(most) * Math.sin(a))
          .multiplyScalar(this.radius)
          .applyQuaternion(turn),
      );
    }
    this.parts.add(
      cap,
      new Line(new BufferGeometry().setFromPoints(edge), thin),
      new LineSegments(dashes(this.zero.clone().multiplyScalar(1.12 * this.radius)), thin),
    );
  }

  private at(angle: number): Vector3 {
    return this.zero
      .clone()
      .multiplyScalar(this.radius * Math.cos(angle))
      .addScaledVector(this.side, this.radius * Math.sin(angle));
  }
}

function basis(x: Vector3, y: Vector3, z: Vector3): Matrix4 {
  return new Matrix4().makeBasis(x, y, z);
}

function dashes(to: Vector3): BufferGeometry {
  const points: number[] = [];
  for (let i = 0; i < 8; i++) for (const t of [i / 8, (i + 0.55) / 8]) points.push(t * to.x, t * to.y, t * to.z);
  return new BufferGeometry().setAttribute("position", new Float32BufferAttribute(points, 3));
}
