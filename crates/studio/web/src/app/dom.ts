// Elements in one line each.

type Child = Node | string | null | undefined | false;
type Properties<E> = { [K in keyof E]?: E[K] | undefined } & { class?: string; data?: Record<string, string>; aria?: Record<string, string> };

/** An element with properties, classes, data and children. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, properties: Properties<HTMLElementTagNameMap[K]> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
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

/** Replaces what is in an element and keeps the keyboard's focus on the child with the same `data-key`. */
export function fill(parent: Element, ...children: Child[]): void {
  const focused = parent.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset["key"] : undefined;
  parent.replaceChildren(...present(children));
  if (focused !== undefined) parent.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

function present(children: Child[]): (Node | string)[] {
  return children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false);
}
