// Labelled fields: numbers, vectors, choices.

import { h } from "../app/dom";
import { shortName } from "../app/clip_names";
import type { ClipDetail, Vec3 } from "../protocol/types";

/** Four significant figures, without needless zeros. */
export function tidy(x: number): string {
  if (!Number.isFinite(x)) return "";
  const text = Math.abs(x) >= 1000 ? x.toFixed(0) : Math.abs(x) >= 100 ? x.toFixed(1) : x.toFixed(3);
  const short = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  return short === "-0" ? "0" : short;
}

export function field(label: string, control: HTMLElement, unit?: string): HTMLElement {
  return h(
    "label",
    { class: "field" },
    h("span", { class: "name", textContent: label }),
    h("span", { class: "control" }, control, unit ? h("span", { class: "unit", textContent: unit }) : null),
  );
}

/**
 * A number that is sent on Enter or when the field is left; nonsense brings the old one back. What an emptied field means is `onClear`: the default.
 */
export function numberInput(
  value: number | null,
  step: number,
  onCommit: (value: number) => void,
  options: { key?: string; placeholder?: string; label?: string; min?: number; digits?: number; onClear?: () => void } = {},
): HTMLInputElement {
  const shown = value === null ? "" : options.digits === undefined ? tidy(value) : String(Number(value.toPrecision(options.digits)));
  const input = h("input", {
    type: "text",
    inputMode: "decimal",
    class: "number",
    defaultValue: shown,
    placeholder: options.placeholder ?? "",
    autocomplete: "off",
    spellcheck: false,
  });
  if (options.key) input.dataset["key"] = options.key;
  if (options.label) input.setAttribute("aria-label", options.label);
  let last = shown;
  const commit = (): void => {
    const text = input.value.trim().replace(",", ".");
    if (text === last) return;
    const number = Number(text);
    if (text === "" && options.onClear !== undefined) {
      last = "";
      input.defaultValue = "";
      options.onClear();
      return;
    }
    if (text === "" || !Number.isFinite(number) || (options.min !== undefined && number < options.min)) {
      input.value = last;
      return;
    }
    last = text;
    input.defaultValue = text;
    onCommit(number);
  };
  input.addEventListener("change", commit);
  input.addEventListener("focus", () => input.select());
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") commit();
    if (event.key === "Escape") {
      input.value = last;
      input.blur();
    }
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    const by = step * (event.key === "ArrowUp" ? 1 : -1) * (event.shiftKey ? 10 : 1);
    input.value = tidy((Number(input.value.replace(",", ".")) || 0) + by);
    commit();
  });
  return input;
}

export function vectorInput(value: Vec3, step: number, onCommit: (value: Vec3) => void, key: string): HTMLElement {
  const now: Vec3 = [...value];
  const inputs = value.map((x, i) =>
    numberInput(
      x,
      step,
      (n) => {
        now[i] = n;
        onCommit([...now]);
      },
      { key: `${key}.${i}`, label: "xyz"[i] },
    ),
  );
  return h("span", { class: "vector" }, ...inputs);
}

export function select<T extends string>(
  options: { value: T; label: string; disabled?: boolean; title?: string }[],
  value: T | null,
  onChange: (value: T) => void,
  key?: string,
): HTMLSelectElement {
  const element = h(
    "select",
    {},
    ...options.map((o) => h("option", { value: o.value, textContent: o.label, title: o.title ?? "", disabled: o.disabled ?? false })),
  );
  if (value !== null) element.value = value;
  element.title = options.find((o) => o.value === value)?.title ?? "";
  if (key) element.dataset["key"] = key;
  element.addEventListener("change", () => onChange(element.value as T));
  return element;
}

export function checkbox(label: string, checked: boolean, onChange: (checked: boolean) => void, key?: string): HTMLElement {
  const input = h("input", { type: "checkbox", checked });
  if (key) input.dataset["key"] = key;
  input.addEventListener("change", () => onChange(input.checked));
  return h("label", { class: "check" }, input, h("span", { textContent: label }));
}

/** A list of clips without what all their names begin with; the whole name is the tooltip. */
export function clipSelect(clips: ClipDetail[], value: string | null, onChange: (name: string) => void, withLength = false): HTMLSelectElement {
  const names = clips.map((c) => c.name);
  const label = (c: ClipDetail): string => `${shortName(c.name, names)}${withLength ? `, ${c.duration_secs.toFixed(1)} s` : ""}`;
  return select(
    clips.map((c) => ({ value: c.name, label: label(c), title: c.name })),
    value,
    onChange,
    "clip",
  );
}

/** A slider with its value beside it. */
export function slider(
  label: string,
  range: { min: number; max: number; step: number; value: number; format(value: number): string },
  onInput: (value: number) => void,
): { element: HTMLElement; set(value: number): void } {
  const input = h("input", {
    type: "range",
    min: String(range.min),
    max: String(range.max),
    step: String(range.step),
    value: String(range.value),
  });
  const output = h("output", { textContent: range.format(range.value) });
  const show = (value: number): void => {
    output.textContent = range.format(value);
    input.style.setProperty("--done", `${(100 * (value - range.min)) / (range.max - range.min)}%`);
  };
  show(range.value);
  input.addEventListener("input", () => {
    show(Number(input.value));
    onInput(Number(input.value));
  });
  const set = (value: number): void => {
    input.value = String(value);
    show(value);
  };
  return { element: h("label", { class: "slider" }, h("span", { class: "name", textContent: label }), output, input), set };
}
