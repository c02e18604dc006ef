// The keyboard: every shortcut is registered with a sentence, and `?` shows those that work in the present view.

import { fill, h } from "./dom";
import { legend } from "./legend";

export interface Shortcut {
  /** As `KeyboardEvent.key`, lower case, with `ctrl+` and `shift+` before it; `ctrl` is also the Mac's command key. */
  keys: string[];
  what: string;
  /** Whether it holds now; others with the same key may. */
  when?(): boolean;
  run(event: KeyboardEvent): void;
}

export class Keyboard {
  private readonly groups = new Map<string, Shortcut[]>();
  private active: string[] = [];
  private readonly dialog = h("dialog", { class: "help" });

  constructor() {
    document.body.append(this.dialog);
    document.addEventListener("keydown", (event) => this.pressed(event));
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
    this.releaseAfterMouse();
  }

  /** What was used with the mouse gives the keyboard back, so that Space plays and does not press the last button again. */
  private releaseAfterMouse(): void {
    let byMouse = false;
    document.addEventListener("pointerdown", () => (byMouse = true), { capture: true });
    document.addEventListener("keydown", () => (byMouse = false), { capture: true });
    const release = (event: Event): void => {
      const { target } = event;
      const isControl = target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && target.type !== "text");
      const used = isControl ? target : target instanceof Element ? target.closest("button") : null;
      const isSlider = target instanceof HTMLInputElement && target.type === "range";
      if (byMouse && used instanceof HTMLElement && (event.type === "change" || !isControl || isSlider)) used.blur();
    };
    document.addEventListener("click", release);
    document.addEventListener("change", release);
  }

  register(group: string, shortcuts: Shortcut[]): void {
    this.groups.set(group, shortcuts);
  }

  /** Groups that hold now; the later ones win. */
  activate(groups: string[]): void {
    this.active = groups;
  }

  help(): void {
    const section = (name: string) =>
      h(
        "section",
        {},
        h("h3", { textContent: name }),
        h(
          "dl",
          {},
          ...(this.groups.get(name) ?? []).map((s) =>
            h(
              "div",
              {},
              h("dt", {}, ...s.keys.slice(0, 2).map((k) => h("kbd", { textContent: label(k) }))),
              h("dd", { textContent: s.what }),
            ),
          ),
        ),
      );
    const close = h("button", { textContent: "Close", onclick: () => this.dialog.close() });
    fill(
      this.dialog,
      h("header", {}, h("h2", { textContent: "Keyboard and colours" }), close),
      h("div", { class: "columns" }, ...[...this.active].reverse().map(section), legend()),
    );
    this.dialog.showModal();
  }

  private pressed(event: KeyboardEvent): void {
    if (this.dialog.open || event.altKey) return;
    const name = nameOf(event);
    const typing = isTyping(event.target);
    // A slider that has the focus keeps the keys that move it; all others work.
    if (isSlider(event.target) && SLIDER_KEYS.includes(name)) return;
    if (typing && !name.startsWith("ctrl+") && name !== "escape") return;
    if (typing && ["ctrl+z", "ctrl+shift+z", "ctrl+y"].includes(name)) return;
    for (const group of [...this.active].reverse()) {
      const found = this.groups.get(group)?.find((s) => s.keys.includes(name) && (s.when?.() ?? true));
      if (found === undefined) continue;
      // A focused button answers to space itself.
      if (name === " " && event.target instanceof HTMLButtonElement) return;
      event.preventDefault();
      found.run(event);
      return;
    }
  }
}

function nameOf(event: KeyboardEvent): string {
  const key = event.key.toLowerCase();
  const shift = event.shiftKey && (key.length > 1 || /[a-z]/.test(key)) ? "shift+" : "";
  return `${event.ctrlKey || event.metaKey ? "ctrl+" : ""}${shift}${key}`;
}

const SLIDER_KEYS = ["arrowleft", "arrowright", "arrowup", "arrowdown", "home", "end", "pageup", "pagedown"];

function isSlider(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type === "range";
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button", "range"].includes(target.type);
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

function label(keys: string): string {
  const names: Record<string, string> = {
    " ": "Space",
    arrowleft: "←",
    arrowright: "→",
    arrowup: "↑",
    arrowdown: "↓",
    escape: "Esc",
    delete: "Del",
    backspace: "Backspace",
    enter: "Enter",
    ctrl: "Ctrl",
    shift: "Shift",
    home: "Home",
    end: "End",
  };
  return ([" ", "+"].includes(keys) ? [keys] : keys.split("+")).map((k) => names[k] ?? k.toUpperCase()).join(" ");
}
