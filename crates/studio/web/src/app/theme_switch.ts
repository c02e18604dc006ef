// The switch between light, dark and as the system is.

import { setTheme, theme, type Theme } from "../scene/theme";
import { fill, h } from "./dom";
import { icon } from "./icons";

const NEXT: Record<Theme, Theme> = { auto: "light", light: "dark", dark: "auto" };
const NAMES: Record<Theme, string> = { auto: "As the system", light: "Light", dark: "Dark" };
const LABELS: Record<Theme, string> = { auto: "Auto", light: "Light", dark: "Dark" };

export function themeSwitch(): HTMLElement {
  const button = h("button", { class: "plain tab", data: { key: "theme" } });
  const show = (): void => {
    const now = theme();
    button.title = `Colours: ${NAMES[now].toLowerCase()}; click for ${NAMES[NEXT[now]].toLowerCase()}`;
    fill(button, icon(now), h("span", { textContent: LABELS[now] }));
  };
  button.addEventListener("click", () => {
    setTheme(NEXT[theme()]);
    show();
  });
  show();
  return button;
}
