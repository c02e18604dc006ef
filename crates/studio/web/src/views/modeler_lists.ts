// The left side of the modeler: the pre-flight and the tree of bodies.

import { h } from "../app/dom";
import { icon } from "../app/icons";
import { button, section } from "../parts/layout";
import type { CharacterDetail, Mend, PreflightAnswer, Problem } from "../protocol/types";

const DEEPEST_INDENT = 7;

/** Whether it stands; a problem, when it is chosen, selects its culprit. */
export function preflightSection(
  p: PreflightAnswer | null,
  isRunning: boolean,
  onProblem: (problem: Problem) => void,
  onTry: () => void,
  onMend: (mend: Mend) => void,
): HTMLElement {
  const entry = (kind: string) => (it: Problem, i: number): HTMLElement =>
    h(
      "button",
      { class: kind, data: { key: `${kind}:${i}` }, onclick: () => onProblem(it) },
      icon("warning"),
      h("span", { textContent: it.sentence }),
    );
  const state = isRunning
    ? "Trying…"
    : p === null
      ? "Not tried yet."
      : p.ok
        ? `It stands${p.support_margin_m !== null && p.support_margin_m !== undefined ? `, ${(100 * p.support_margin_m).toFixed(1)} cm inside its feet` : ""}.`
        : null;
  return section(
    "Pre-flight",
    state === null
      ? null
      : h("p", { class: `verdict ${p?.ok && !isRunning ? "good" : ""}` }, p?.ok && !isRunning ? icon("check") : null, state),
    h(
      "div",
      { class: "problems" },
      ...(p?.problems ?? []).map(entry("problem")),
      ...(p?.warnings ?? []).map(entry("warning")),
    ),
    p?.mend && !isRunning ? mendOffer(p.mend, onMend) : null,
    p?.cover ? h("p", { class: "quiet", textContent: coverSentence(p.cover.covered, p.cover.outside, "the skin") }) : null,
    h(
      "div",
      { class: "actions" },
      button("Try it with its clips", onTry, {
        key: "preflight",
        disabled: isRunning,
        title: "Does it stand, and do the clips fit its limits? (P)",
      }),
    ),
  );
}

/** What one click would change, and the click. */
function mendOffer(mend: Mend, onMend: (mend: Mend) => void): HTMLElement {
  return h(
    "div",
    { class: "mend" },
    h("p", { class: "quiet", textContent: mend.sentence }),
    h("div", { class: "actions" }, button("Mend it", () => onMend(mend), { key: "mend", title: "Makes this one edit; Undo takes it back" })),
  );
}

/** What bodies cover of their skin, and how much of them lies outside. */
export function coverSentence(covered: number | null, outside: number, of: string): string {
  const percent = (share: number): string => `${Math.round(100 * share)} %`;
  const inside = covered === null ? "Hardly any skin follows it" : `Covers ${percent(covered)} of ${of}`;
  return `${inside}; ${percent(outside)} outside.`;
}

/** The bodies, each under the one that carries it. */
export function bodyTree(
  detail: CharacterDetail,
  selected: string | null,
  preflight: PreflightAnswer | null,
  onSelect: (body: string) => void,
): HTMLElement {
  const list = h("div", { class: "tree", role: "tree" });
  const problems = new Set(
    preflight?.problems.flatMap((p) => [
      ...p.bodies,
      ...p.joints.map((n) => detail.character.joint.find((j) => j.name === n)?.child ?? ""),
    ]) ?? [],
  );
  for (const { name, depth } of inTreeOrder(detail)) {
    const mass = detail.character.body.find((b) => b.name === name)?.mass ?? 0;
    const joint = detail.character.joint.find((j) => j.child === name);
    const item = h(
      "button",
      {
        class: `row tight${selected === name ? " selected" : ""}`,
        role: "treeitem",
        data: { key: `body:${name}` },
        aria: { selected: String(selected === name) },
        onclick: () => onSelect(name),
      },
      h("span", { class: "title", textContent: name }),
      problems.has(name) ? h("span", { class: "culprit", title: "See the pre-flight" }, icon("warning")) : null,
      h("span", { class: "kind", textContent: joint?.type ?? "" }),
      h("span", { class: "mass", textContent: `${mass.toFixed(1)} kg` }),
    );
    item.style.setProperty("--depth", String(Math.min(depth, DEEPEST_INDENT)));
    list.append(item);
  }
  return list;
}

/** Bodies depth first, each under the one that carries it. */
export function inTreeOrder(detail: CharacterDetail): { name: string; depth: number }[] {
  const children = new Map<string | undefined, string[]>();
  for (const j of detail.character.joint) children.set(j.parent, [...(children.get(j.parent) ?? []), j.child]);
  const order: { name: string; depth: number }[] = [];
  const visit = (name: string, depth: number): void => {
    order.push({ name, depth });
    for (const child of children.get(name) ?? []) visit(child, depth + 1);
  };
  for (const root of children.get(undefined) ?? []) visit(root, 0);
  return order;
}
