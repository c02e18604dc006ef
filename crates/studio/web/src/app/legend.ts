// What the colours of arrows and marks in the picture mean.

import { colors, type SceneColors } from "../scene/theme";
import { h } from "./dom";

const MEANINGS: [keyof SceneColors, string][] = [
  ["force", "Arrow: a force of the ground or of another body on the figure; also the push that is being dragged"],
  ["help", "Arrow: help from outside at the centre of mass"],
  ["contact", "Dot: where something touches"],
  ["balance", "Centre of mass, its place on the ground, and the area on which the figure stands"],
  ["axis", "Axis and limits of the chosen joint"],
  ["ghost", "The key-framed motion beside the simulated one"],
];

/** One line for each colour, as the scene draws it now. */
export function legend(): HTMLElement {
  const line = ([color, text]: [keyof SceneColors, string]): HTMLElement => {
    const swatch = h("i", { class: "swatch" });
    swatch.style.background = `#${colors()[color].toString(16).padStart(6, "0")}`;
    return h("li", { data: { legend: color } }, swatch, text);
  };
  return h("section", {}, h("h3", { textContent: "Arrows and colours" }), h("ul", { class: "legend" }, ...MEANINGS.map(line)));
}
