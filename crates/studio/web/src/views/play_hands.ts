// The mouse in a simulation: a click throws a ball or says where to go, a drag from a body pushes it.

import { ArrowHelper, Vector3 } from "three";
import type { Studio } from "../app/view";
import type { LiveSession } from "../parts/live";
import type { SessionAction } from "../protocol/types";
import { colors, onThemeChange } from "../scene/theme";

const CLICK_PIXELS = 4;
const BALL_STARTS_AWAY_M = 3.5;
export const PUSH_SECS = 0.15;
const USUAL_PUSH_N_PER_KG = 5;
/** Newtons for each kilogram of the character and each metre that was dragged, of a figure of usual height. */
const PUSH_N_PER_M_KG = 22;
const USUAL_HEIGHT_M = 1.75;
const FARTHEST_TARGET_M = 60;

interface Drag {
  body: number;
  point: Vector3;
  to: Vector3;
  planeDistance: number;
}

export class PlayHands {
  throwing: () => { speedMs: number; massKg: number | null } = () => ({ speedMs: 9, massKg: null });
  /** A click on the ground; gives whether that was meant. Otherwise it throws a ball. */
  onGround: (place: [number, number]) => boolean = () => false;
  private shown = false;
  private pressed: { x: number; y: number } | null = null;
  private drag: Drag | null = null;
  private readonly arrow = new ArrowHelper(new Vector3(1, 0, 0), new Vector3(), 0.1, colors().force);

  constructor(
    private readonly studio: Studio,
    private readonly live: LiveSession,
    private readonly act: (action: SessionAction) => void,
  ) {
    this.arrow.visible = false;
    onThemeChange(() => this.arrow.setColor(colors().force));
    const { canvas } = studio.viewport;
    canvas.addEventListener("pointerdown", (e) => this.shown && this.down(e), { capture: true });
    window.addEventListener("pointermove", (e) => this.shown && this.moved(e));
    window.addEventListener("pointerup", (e) => this.shown && this.up(e));
  }

  show(): void {
    this.shown = true;
    this.studio.viewport.world.add(this.arrow);
  }

  hide(): void {
    this.shown = false;
    this.letGo();
    this.arrow.removeFromParent();
  }

  /** From the side of the camera, as high as the middle. */
  throwAtMiddle(): void {
    if (this.live.actor === null) return;
    const { origin } = this.center();
    const target = new Vector3(...this.live.middle());
    const from = origin
      .sub(target)
      .setZ(0)
      .normalize()
      .multiplyScalar(this.awayM() * 0.7)
      .add(target);
    this.throwBall(from, target);
  }

  /** A push of the trunk: N along a direction in degrees from where the figure first faces, to the left. */
  pushing: () => { newtons: number; degrees: number } = () => ({ newtons: this.usualPush(), degrees: 0 });

  /** What a figure of its mass just notices: rounded, N. */
  usualPush(): number {
    const newtons = USUAL_PUSH_N_PER_KG * this.massKg();
    const step = 10 ** Math.floor(Math.log10(Math.max(newtons, 1e-6))) / 2;
    return Math.max(step, Math.round(newtons / step) * step);
  }

  /** Of the character that is played, m; of one without a height, as high as its centre of mass says. */
  heightM(): number {
    const { scene, character, latest } = this.live;
    return scene?.characters?.[character]?.height_m ?? Math.max(1.8 * (latest?.centerOfMass[2] ?? 1), 0.05);
  }

  /** A usual ball's speed for a figure of that height, m/s: as legs swing, with the square root. */
  usualSpeed(): number {
    return Math.max(1, Math.round(9 * Math.sqrt(this.firstHeightM / USUAL_HEIGHT_M)));
  }

  /** As high as it was when the simulation began: who lies is no smaller. */
  firstHeightM = USUAL_HEIGHT_M;

  pushTrunk(): void {
    const { scene, character } = this.live;
    const trunk = scene?.characters?.[character]?.root ?? scene?.bodies.findIndex((b) => b.is_character) ?? -1;
    const { newtons, degrees } = this.pushing();
    const [along, left] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    if (trunk >= 0) this.act({ action: "push", body: trunk, force: [newtons * along, newtons * left, 0], secs: PUSH_SECS });
  }

  private awayM(): number {
    return (BALL_STARTS_AWAY_M * this.firstHeightM) / USUAL_HEIGHT_M;
  }

  private center(): { origin: Vector3; direction: Vector3 } {
    const box = this.studio.viewport.canvas.getBoundingClientRect();
    return this.studio.viewport.ray({ clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 });
  }

