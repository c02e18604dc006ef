// Shows recorded motions in the viewport: one, or two over each other or side by side.

import { Group } from "three";
import type { Motion } from "../protocol/motion";
import { Actor, type Cast } from "../scene/actor";
import type { Viewport } from "../scene/viewport";
import type { OverlayBar } from "./overlay_bar";
import type { Timeline } from "./timeline";

export type Comparison = "off" | "ghost" | "sides";

export interface Performance {
  motion: Motion;
  cast: Cast;
}

export class Player {
  readonly group = new Group();
  comparison: Comparison = "ghost";
  main: Actor | null = null;
  private other: Actor | null = null;
  private mainMotion: Motion | null = null;
  private otherMotion: Motion | null = null;
  private framed = false;
  private shown = false;

  constructor(
    private readonly viewport: Viewport,
    private readonly bar: OverlayBar,
    private readonly timeline: Timeline,
  ) {
    bar.onChange = () => this.refresh();
    bar.onFrame = () => this.frame();
    timeline.onChange = () => this.pose();
  }

  show(): void {
    this.shown = true;
    this.viewport.world.add(this.group);
    this.viewport.onTick = (secs) => this.tick(secs);
    this.viewport.follow(null);
    this.frame();
    this.viewport.invalidate();
  }

  hide(): void {
    this.shown = false;
    this.group.removeFromParent();
    this.viewport.onTick = null;
    this.viewport.follow(null);
  }

  /** Shows a motion; `other` is what it is compared with. The camera stays where `keepCamera` is given and something was shown. */
  set(main: Performance | null, other: Performance | null, keepCamera = false): void {
    this.main?.dispose();
    this.other?.dispose();
    this.mainMotion = main?.motion ?? null;
    this.otherMotion = other?.motion ?? null;
    this.main = main === null ? null : new Actor(main.cast);
    this.other = other === null ? null : new Actor(other.cast, true);
    if (this.main) this.group.add(this.main.group);
    if (this.other) this.group.add(this.other.group);
    this.timeline.setMotion(Math.max(this.mainMotion?.durationSecs ?? 0, 0), this.mainMotion?.header.rate_hz ?? 60);
    const fell = this.mainMotion?.header.fell_at_secs;
    this.timeline.setMarks(typeof fell === "number" ? [{ secs: fell, what: `It falls at ${fell.toFixed(2)} s` }] : []);
    if (this.shown) this.viewport.follow(null);
    this.refresh();
    if (!keepCamera || !this.framed) this.frame();
  }

  /** Takes a better motion for the same bodies without building anything anew. */
  replaceMotion(motion: Motion): void {
    this.mainMotion = motion;
    this.timeline.setMotion(motion.durationSecs, motion.header.rate_hz);
    this.pose();
  }

  setComparison(comparison: Comparison): void {
    this.comparison = comparison;
    this.refresh();
  }

  /** Looks at the whole figure at this moment. */
  frame(): void {
    // The camera is another view's while this one is hidden.
    this.framed = this.shown && this.main !== null;
    if (!this.framed || this.main === null) return;
    this.pose();
    const box = this.main.box();
    if (this.other !== null && this.comparison === "sides") box.union(this.other.box());
    this.viewport.frame(box);
    this.viewport.lightOn(this.main.middle());
  }

  refresh(): void {
    this.main?.show(this.bar.overlays);
    if (this.other !== null) {
      this.other.group.visible = this.comparison !== "off";
      const height = this.other.cast.model?.rig.height_m ?? 1.5;
      this.other.group.position.y = this.comparison === "sides" ? -0.95 * height : 0;
      this.other.show({ ...this.bar.overlays, skin: this.bar.overlays.skin, contacts: false, balance: false, heat: false, help: false });
    }
    this.pose();
  }

  pose(): void {
    const { secs } = this.timeline;
    const frame = this.mainMotion?.at(secs) ?? null;
    if (frame !== null) this.main?.setFrame(frame);
    const other = this.other?.group.visible ? (this.otherMotion?.at(secs) ?? null) : null;
    if (other !== null) this.other?.setFrame(other);
    this.viewport.invalidate();
  }

  private tick(secs: number): boolean {
    const moved = this.timeline.tick(secs);
    if (moved) this.pose();
    if (this.main !== null) {
      const middle = this.main.middle();
      this.viewport.follow(this.bar.follows ? middle : null);
      this.viewport.lightOn(middle);
    }
    return moved;
  }
}
