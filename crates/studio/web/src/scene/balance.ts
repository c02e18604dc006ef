// Centre of mass, its plumb line, and the support polygon: the convex hull of the points that touch the ground.

import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  Line,
  LineBasicMaterial,
  LineLoop,
  Mesh,
  MeshBasicMaterial,
  SphereGeometry,
} from "three";
import type { Frame } from "../protocol/frame";
import { themed } from "./theme";

const MOST = 64;
const ABOVE_GROUND_M = 0.004;

export class BalanceOverlay {
  readonly group = new Group();
  private readonly center: Mesh;
  private readonly shadow: Mesh;
  private readonly plumb: Line;
  private readonly fill: Mesh;
  private readonly edge: LineLoop;
  private readonly hull = new BufferAttribute(new Float32Array(3 * MOST), 3).setUsage(DynamicDrawUsage);
  private readonly line = new BufferAttribute(new Float32Array(6), 3).setUsage(DynamicDrawUsage);

  constructor() {
    const solid = themed(new MeshBasicMaterial({ depthTest: false, transparent: true }), "balance");
    const thin = themed(new LineBasicMaterial({ depthTest: false, transparent: true }), "balance");
    const soft = themed(new MeshBasicMaterial({ transparent: true, opacity: 0.2, depthTest: false, side: DoubleSide }), "balance");
    this.center = new Mesh(new SphereGeometry(0.022, 16, 12), solid);
    this.shadow = new Mesh(new SphereGeometry(0.011, 12, 8), solid);
    this.plumb = new Line(new BufferGeometry().setAttribute("position", this.line), thin);
    const polygon = new BufferGeometry().setAttribute("position", this.hull);
    const fan: number[] = [];
    for (let i = 1; i + 1 < MOST; i++) fan.push(0, i, i + 1);
    polygon.setIndex(fan);
    this.fill = new Mesh(polygon, soft);
    this.edge = new LineLoop(new BufferGeometry().setAttribute("position", this.hull), thin);
    for (const object of [this.fill, this.edge, this.plumb, this.shadow, this.center]) {
      object.frustumCulled = false;
      object.renderOrder = 9;
      this.group.add(object);
    }
  }

  pose(frame: Frame): void {
    if (!this.group.visible) return;
    const [x, y, z] = frame.centerOfMass;
    this.center.position.set(x, y, z);
    this.shadow.position.set(x, y, ABOVE_GROUND_M);
    this.line.setXYZ(0, x, y, z);
    this.line.setXYZ(1, x, y, ABOVE_GROUND_M);
    this.line.needsUpdate = true;
    const points: [number, number][] = [];
    for (let i = 0; i < frame.contactCount; i++) {
      if (frame.contactBodies[8 * i + 1] === -1) points.push([frame.contactNumbers[8 * i + 2], frame.contactNumbers[8 * i + 3]]);
    }
    const hull = convexHull(points).slice(0, MOST);
    hull.forEach(([a, b], i) => this.hull.setXYZ(i, a, b, ABOVE_GROUND_M));
    this.hull.needsUpdate = true;
    this.fill.geometry.setDrawRange(0, Math.max(0, 3 * (hull.length - 2)));
    this.edge.geometry.setDrawRange(0, hull.length);
    this.fill.visible = hull.length > 2;
    this.edge.visible = hull.length > 1;
  }

  dispose(): void {
    for (const object of [this.center, this.shadow, this.plumb, this.fill, this.edge]) {
      object.geometry.dispose();
      (object.material as MeshBasicMaterial).dispose();
    }
  }
}

/** Andrew's monotone chain, anticlockwise. */
export function convexHull(points: [number, number][]): [number, number][] {
  const sorted = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  if (sorted.length < 3) return sorted;
  const half = (list: [number, number][]): [number, number][] => {
    const chain: [number, number][] = [];
    for (const p of list) {
      while (chain.length > 1 && cross(chain[chain.length - 2], chain[chain.length - 1], p) <= 0) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

function cross(o: [number, number], a: [number, number], b: [number, number]): number {
  return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}
