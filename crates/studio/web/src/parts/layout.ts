// The plan that all views share: a list on the left, the picture in the middle, particulars on the right.

import { h } from "../app/dom";
import { icon, type IconName } from "../app/icons";

export interface Plan {
  element: HTMLElement;
  left: HTMLElement;
  stage: HTMLElement;
  below: HTMLElement;
  right: HTMLElement;
}

export function plan(name: string): Plan {
  const left = h("aside", { class: "panel left" });
  const stage = h("div", { class: "stage" });
  const below = h("div", { class: "below" });
  const right = h("aside", { class: "panel right" });
  const element = h("main", { class: `view ${name}` }, left, h("div", { class: "middle" }, stage, below), right);
  return { element, left, stage, below, right };
}

export function section(title: string, ...children: (Node | string | null | false)[]): HTMLElement {
  return h("section", { class: "block" }, h("h2", { textContent: title }), ...children);
}

export function row(options: {
  key: string;
  title: string;
  detail?: string;
  selected?: boolean;
  icon?: IconName;
  badge?: string | undefined;
  badgeClass?: string;
  onClick(): void;
}): HTMLButtonElement {
  return h(
    "button",
    {
      class: `row${options.selected ? " selected" : ""}`,
      data: { key: options.key },
      aria: { current: String(options.selected ?? false) },
      onclick: options.onClick,
    },
    options.icon ? icon(options.icon) : null,
    h(
      "span",
      { class: "text" },
      h("span", { class: "title", textContent: options.title }),
      options.detail ? h("span", { class: "detail", textContent: options.detail }) : null,
    ),
    options.badge ? h("span", { class: `badge ${options.badgeClass ?? ""}`, textContent: options.badge }) : null,
  );
}

export function empty(text: string): HTMLElement {
  return h("p", { class: "empty", textContent: text });
}

/** Sentences one under the other; names in backticks are set apart. */
export function sentences(list: string[], id = ""): HTMLElement {
  const item = (text: string): HTMLElement =>
    h("li", {}, ...text.split("`").map((part, i) => (i % 2 === 1 ? h("code", { textContent: part }) : part)));
  return h("ul", { class: "sentences", id }, ...list.map(item));
}

/** Something missing in the picture, in the middle of it. */
export function hint(text: string): HTMLElement {
  return h("p", { class: "stage-hint", textContent: text });
}

export function button(
  label: string,
  onClick: () => void,
  options: { icon?: IconName; primary?: boolean; disabled?: boolean; title?: string; key?: string; danger?: boolean } = {},
): HTMLButtonElement {
  const classes = `${options.primary ? "primary" : ""}${options.danger ? " danger" : ""}`;
  return h(
    "button",
    {
      class: classes,
      disabled: options.disabled ?? false,
      title: options.title ?? "",
      onclick: onClick,
      ...(options.key ? { data: { key: options.key } } : {}),
    },
    options.icon ? icon(options.icon) : null,
    label,
  );
}

/** One of a few, as joined buttons. */
export function segments<T extends string>(
  options: { value: T; label: string; icon?: IconName; title?: string }[],
  value: T | null,
  onChange: (value: T) => void,
): HTMLElement {
  const element = h("div", { class: "segments", role: "radiogroup" });
  const buttons = options.map((o) =>
    h(
      "button",
      {
        class: "plain",
        role: "radio",
        title: o.title ?? o.label,
        aria: { checked: String(o.value === value), label: o.label },
        onclick: () => {
          for (const b of buttons) b.setAttribute("aria-checked", String(b === mine(o.value)));
          onChange(o.value);
        },
      },
      o.icon ? icon(o.icon) : o.label,
    ),
  );
  const mine = (v: T) => buttons[options.findIndex((o) => o.value === v)];
  element.append(...buttons);
  return element;
}

export function bytes(n: number): string {
  return n < 1e6 ? `${Math.max(1, Math.round(n / 1000))} kB` : `${(n / 1e6).toFixed(1)} MB`;
}
