// Colours of the scene, light and dark, and the scale of heat.

import { Color, type Material } from "three";

export interface SceneColors {
  background: number;
  ground: number;
  grid: number;
  gridStrong: number;
  skin: number;
  body: number;
  bodySelected: number;
  bodyHovered: number;
  bone: number;
  ghost: number;
  contact: number;
  force: number;
  help: number;
  balance: number;
  ball: number;
  axis: number;
  skyLight: number;
  groundLight: number;
  lightStrength: number;
}

const LIGHT: SceneColors = {
  background: 0xe9e8e4,
  ground: 0xe2e0db,
  grid: 0xcfccc5,
  gridStrong: 0xb9b5ac,
  skin: 0x9fb0ae,
  body: 0x8fa3ad,
  bodySelected: 0xd98a3d,
  bodyHovered: 0xb9c7cd,
  bone: 0x2f5866,
  ghost: 0x5b7fa6,
  contact: 0xc2502f,
  force: 0xd2673f,
  help: 0x2f8f4e,
  balance: 0x7a4fa3,
  ball: 0xc6784a,
  axis: 0x1f7a8c,
  skyLight: 0xffffff,
  groundLight: 0xb9b2a5,
  lightStrength: 1,
};
const DARK: SceneColors = {
  background: 0x202326,
  ground: 0x2a2d30,
  grid: 0x363a3e,
  gridStrong: 0x454a4f,
  skin: 0x8da09f,
  body: 0x7f959f,
  bodySelected: 0xe69a4c,
  bodyHovered: 0x8fa5b0,
  bone: 0x9cc7d3,
  ghost: 0x7fa6d0,
  contact: 0xf07a55,
  force: 0xf08a62,
  help: 0x63cf86,
  balance: 0xb48be0,
  ball: 0xcf8458,
  axis: 0x5fc0d2,
  skyLight: 0xf0f3f5,
  groundLight: 0x6a6862,
  lightStrength: 1,
};

/** What the switch says; `auto` is as the system is. */
export type Theme = "auto" | "light" | "dark";

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();
let chosen: Theme = keptTheme();
dark.addEventListener("change", () => chosen === "auto" && listeners.forEach((tell) => tell()));
markPage();

export function theme(): Theme {
  return chosen;
}

/** Turns the switch; it is remembered. */
export function setTheme(next: Theme): void {
  chosen = next;
  try {
    localStorage.setItem("theme", next);
  } catch {
    // A browser that keeps nothing still changes its colours.
  }
  markPage();
  listeners.forEach((tell) => tell());
}

function keptTheme(): Theme {
  try {
    const kept = localStorage.getItem("theme");
    return kept === "light" || kept === "dark" ? kept : "auto";
  } catch {
    return "auto";
  }
}

/** The style sheet follows the attribute. */
function markPage(): void {
  const { dataset } = document.documentElement;
  if (chosen === "auto") delete dataset["theme"];
  else dataset["theme"] = chosen;
}

export function colors(): SceneColors {
  return (chosen === "auto" ? dark.matches : chosen === "dark") ? DARK : LIGHT;
}

/** Calls back on every change between light and dark, until the function that is given back is called. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Gives a material a colour of the scene, also after a change between light and dark, until it is disposed of. */
export function themed<M extends Material & { color: Color }>(material: M, name: keyof SceneColors): M {
  const paint = (): void => void material.color.set(colors()[name]);
  paint();
  material.addEventListener("dispose", onThemeChange(paint));
  return material;
}

const COLD = new Color(0x4f7f9c);
const WARM = new Color(0xf0b84a);
const HOT = new Color(0xd6392b);

/** From cold at 0 over warm at a half to hot at 1. */
export function heat(load: number, out: Color): Color {
  const x = Math.min(Math.max(load, 0), 1);
  return x < 0.5 ? out.copy(COLD).lerp(WARM, 2 * x) : out.copy(WARM).lerp(HOT, 2 * x - 1);
}
