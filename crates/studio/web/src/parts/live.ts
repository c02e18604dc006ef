// A simulation that runs on the server: its figure in the viewport, from the frames of its stream.

import { Group } from "three";
import type { Studio } from "../app/view";
import type { Frame } from "../protocol/frame";
import type { Played, SceneDescription, SessionAction, SessionEntry, SessionStart } from "../protocol/types";
import { Actor, parentsOf } from "../scene/actor";
import type { OverlayBar } from "./overlay_bar";

export class LiveSession {
  readonly group = new Group();
  session: SessionEntry | null = null;
  scene: SceneDescription | null = null;
  actor: Actor | null = null;
  latest: Frame | null = null;
  /** How the characters of a package are. */
  played: Played | null = null;
  /** The character that is followed and steered. */
  character = 0;
  /** From the simulation of a moment to its picture, ms, averaged. */
  latencyMs = NaN;
  framesPerSec = 0;
  onFrame: (frame: Frame) => void = () => {};
  onPlayed: () => void = () => {};
  onEnded: (reason: string) => void = () => {};
  private unlisten: () => void = () => {};
  private fresh = false;
  private counted = 0;
  private countedFrom = performance.now();
  private framed = false;
  private building = 0;

  constructor(
    private readonly studio: Studio,
    private readonly bar: OverlayBar,
  ) {
    studio.socket.listen((message) => {
      if (message.type === "scene" && message.scene.stream === this.session?.id) void this.build(message.scene);
      else if (message.type === "scene") this.early.set(message.scene.stream, message.scene);
      else if (message.type === "played" && message.stream === this.session?.id) {
        this.played = message.played;
        this.onPlayed();
      } else if (message.type === "hello" && this.session !== null && !(message.state.sessions ?? []).some((s) => s.id === this.session?.id))
        this.ended("The server was restarted; start the simulation again.");
      else if (message.type === "hello" && this.session !== null) void studio.socket.watch(this.session.id).catch(() => {});
      else if (message.type === "ended") {
        this.early.delete(message.stream);
        if (message.stream === this.session?.id) this.ended(message.reason);
      }
    });
    studio.store.on(["sessions"], () => {
      const now = studio.store.sessions.find((s) => s.id === this.session?.id);
      if (now !== undefined) this.session = now;
    });
  }

  /** Descriptions that came before the answer that names their stream. */
  private readonly early = new Map<number, SceneDescription>();

  async start(start: SessionStart): Promise<void> {
    this.leave(true);
    const session = await this.studio.socket.start(start);
    this.owns = true;
    this.watchFrames(session);
  }

  /** Looks at a simulation that runs already. */
  async join(session: SessionEntry): Promise<void> {
    this.leave(true);
    this.owns = false;
    this.watchFrames(session);
    await this.studio.socket.watch(session.id);
  }

  act(action: SessionAction): Promise<unknown> {
    if (this.session === null) return Promise.resolve();
    return this.studio.socket.act(this.session.id, action);
  }

  private owns = false;

  /** Lets go; `end` also ends it, where it was started here. */
  leave(end: boolean): void {
    const id = this.session?.id;
    if (id !== undefined && this.studio.socket.connected) {
      (end && this.owns ? this.studio.socket.end(id) : this.studio.socket.unwatch(id)).catch(() => {});
    }
    this.drop();
  }

  show(): void {
    const { viewport } = this.studio;
    viewport.world.add(this.group);
    viewport.onTick = () => this.tick();
    viewport.follow(null);
    this.bar.onChange = () => {
      this.actor?.show(this.bar.overlays);
      viewport.invalidate();
    };
    this.bar.onFrame = () => this.frame();
    viewport.invalidate();
  }

  hide(): void {
    this.framed = false;
    this.group.removeFromParent();
    this.studio.viewport.onTick = null;
    this.studio.viewport.follow(null);
  }

  frame(): void {
    if (this.actor === null || this.latest === null) return;
    this.studio.viewport.frame(this.actor.box(this.character));
    this.framed = true;
  }

  private watchFrames(session: SessionEntry): void {
    this.session = session;
    this.unlisten = this.studio.socket.listenFrames(session.id, (frame) => this.receive(frame));
    const scene = this.early.get(session.id);
    this.early.clear();
    if (scene !== undefined) void this.build(scene);
  }

  private receive(frame: Frame): void {
    if (this.latest !== null && frame.sequence < this.latest.sequence) return;
    this.latest = frame;
    this.fresh = true;
    const latency = performance.now() + this.studio.socket.clockOffsetMs - frame.clockMs;
    this.latencyMs = Number.isNaN(this.latencyMs) ? latency : this.latencyMs + 0.1 * (latency - this.latencyMs);
    this.counted += 1;
    const secs = (performance.now() - this.countedFrom) / 1000;
    if (secs >= 1) {
      this.framesPerSec = this.counted / secs;
      this.counted = 0;
      this.countedFrom = performance.now();
    }
    this.onFrame(frame);
  }

  private async build(scene: SceneDescription): Promise<void> {
    const turn = ++this.building;
    this.scene = scene;
    const { cache, status, viewport } = this.studio;
    const skin = scene.skin ?? null;
    const model = scene.rig !== null && skin !== null ? await status.during("Loading the figure…", cache.model(scene.rig)) : null;
    const character = scene.character !== null ? await cache.character(scene.character).catch(() => null) : null;
    if (turn !== this.building) return;
    this.actor?.dispose();
    this.actor = new Actor({
      bodies: scene.bodies,
      joints: scene.joints,
      parents: parentsOf(scene.bodies, scene.joints, character, model, skin),
      model,
      skin,
      ...(scene.characters ? { characters: scene.characters } : {}),
    });
    this.group.add(this.actor.group);
    this.actor.show(this.bar.overlays);
    this.fresh = this.latest !== null;
    viewport.invalidate();
  }

  private tick(): boolean {
    if (this.actor === null || this.latest === null || !this.fresh) return false;
    this.fresh = false;
    this.actor.setFrame(this.latest);
    const { viewport } = this.studio;
    const middle = this.middle();
    if (!this.framed) this.frame();
    viewport.follow(this.bar.follows ? middle : null);
    viewport.lightOn(middle);
    return true;
  }

  /** Middle of the character that is steered. */
  middle(): [number, number, number] {
    return this.actor?.middle(this.character) ?? [0, 0, 1];
  }

  private ended(reason: string): void {
    this.drop();
    this.onEnded(reason);
  }

  private drop(): void {
    this.building += 1;
    this.unlisten();
    this.unlisten = () => {};
    this.session = null;
    this.scene = null;
    this.latest = null;
    this.played = null;
    this.character = 0;
    this.latencyMs = NaN;
    this.actor?.dispose();
    this.actor = null;
    this.framed = false;
    this.studio.viewport.follow(null);
    this.studio.viewport.invalidate();
  }
}
