// Elements in one line each.

type Child = Node | string | null | undefined | false;
type Properties<E> = { [K in keyof E]?: E[K] | undefined } & {
  class?: string;
  data?: Record<string, string>;
  aria?: Record<string, string>;
};

/** An element with properties, classes, data and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties<HTMLElementTagNameMap[K]> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  const { class: classes, data, aria, ...rest } = properties;
  if (classes) element.className = classes;
  for (const [name, value] of Object.entries(data ?? {})) element.dataset[name] = value;
  for (const [name, value] of Object.entries(aria ?? {})) element.setAttribute(`aria-${name}`, value);
  Object.assign(element, rest);
  element.append(...present(children));
  return element;
}

/** An SVG element with attributes. */
export function svg(tag: string, attributes: Record<string, string | number> = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...present(children));
  return element;
}

/**
 * Replaces what is in an element and keeps the keyboard's focus on the child with the same `data-key`.
 * While a button in it is being pressed or a number typed, nothing is taken away under the hand: the newest content waits.
 */
export function fill(parent: Element, ...children: Child[]): void {
  if (isBusy(parent)) waiting.set(parent, children);
  else {
    waiting.delete(parent);
    replace(parent, children);
  }
}

const waiting = new Map<Element, Child[]>();
let pressed: Element | null = null;

function isBusy(parent: Element): boolean {
  const active = document.activeElement;
  const isTyped =
    active instanceof HTMLInputElement && active.type === "text" && active.value !== active.defaultValue && parent.contains(active);
  return isTyped || (pressed !== null && pressed !== parent && parent.contains(pressed));
}

function fillWaiting(): void {
  for (const [parent, children] of [...waiting]) {
    if (isBusy(parent)) continue;
    waiting.delete(parent);
    replace(parent, children);
  }
}

document.addEventListener("pointerdown", (event) => (pressed = event.target instanceof Element ? event.target : null), { capture: true });
for (const type of ["pointerup", "pointercancel", "focusout", "change"]) {
  document.addEventListener(
    type,
    () => {
      if (type.startsWith("pointer")) window.setTimeout(() => (pressed = null));
      window.setTimeout(fillWaiting);
    },
    { capture: true },
  );
}

function replace(parent: Element, children: Child[]): void {
  const focused = parent.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset["key"] : undefined;
  parent.replaceChildren(...present(children));
  if (focused !== undefined) parent.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

function present(children: Child[]): (Node | string)[] {
  return children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false);
}
