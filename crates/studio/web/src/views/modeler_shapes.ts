// The shapes of a body: their kinds, more of them, fewer, and fitted to the skin.

import { Vector3 } from "three";
import { h } from "../app/dom";
import { select } from "../parts/fields";
import { button, section } from "../parts/layout";
import type { Shape, ShapeKind, Vec3 } from "../protocol/types";
import { shapesCenter } from "../scene/shapes";

const KINDS: { value: ShapeKind; label: string }[] = [
  { value: "capsule", label: "Capsule" },
  { value: "box", label: "Box" },
  { value: "sphere", label: "Sphere" },
];
/** A new shape is so large, over what is there. */
const NEW_SHARE = 0.5;

export interface ShapeDoings {
  /** All shapes of the body anew. */
  set(shapes: Shape[]): void;
  /** Another kind for one of them. */
  turn(index: number, kind: ShapeKind): void;
  /** What fits the skin, or one shape of a kind that does. */
  fit(kind: ShapeKind | null): void;
}

export function shapesSection(shapes: Shape[], hasSkin: boolean, does: ShapeDoings): HTMLElement {
  const rows = shapes.map((shape, index) =>
    h(
      "div",
      { class: "shape-row" },
      select<ShapeKind>(KINDS, shape.type, (kind) => does.turn(index, kind), `shape.${index}`),
      h("span", { class: "unit", textContent: says(shape) }),
      button("Remove", () => does.set(shapes.filter((_, i) => i !== index)), { key: `shape-remove.${index}`, disabled: shapes.length === 1, danger: true }),
    ),
  );
  return section(
    "Shapes",
    ...rows,
    h(
      "div",
      { class: "actions wrap" },
      button("Add one", () => does.set([...shapes, another(shapes)]), { key: "shape-add", title: "A ball in the middle; choose its kind, then its size" }),
      button("Fit to the skin", () => does.fit(null), { key: "shape-fit", disabled: !hasSkin, title: "One to three shapes that fill its part of the skin" }),
    ),
  );
}

function says(shape: Shape): string {
  const cm = (x: number): string => (100 * x).toFixed(1);
  switch (shape.type) {
    case "sphere":
      return `r ${cm(shape.radius)} cm`;
    case "box":
      return `${shape.half_extents.map((x) => cm(2 * x)).join(" × ")} cm`;
    case "capsule":
      return `r ${cm(shape.radius)}, l ${cm(new Vector3(...shape.from).distanceTo(new Vector3(...shape.to)))} cm`;
  }
}

/** A ball in the middle of what is there. */
function another(shapes: Shape[]): Shape {
  const center = shapesCenter(shapes);
  const widest = Math.max(...shapes.map((s) => (s.type === "box" ? Math.min(...s.half_extents) : s.radius)));
  const round = (x: number): number => Math.round(1e6 * x) / 1e6;
  return { type: "sphere", center: [round(center.x), round(center.y), round(center.z)] as Vec3, radius: round(NEW_SHARE * widest) };
}
