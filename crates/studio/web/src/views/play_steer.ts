// What steers a character of a package: keys, a gamepad, a stick on touch screens, and places on the ground.

import type { Shortcut } from "../app/keys";
import type { Studio } from "../app/view";
import type { LiveSession } from "../parts/live";
import type { PackageAction, SessionAction, Steer } from "../protocol/types";
import { TouchStick } from "./play_touch";

/** Speeds of a person of 1.75 m; others go as much faster as their legs swing slower. */
const WALK_MS = 1.2;
const RUN_MS = 3;
const USUAL_HEIGHT_M = 1.75;
const DEAD_ZONE = 0.15;
const EVERY_MS = 33;
const DIRECTIONS: Record<string, [right: number, away: number]> = {
  w: [0, 1],
  s: [0, -1],
  a: [-1, 0],
  d: [1, 0],
  arrowup: [0, 1],
  arrowdown: [0, -1],
  arrowleft: [-1, 0],
  arrowright: [1, 0],
};

export class Steering {
  readonly stick = new TouchStick();
  private readonly held = new Set<string>();
  private runs = false;
  private drives = false;
  private sent = "";
  private timer = 0;
  private pressed: boolean[] = [];

  constructor(
    private readonly studio: Studio,
    private readonly live: LiveSession,
    private readonly act: (action: SessionAction) => void,
    /** Actions of what is played, by their keys. */
    private readonly actions: () => PackageAction[],
  ) {
    window.addEventListener("keydown", (e) => this.shift(e.shiftKey));
    window.addEventListener("keyup", (e) => {
      const released = this.held.delete(e.key.toLowerCase());
      this.shift(e.shiftKey);
      if (released) this.tick();
    });
    window.addEventListener("blur", () => this.release());
    this.stick.onMove = () => this.tick();
  }

  show(): void {
    this.timer = window.setInterval(() => this.tick(), EVERY_MS);
  }

  hide(): void {
    window.clearInterval(this.timer);
    this.release();
  }

  shortcuts(): Shortcut[] {
    const when = (): boolean => this.steers();
    const keys = Object.keys(DIRECTIONS);
    return [
      {
        keys: [...keys, ...keys.map((k) => `shift+${k}`)],
        what: "Walk, with Shift run, where the character can be steered",
        when,
        run: (event) => {
          this.held.add(event.key.toLowerCase());
          this.tick();
        },
      },
      {
        keys: [..."1234567890"],
        what: "Its actions, where the character has some",
        when,
        run: (event) => {
          const action = this.actions().find((a) => a.key === event.key);
          if (action !== undefined && !event.repeat) this.perform(action.name);
        },
      },
    ];
  }

  perform(name: string): void {
    this.act({ action: "perform", character: this.live.character, name });
  }

  /** Gives whether somebody goes there. */
  goTo(target: [number, number]): boolean {
    if (!this.steers()) return false;
    this.tell({ target });
    return true;
  }

  goFreely(): void {
    this.tell("free");
  }

  /** Two teams of all characters: each goes for the nearest of the other, until it is steered again. */
  goForEachOther(count: number): void {
    this.forget();
    for (let character = 0; character < count; character++) this.act({ action: "steer", character, steer: { chase: 2 } });
  }

  /** Something else than the stick; or it was reset, and knows nothing of a stick that is held. */
  forget(): void {
    this.drives = false;
    this.sent = "";
  }

  private tell(steer: Steer): void {
    this.forget();
    this.act({ action: "steer", character: this.live.character, steer });
  }

  /** Another character is steered from now on; the one so far stands, unless it is on its way to a place. */
  choose(character: number): void {
    this.release();
    this.live.character = character;
    this.live.frame();
  }

  private steers(): boolean {
    return this.live.session?.steers === true;
  }

  private shift(runs: boolean): void {
    if (this.runs === runs) return;
    this.runs = runs;
    if (this.held.size > 0) this.tick();
  }

  private release(): void {
    this.held.clear();
    this.stick.release();
    this.tick();
  }

  /** Looks at everything that can be held, and tells the server where that has changed. */
  private tick(): void {
    if (!this.steers()) {
      this.drives = false;
      return;
    }
    const wish = this.wish();
    if (wish === null && !this.drives) return;
    this.drives = wish !== null;
    const velocity = wish ?? [0, 0];
    const text = JSON.stringify([this.live.session?.id, this.live.character, velocity, this.drives]);
    if (text === this.sent) return;
    this.sent = text;
    this.act({ action: "steer", character: this.live.character, steer: { velocity } });
  }

  /** A velocity in the world; the stick is the camera's: up leads away from it. */
  private wish(): [number, number] | null {
    const analog = this.gamepad() ?? this.stick.place;
    let [right, away] = analog ?? [0, 0];
    let speed = RUN_MS * Math.min(Math.hypot(right, away), 1);
    if (this.held.size > 0) {
      [right, away] = [...this.held].reduce(([r, a], key) => [r + DIRECTIONS[key][0], a + DIRECTIONS[key][1]], [0, 0]);
      speed = this.runs ? RUN_MS : WALK_MS;
    }
    const length = Math.hypot(right, away);
    if (length === 0) return this.held.size > 0 ? [0, 0] : null;
    const { camera, controls, world } = this.studio.viewport;
    const look = world.worldToLocal(controls.target.clone()).sub(world.worldToLocal(camera.position.clone()));
    const flat = Math.hypot(look.x, look.y) || 1;
    const [x, y] = [look.x / flat, look.y / flat];
    const height = this.live.scene?.characters?.[this.live.character]?.height_m ?? USUAL_HEIGHT_M;
    const scale = (speed * Math.sqrt(height / USUAL_HEIGHT_M)) / length;
    const tidy = (v: number): number => Math.round(100 * scale * v) / 100;
    return [tidy(away * x + right * y), tidy(away * y - right * x)];
  }

  /** The left stick, where it is not at rest; buttons are actions in their order. */
  private gamepad(): [number, number] | null {
    const pad = navigator.getGamepads?.().find((p) => p?.connected);
    if (!pad) return null;
    const pressed = pad.buttons.map((b) => b.pressed);
    pressed.forEach((is, i) => {
      const action = this.actions()[i];
      if (is && this.pressed[i] !== true && action !== undefined) this.perform(action.name);
    });
    this.pressed = pressed;
    const [x, y] = [pad.axes[0] ?? 0, -(pad.axes[1] ?? 0)];
    return Math.hypot(x, y) < DEAD_ZONE ? null : [x, y];
  }
}
