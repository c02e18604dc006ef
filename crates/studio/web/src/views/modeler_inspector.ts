// The right side of the modeler: the numbers of a body, its joint, its end effectors.

import { fill, h } from "../app/dom";
import { checkbox, field, numberInput, select, vectorInput } from "../parts/fields";
import { button, empty, section, segments } from "../parts/layout";
import type { BodyCover, Character, CharacterDetail, Edit, JointType, Quat, Shape, ShapeKind, Vec3 } from "../protocol/types";
import { Quaternion, Vector3 } from "three";
import { shapesCenter, shapesReachAlong } from "../scene/shapes";
import { coverSentence } from "./modeler_lists";
import { shapesSection } from "./modeler_shapes";

export type Part = "body" | "joint" | "effectors";

export interface Selection {
  body: string;
  part: Part;
  effector: string | null;
}

export interface Inspected {
  detail: CharacterDetail;
  selection: Selection;
  withJoint: boolean;
  /** How well the body fills its skin, once the pre-flight has told. */
  cover: BodyCover | null;
  edit(edit: Edit): void;
  /** Other shapes for the body: one of another kind, or what fits the skin. */
  refit(body: string, kind: ShapeKind | null, shape?: number): void;
  select(selection: Selection): void;
  setWithJoint(withJoint: boolean): void;
}

const DEGREES = 180 / Math.PI;

export function drawInspector(panel: HTMLElement, it: Inspected): void {
  const { detail, selection } = it;
  const index = detail.character.body.findIndex((b) => b.name === selection.body);
  const body = detail.character.body[index];
  if (body === undefined) return;
  const other = detail.mirrored[index];
  const tabs = segments<Part>(
    [
      { value: "body", label: "Body" },
      { value: "joint", label: "Joint" },
      { value: "effectors", label: "End effectors" },
    ],
    selection.part,
    (part) => it.select({ ...selection, part, effector: null }),
  );
  const content =
    selection.part === "body" ? bodyPart(it, index) : selection.part === "joint" ? jointPart(it, index) : effectorPart(it, index);
  fill(
    panel,
    h(
      "header",
      { class: "subject" },
      h("h1", { textContent: body.name }),
      h("p", { textContent: other ? `other side: ${other}` : "in the middle, or without another side" }),
    ),
    tabs,
    ...content,
  );
}

function bodyPart(it: Inspected, index: number): HTMLElement[] {
  const { detail } = it;
  const body = detail.character.body[index];
  const rest = detail.rest[index];
  const name = body.name;
  const place = rest.center_of_mass;
  const isRoot = joint(detail, name)?.parent === undefined;
  const move = (to: Vec3): void => {
    const [w, x, y, z] = rest.orientation;
    const by = new Vector3(to[0] - place[0], to[1] - place[1], to[2] - place[2]).applyQuaternion(new Quaternion(x, y, z, w).invert());
    it.edit({ edit: "move_body", body: name, by: [by.x, by.y, by.z], with_joint: it.withJoint });
  };
  const turn = (degrees: Vec3): void => it.edit({ edit: "orient_body", body: name, turn: fromDegrees(degrees) });
  return [
    section(
      "Mass",
      field(
        "Mass",
        numberInput(body.mass, 0.1, (mass) => it.edit({ edit: "set_mass", body: name, mass }), {
          key: "mass",
          min: 0,
          ...clearing(madeOf(detail).body.find((b) => b.name === name)?.mass, (mass) => it.edit({ edit: "set_mass", body: name, mass })),
        }),
        "kg",
      ),
    ),
    section(
      "Place",
      field("Centre", vectorInput(place, 0.005, move, "place"), "m"),
      field("Turn by", vectorInput([0, 0, 0], 5, turn, "turn"), "°"),
      isRoot ? h("span", {}) : checkbox("Its joint moves along", it.withJoint, (on) => it.setWithJoint(on), "with-joint"),
    ),
    section("Size", ...sizeFields(it, name, body.shape), coverOf(it)),
    shapesSection(body.shape, it.cover !== null, {
      set: (shapes) => it.edit({ edit: "set_shapes", body: name, shapes }),
      turn: (index, kind) => it.refit(name, kind, index),
      fit: (kind) => it.refit(name, kind),
    }),
    section(
      "Structure",
      h(
        "div",
        { class: "actions wrap" },
        button("Merge into parent", () => it.edit({ edit: "merge_body", body: name }), {
          disabled: isRoot,
          key: "merge",
          title: "One body with its parent; mass and inertia stay",
        }),
        button("Make it the root", () => it.edit({ edit: "set_root", body: name }), { disabled: isRoot, key: "root" }),
        button("Delete", () => it.edit({ edit: "delete_body", body: name }), {
          disabled: isRoot,
          key: "delete",
          danger: true,
          title: "What it carries hangs from its parent (Del)",
        }),
      ),
    ),
  ];
}

