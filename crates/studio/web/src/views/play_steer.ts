// The keys that drive a character which can be steered; the others do not hear them.

import type { Shortcut } from "../app/keys";
import type { Studio } from "../app/view";
import type { LiveSession } from "../parts/live";
import type { SessionAction } from "../protocol/types";

const WALK_MS = 1.2;
const RUN_MS = 3;

export class Steering {
  private readonly held = new Set<string>();
  private last = "";

  constructor(
    private readonly studio: Studio,
    private readonly live: LiveSession,
    private readonly act: (action: SessionAction) => void,
  ) {
    window.addEventListener("keyup", (e) => {
      if (this.held.delete(e.key.toLowerCase()) || e.key === "Shift") this.send(e.shiftKey);
    });
    window.addEventListener("blur", () => {
      this.held.clear();
      this.send(false);
    });
  }

  shortcuts(): Shortcut[] {
    const press = (event: KeyboardEvent): void => {
      if (this.live.session?.steers !== true) return;
      this.held.add(event.key.toLowerCase());
      this.send(event.shiftKey);
    };
    return [
      {
        keys: ["w", "a", "s", "d", "shift+w", "shift+a", "shift+s", "shift+d"],
        what: "Walk, with Shift run, where the character can be steered",
        run: press,
      },
    ];
  }

  /** Directions are the camera's: W leads away from it. */
  private send(runs: boolean): void {
    if (this.live.session?.steers !== true) return;
    const { camera, controls, world } = this.studio.viewport;
    const away = world.worldToLocal(controls.target.clone()).sub(world.worldToLocal(camera.position.clone()));
    const length = Math.hypot(away.x, away.y) || 1;
    const [fx, fy] = [away.x / length, away.y / length];
    const on = (key: string): number => (this.held.has(key) ? 1 : 0);
    const forward = on("w") - on("s");
    const left = on("a") - on("d");
    const speed = (runs ? RUN_MS : WALK_MS) / Math.max(Math.hypot(forward, left), 1);
    const velocity: [number, number] = [speed * (forward * fx - left * fy), speed * (forward * fy + left * fx)];
    const heading = forward !== 0 || left !== 0 ? Math.atan2(velocity[1], velocity[0]) : null;
    const text = JSON.stringify([velocity, heading]);
    if (text === this.last) return;
    this.last = text;
    this.act({ action: "steer", steer: { velocity, heading_rad: heading, buttons: [false, false, false, false] } });
  }
}
