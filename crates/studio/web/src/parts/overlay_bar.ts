// The toggles over the picture: what is shown of a figure, framing and following. Remembered over views and visits.

import { h } from "../app/dom";
import { icon, type IconName } from "../app/icons";
import type { Shortcut } from "../app/keys";
import type { Overlays } from "../scene/actor";

const ENTRIES: { key: keyof Overlays; label: string; icon: IconName; shortcut: string }[] = [
  { key: "skin", label: "Skin", icon: "skin", shortcut: "k" },
  { key: "bodies", label: "Rigid bodies", icon: "bodies", shortcut: "b" },
  { key: "skeleton", label: "Skeleton", icon: "skeleton", shortcut: "j" },
  { key: "contacts", label: "Contacts and forces", icon: "contacts", shortcut: "c" },
  { key: "balance", label: "Centre of mass and support", icon: "balance", shortcut: "o" },
  { key: "heat", label: "Torque heat", icon: "heat", shortcut: "h" },
  { key: "help", label: "Help from outside", icon: "lift", shortcut: "u" },
];

export class OverlayBar {
  readonly element = h("div", { class: "overlay-bar", role: "toolbar", aria: { label: "What is shown" } });
  overlays: Overlays;
  follows: boolean;
  onChange: () => void = () => {};
  onFrame: () => void = () => {};
  private readonly buttons = new Map<keyof Overlays, HTMLButtonElement>();
  private readonly followButton: HTMLButtonElement;

  constructor(
    private readonly name: string,
    preset: Partial<Overlays>,
    shown: (keyof Overlays)[] = ENTRIES.map((e) => e.key),
    canFollow = true,
  ) {
    const kept = read(name);
    this.overlays = {
      skin: true,
      bodies: false,
      skeleton: false,
      contacts: false,
      balance: false,
      heat: false,
      help: true,
      ...preset,
      ...kept.overlays,
    };
    this.follows = kept.follows ?? true;
    for (const entry of ENTRIES.filter((e) => shown.includes(e.key))) {
      const button = h(
        "button",
        {
          class: "plain toggle",
          title: `${entry.label} (${entry.shortcut.toUpperCase()})`,
          data: { overlay: entry.key },
          aria: { label: entry.label },
          onclick: () => this.toggle(entry.key),
        },
        icon(entry.icon),
      );
      this.buttons.set(entry.key, button);
      this.element.append(button);
    }
    this.followButton = h(
      "button",
      { class: "plain toggle", title: "Follow (T)", aria: { label: "Follow" }, onclick: () => this.toggleFollow() },
      icon("follow"),
    );
    const frame = h(
      "button",
      { class: "plain", title: "Frame (F)", aria: { label: "Frame" }, onclick: () => this.onFrame() },
      icon("frame"),
    );
    this.followButton.hidden = !canFollow;
    this.element.append(h("span", { class: "gap" }), frame, this.followButton);
    this.show();
  }

  shortcuts(): Shortcut[] {
    const toggles = ENTRIES.filter((e) => this.buttons.has(e.key)).map((e) => ({
      keys: [e.shortcut],
      what: e.label,
      run: () => this.toggle(e.key),
    }));
    return [
      ...toggles,
      { keys: ["f"], what: "Frame the figure", run: () => this.onFrame() },
      { keys: ["t"], what: "Follow the figure", run: () => this.toggleFollow() },
    ];
  }

  private toggle(key: keyof Overlays): void {
    this.overlays = { ...this.overlays, [key]: !this.overlays[key] };
    this.changed();
  }

  private toggleFollow(): void {
    this.follows = !this.follows;
    this.changed();
  }

  private changed(): void {
    try {
      localStorage.setItem(`overlays.${this.name}`, JSON.stringify({ overlays: this.overlays, follows: this.follows }));
    } catch {
      // A browser that keeps nothing still shows everything.
    }
    this.show();
    this.onChange();
  }

  private show(): void {
    for (const [key, button] of this.buttons) button.setAttribute("aria-pressed", String(this.overlays[key]));
    this.followButton.setAttribute("aria-pressed", String(this.follows));
  }
}

function read(name: string): { overlays?: Partial<Overlays>; follows?: boolean } {
  try {
    return JSON.parse(localStorage.getItem(`overlays.${name}`) ?? "{}") as { overlays?: Partial<Overlays>; follows?: boolean };
  } catch {
    return {};
  }
}