/** How well it fills its skin. */
function coverOf(it: Inspected): HTMLElement {
  const { cover } = it;
  if (cover === null) return h("span", {});
  const sentence = coverSentence(cover.covered, cover.outside, "its skin");
  const center = cover.center_outside ? " Its centre lies outside the skin." : "";
  return h("p", { class: "quiet", data: { key: "cover" }, textContent: sentence + center });
}

function sizeFields(it: Inspected, name: string, shapes: Shape[]): HTMLElement[] {
  const fields: HTMLElement[] = [];
  const size = (s: Extract<Edit, { edit: "size_body" }>["size"]): void => it.edit({ edit: "size_body", body: name, size: s });
  const round = shapes.find((s) => s.type === "capsule") ?? shapes.find((s) => s.type === "sphere");
  const capsule = shapes.find((s) => s.type === "capsule");
  const box = shapes.find((s) => s.type === "box");
  if (round)
    fields.push(
      field(
        "Radius",
        numberInput(round.radius, 0.005, (radius) => size({ radius }), { key: "radius", min: 0 }),
        "m",
      ),
    );
  if (capsule)
    fields.push(
      field(
        "Length",
        numberInput(new Vector3(...capsule.from).distanceTo(new Vector3(...capsule.to)), 0.01, (length) => size({ length }), {
          key: "length",
          min: 0,
        }),
        "m",
      ),
    );
  if (box)
    fields.push(
      field(
        "Half edges",
        vectorInput(box.half_extents, 0.005, (half_extents) => size({ half_extents }), "box"),
        "m",
      ),
    );
  fields.push(
    field(
      "All of it",
      numberInput(100, 5, (percent) => size({ scale: percent / 100 }), { key: "scale", min: 1 }),
      "%",
    ),
  );
  return fields;
}

function jointPart(it: Inspected, index: number): HTMLElement[] {
  const { detail } = it;
  const j = joint(detail, detail.character.body[index].name);
  if (j === undefined) return [section("Joint", empty("No joint carries this body."))];
  if (j.parent === undefined)
    return [
      section(
        "Joint",
        h("p", {
          class: "quiet",
          textContent: `The root: ${j.type === "free" ? "it moves and turns freely" : j.type === "planar" ? "it moves in a plane" : "it is fixed to the world"}. Nothing drives it.`,
        }),
      ),
    ];
  const type = select<JointType>(
    [
      { value: "hinge", label: "Hinge: one axis" },
      { value: "ball", label: "Ball: all ways" },
      { value: "weld", label: "Weld: fixed" },
    ],
    j.type,
    (t) => it.edit({ edit: "set_type", joint: j.name, type: t }),
    "type",
  );
  const parts = [section("Type", field("Type", type), h("p", { class: "quiet", textContent: `Carried by ${j.parent}.` }))];
  if (j.type === "hinge") {
    const axis = j.axis ?? [0, 1, 0];
    const set = (a: Vec3): void => it.edit({ edit: "set_axis", joint: j.name, axis: a });
    const quick = (["x", "y", "z"] as const).map((n, i) =>
      button(n.toUpperCase(), () => set([0, 1, 2].map((k) => (k === i ? 1 : 0)) as Vec3), { key: `axis-${n}`, title: `Turn about ${n}` }),
    );
    const flip = button("Flip", () => set([-axis[0], -axis[1], -axis[2]]), { key: "axis-flip", title: "The other way round" });
    parts.push(section("Axis", field("Axis", vectorInput(axis, 0.05, set, "axis")), h("div", { class: "actions wrap" }, ...quick, flip)));
  }
  if (j.type !== "weld") parts.push(limits(it, j.name, j.type, j.limits), gains(it, j.name, j.kp ?? 0, j.kd ?? 0, j.torque_limit ?? null));
  return parts;
}

function limits(it: Inspected, name: string, type: JointType, now: [number, number] | undefined): HTMLElement {
  const set = (l: [number, number] | undefined): void => it.edit({ edit: "set_limits", joint: name, ...(l ? { limits: l } : {}) });
  const limited = checkbox("Limited", now !== undefined, (on) => set(on ? (type === "ball" ? [0, 1] : [-1, 1]) : undefined), "limited");
  if (now === undefined) return section("Limits", limited);
  const angle = (i: 0 | 1): HTMLInputElement =>
    numberInput(
      Math.round(now[i] * DEGREES * 10) / 10,
      5,
      (degrees) => {
        const next: [number, number] = [...now];
        next[i] = degrees / DEGREES;
        set(next);
      },
      {
        key: `limit.${i}`,
        ...clearing(madeOf(it.detail).joint.find((j) => j.name === name)?.limits?.[i], (made) => {
          const next: [number, number] = [...now];
          next[i] = made;
          set(next);
        }),
      },
    );
  return section(
    "Limits",
    limited,
    type === "ball" ? h("span", {}) : field("From", angle(0), "°"),
    field(type === "ball" ? "At most" : "To", angle(1), "°"),
  );
}