  /** Of one character. */
  massKg(): number {
    const all = (this.live.scene?.bodies ?? []).reduce((m, b) => m + (b.is_character ? b.mass_kg : 0), 0);
    return all / Math.max(this.live.scene?.characters?.length ?? 1, 1);
  }

  /** Aims a little high, by what gravity takes on the way. */
  private throwBall(from: Vector3, target: Vector3): void {
    const { speedMs, massKg } = this.throwing();
    const way = target.clone().sub(from);
    const secs = way.length() / speedMs;
    const gravity = -(this.live.session?.gravity[2] ?? -9.81);
    const velocity = way.divideScalar(Math.max(secs, 1e-3));
    velocity.z += 0.5 * gravity * secs;
    from.z = Math.max(from.z, (0.25 * this.firstHeightM) / USUAL_HEIGHT_M);
    this.act({
      action: "throw",
      position: [from.x, from.y, from.z],
      velocity: [velocity.x, velocity.y, velocity.z],
      ...(massKg !== null ? { mass_kg: massKg } : {}),
    });
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0 || this.live.actor === null) return;
    this.pressed = { x: event.clientX, y: event.clientY };
    const hit = this.hit(event);
    if (hit === null) return;
    const { origin, direction } = this.studio.viewport.ray(event);
    const point = hit.point;
    this.drag = { body: hit.body, point, to: point.clone(), planeDistance: point.clone().sub(origin).dot(direction) };
    this.studio.viewport.controls.enabled = false;
  }

  private hit(event: PointerEvent): { body: number; point: Vector3 } | null {
    const { actor } = this.live;
    const mesh = actor?.bodyMesh;
    if (!actor || !mesh) return null;
    // Bodies can be grasped where the skin hides them.
    const visible = mesh.group.visible;
    mesh.group.visible = true;
    mesh.refreshBounds();
    const hits = this.studio.viewport.pick(event, [mesh.mesh]);
    mesh.group.visible = visible;
    const body = actor.bodyAt(hits);
    return body === null ? null : { body, point: this.studio.viewport.world.worldToLocal(hits[0].point.clone()) };
  }

  private moved(event: PointerEvent): void {
    const { drag } = this;
    if (drag === null) return;
    const { origin, direction } = this.studio.viewport.ray(event);
    const facing = this.center().direction;
    drag.to.copy(origin).addScaledVector(direction, drag.planeDistance / Math.max(direction.dot(facing), 0.2));
    const way = drag.to.clone().sub(drag.point);
    const length = way.length();
    this.arrow.visible = length > 0.03;
    if (!this.arrow.visible) return;
    this.arrow.position.copy(drag.point);
    this.arrow.setDirection(way.divideScalar(length));
    this.arrow.setLength(length, Math.min(0.12, 0.4 * length), 0.06);
    this.studio.viewport.invalidate();
  }

  private up(event: PointerEvent): void {
    const { pressed, drag } = this;
    this.pressed = null;
    if (pressed === null) return this.letGo();
    const isClick = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) <= CLICK_PIXELS;
    if (isClick && event.target === this.studio.viewport.canvas) {
      const place = drag === null && !event.shiftKey ? this.groundAt(event) : null;
      if (place === null || !this.onGround(place)) this.throwAlong(event, drag?.point ?? null);
    } else if (drag !== null && !isClick) {
      const force = drag.to
        .clone()
        .sub(drag.point)
        .multiplyScalar((PUSH_N_PER_M_KG * this.massKg() * USUAL_HEIGHT_M) / this.firstHeightM);
      this.act({
        action: "push",
        body: drag.body,
        force: [force.x, force.y, force.z],
        point: [drag.point.x, drag.point.y, drag.point.z],
        secs: PUSH_SECS,
      });
    }
    this.letGo();
  }

  private groundAt(event: PointerEvent): [number, number] | null {
    const { origin, direction } = this.studio.viewport.ray(event);
    const way = direction.z < -1e-3 ? -origin.z / direction.z : -1;
    return way > 0 && way < FARTHEST_TARGET_M ? [origin.x + way * direction.x, origin.y + way * direction.y] : null;
  }

  private throwAlong(event: PointerEvent, hit: Vector3 | null): void {
    const { origin, direction } = this.studio.viewport.ray(event);
    const middle = new Vector3(...this.live.middle());
    const target = hit ?? origin.clone().addScaledVector(direction, Math.max(middle.clone().sub(origin).dot(direction), 0.5));
    const from = target.clone().addScaledVector(direction, -Math.min(this.awayM(), 0.9 * target.distanceTo(origin)));
    this.throwBall(from, target);
  }

  private letGo(): void {
    this.drag = null;
    this.arrow.visible = false;
    this.studio.viewport.controls.enabled = true;
    this.studio.viewport.invalidate();
  }
}
