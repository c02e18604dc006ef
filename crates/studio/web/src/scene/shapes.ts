// Collision shapes as triangles in their body's frame.

import { BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, Matrix4, Quaternion, SphereGeometry, Vector3 } from "three";
import type { Shape, Vec3 } from "../protocol/types";

const Y = new Vector3(0, 1, 0);

export function shapeGeometry(shape: Shape): BufferGeometry {
  if (shape.type === "capsule") {
    const from = new Vector3(...shape.from);
    const to = new Vector3(...shape.to);
    const along = to.clone().sub(from);
    const length = along.length();
    const turn = length > 1e-9 ? new Quaternion().setFromUnitVectors(Y, along.divideScalar(length)) : new Quaternion();
    const geometry = new CapsuleGeometry(shape.radius, length, 6, 18, 1);
    return geometry.applyMatrix4(new Matrix4().compose(from.add(to).multiplyScalar(0.5), turn, ONE));
  }
  if (shape.type === "sphere") return new SphereGeometry(shape.radius, 20, 14).translate(...(shape.center ?? ZERO));
  const [w, x, y, z] = shape.orientation ?? [1, 0, 0, 0];
  const [a, b, c] = shape.half_extents;
  const matrix = new Matrix4().compose(new Vector3(...(shape.center ?? ZERO)), new Quaternion(x, y, z, w), ONE);
  return new BoxGeometry(2 * a, 2 * b, 2 * c).applyMatrix4(matrix);
}

const ONE = new Vector3(1, 1, 1);
const ZERO: Vec3 = [0, 0, 0];

/** Middle of a body's shapes, in its frame. */
export function shapesCenter(shapes: Shape[]): Vector3 {
  const sum = new Vector3();
  for (const s of shapes) {
    if (s.type === "capsule") sum.add(new Vector3(...s.from).add(new Vector3(...s.to)).multiplyScalar(0.5));
    else sum.add(new Vector3(...(s.center ?? ZERO)));
  }
  return shapes.length > 0 ? sum.divideScalar(shapes.length) : sum;
}

/** About how far the shapes reach from the frame's origin. */
export function shapesReach(shapes: Shape[]): number {
  const reach = (s: Shape): number => {
    if (s.type === "capsule") return Math.max(Math.hypot(...s.from), Math.hypot(...s.to)) + s.radius;
    return Math.hypot(...(s.center ?? ZERO)) + (s.type === "sphere" ? s.radius : Math.hypot(...s.half_extents));
  };
  return shapes.reduce((most, s) => Math.max(most, reach(s)), 0.02);
}

/** How far the shapes reach from the frame's origin along a direction of length one. */
export function shapesReachAlong(shapes: Shape[], d: Vector3): number {
  const reach = (s: Shape): number => {
    if (s.type === "capsule") return Math.max(d.dot(new Vector3(...s.from)), d.dot(new Vector3(...s.to))) + s.radius;
    const center = d.dot(new Vector3(...(s.center ?? ZERO)));
    if (s.type === "sphere") return center + s.radius;
    const [w, x, y, z] = s.orientation ?? [1, 0, 0, 0];
    const local = d.clone().applyQuaternion(new Quaternion(-x, -y, -z, w));
    return center + Math.abs(local.x) * s.half_extents[0] + Math.abs(local.y) * s.half_extents[1] + Math.abs(local.z) * s.half_extents[2];
  };
  return shapes.reduce((most, s) => Math.max(most, reach(s)), 0.01);
}

/** All shapes of all bodies as one geometry; `skinIndex` says to which body a vertex belongs. */
export function mergedBodies(bodies: { shapes: Shape[] }[]): BufferGeometry {
  const parts = bodies.flatMap((b, body) => b.shapes.map((s) => ({ body, geometry: shapeGeometry(s) })));
  const vertices = parts.reduce((n, p) => n + p.geometry.getAttribute("position").count, 0);
  const position = new Float32Array(3 * vertices);
  const normal = new Float32Array(3 * vertices);
  const skinIndex = new Uint16Array(4 * vertices);
  const skinWeight = new Float32Array(4 * vertices);
  const index: number[] = [];
  let at = 0;
  for (const { body, geometry } of parts) {
    position.set(geometry.getAttribute("position").array, 3 * at);
    normal.set(geometry.getAttribute("normal").array, 3 * at);
    const count = geometry.getAttribute("position").count;
    for (let i = at; i < at + count; i++) {
      skinIndex[4 * i] = body;
      skinWeight[4 * i] = 1;
    }
    for (const i of geometry.getIndex()!.array) index.push(at + i);
    at += count;
    geometry.dispose();
  }
  const merged = new BufferGeometry();
  merged.setAttribute("position", new BufferAttribute(position, 3));
  merged.setAttribute("normal", new BufferAttribute(normal, 3));
  merged.setAttribute("skinIndex", new BufferAttribute(skinIndex, 4));
  merged.setAttribute("skinWeight", new BufferAttribute(skinWeight, 4));
  merged.setAttribute("color", new BufferAttribute(new Float32Array(3 * vertices).fill(1), 3));
  merged.setIndex(index);
  return merged;
}