/** The character as it was made: an emptied field goes back to it. */
function madeOf(detail: CharacterDetail): Character {
  return detail.made ?? detail.character;
}

function clearing(made: number | undefined, set: (value: number) => void): { onClear?: () => void } {
  return made === undefined ? {} : { onClear: () => set(made) };
}

function gains(it: Inspected, name: string, kp: number, kd: number, torque: number | null): HTMLElement {
  const made = madeOf(it.detail).joint.find((j) => j.name === name);
  const set = (g: { kp?: number; kd?: number; torque_limit?: number }): void => it.edit({ edit: "set_gains", joint: name, ...g });
  return section(
    "Drive",
    field(
      "Stiffness",
      numberInput(kp, 10, (v) => set({ kp: v }), { key: "kp", min: 0, ...clearing(made?.kp, (v) => set({ kp: v })) }),
      "N·m/rad",
    ),
    field(
      "Damping",
      numberInput(kd, 1, (v) => set({ kd: v }), { key: "kd", min: 0, ...clearing(made?.kd, (v) => set({ kd: v })) }),
      "N·m·s/rad",
    ),
    field(
      "Strength",
      numberInput(torque, 10, (v) => set({ torque_limit: v }), {
        key: "torque",
        placeholder: "no limit",
        min: 0,
        ...clearing(made?.torque_limit, (v) => set({ torque_limit: v })),
      }),
      "N·m",
    ),
  );
}

function effectorPart(it: Inspected, index: number): HTMLElement[] {
  const { detail, selection } = it;
  const body = detail.character.body[index];
  const own = (detail.character.end_effector ?? []).filter((e) => e.body === body.name);
  const blocks = own.map((e) => {
    const ball = body.shape.find((s) => s.type === "sphere" && s.center !== undefined && s.center.every((x, k) => x === e.position[k]));
    return h(
      "section",
      { class: `block${selection.effector === e.name ? " chosen" : ""}` },
      h(
        "h2",
        {},
        h("button", {
          class: "plain name",
          textContent: e.name,
          title: "Show its handles",
          onclick: () => it.select({ ...selection, effector: e.name }),
        }),
      ),
      field(
        "Place",
        vectorInput(e.position, 0.005, (position) => it.edit({ edit: "move_effector", name: e.name, position }), `effector.${e.name}`),
        "m",
      ),
      field(
        "Ball",
        numberInput(
          ball?.type === "sphere" ? ball.radius : null,
          0.005,
          (radius) => it.edit({ edit: "size_effector", name: e.name, radius }),
          { key: `ball.${e.name}`, placeholder: "none", min: 0 },
        ),
        "m",
      ),
      h(
        "div",
        { class: "actions" },
        button("Remove", () => it.edit({ edit: "remove_effector", name: e.name }), { danger: true, key: `remove.${e.name}` }),
      ),
    );
  });
  const add = (): void => {
    const center = shapesCenter(body.shape);
    const along = center.clone().normalize();
    const tip = center.lengthSq() > 1e-8 ? along.clone().multiplyScalar(shapesReachAlong(body.shape, along)) : center;
    const taken = new Set((detail.character.end_effector ?? []).map((e) => e.name));
    let name = body.name;
    for (let n = 2; taken.has(name); n++) name = `${body.name}_${n}`;
    it.edit({ edit: "add_effector", name, body: body.name, position: [round(tip.x), round(tip.y), round(tip.z)] });
  };
  return [
    ...(blocks.length > 0
      ? blocks
      : [
          section(
            "End effectors",
            empty("A point that must follow the clip or stand on the ground: hands, feet, head, the tip of a tail."),
          ),
        ]),
    h("div", { class: "actions end" }, button("Add an end effector", add, { icon: "plus", key: "add-effector" })),
  ];
}

function joint(detail: CharacterDetail, body: string) {
  return detail.character.joint.find((j) => j.child === body);
}

function round(x: number): number {
  return Math.round(x * 1e6) / 1e6;
}

function fromDegrees(d: Vec3): Quat {
  const q = new Quaternion();
  const axes = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];
  axes.forEach((axis, i) => q.multiply(new Quaternion().setFromAxisAngle(axis, d[i] / DEGREES)));
  return [q.w, q.x, q.y, q.z];
}
