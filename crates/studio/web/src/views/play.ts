// Play: a simulated character under its controller, and everything one can do to it.

import { fill, h } from "../app/dom";
import type { Studio, View } from "../app/view";
import { field, select, slider, tidy } from "../parts/fields";
import { button, empty, hint, plan, section } from "../parts/layout";
import { LiveSession } from "../parts/live";
import { OverlayBar } from "../parts/overlay_bar";
import { DIVERGED, FALLEN, type Frame } from "../protocol/frame";
import type { ControllerKind, SessionAction, SessionEntry, SessionStart } from "../protocol/types";
import { TargetMarks } from "../scene/targets";
import { TeamRings } from "../scene/teams";
import { choices, first } from "./play_choice";
import { PlayHands, PUSH_SECS } from "./play_hands";
import { PackagePanel } from "./play_package";
import { Steering } from "./play_steer";

const CONTROLLERS: Record<ControllerKind, string> = {
  held_pose: "Holds its pose",
  open_loop: "Repeats its motion",
  feedback: "Keeps its balance",
  front: "A point of a front",
  learnt: "Learnt",
};
const GRAVITIES: [string, number][] = [
  ["Earth", 9.81],
  ["Mars", 3.71],
  ["Moon", 1.62],
  ["None", 0],
];

export class PlayView implements View {
  readonly element: HTMLElement;
  private readonly plan = plan("play");
  private readonly bar = new OverlayBar("play", { skin: true, contacts: false });
  private readonly live: LiveSession;
  private readonly hands: PlayHands;
  private readonly steering: Steering;
  private readonly package: PackagePanel;
  private readonly targets = new TargetMarks();
  private readonly teams = new TeamRings();
  private readonly message = hint("Choose who is to play on the left.");
  private readonly tips = h("p", {
    class: "stage-tip",
  });
  private readonly state = h("p", { class: "verdict" });
  private chosen: SessionStart | null = null;
  private speedMs = 9;
  private massKg: number | null = null;
  private stateText = "";
  private shown = false;
  /** A result that was asked for before the list of results was there. */
  private wanted: string | null = null;
  private timer = 0;

  constructor(private readonly studio: Studio) {
    this.element = this.plan.element;
    this.live = new LiveSession(studio, this.bar);
    this.live.onFrame = (frame) => {
      this.tell(frame);
      this.showTeams(frame);
      if (this.sized !== this.live.session?.id && this.live.actor !== null) this.takeSize();
    };
    this.live.onEnded = (reason) => {
      studio.status.news(reason);
      this.refresh();
    };
    this.hands = new PlayHands(studio, this.live, (action) => this.act(action));
    this.steering = new Steering(
      studio,
      this.live,
      (action) => this.act(action),
      () => this.package.entry()?.actions ?? [],
    );
    this.package = new PackagePanel(studio, this.live, this.steering, (characters) => {
      const start = this.live.session?.start;
      if (start?.what === "package") void this.start({ ...start, characters });
    });
    this.hands.onGround = (place) => this.steering.goTo(place);
    this.live.onPlayed = () => this.tellPlayed();
    this.plan.stage.append(this.bar.element, this.message, this.tips, this.steering.stick.element);
    this.plan.below.append(this.package.bar);
    const isUnsteered = (): boolean => this.live.session?.steers !== true;
    studio.keyboard.register("Play", [
      ...this.bar.shortcuts(),
      { keys: [" "], what: "Pause, go on", run: () => this.act({ action: "pause", paused: !(this.live.session?.paused ?? false) }) },
      { keys: ["."], what: "One frame, where it stands still", run: () => this.act({ action: "step" }) },
      { keys: ["arrowright"], what: "One frame, where nobody is steered", when: isUnsteered, run: () => this.act({ action: "step" }) },
      { keys: ["r", "backspace"], what: "Reset", run: () => this.act({ action: "reset" }) },
      { keys: ["v"], what: "Slow motion, or real time", run: () => this.setTimeScale((this.live.session?.time_scale ?? 1) < 1 ? 1 : 0.2) },
      {
        keys: ["z"],
        what: "No gravity, or the Earth's",
        when: isUnsteered,
        run: () => this.setGravity((this.live.session?.gravity[2] ?? -9.81) < 0 ? 0 : 9.81),
      },
      { keys: ["n"], what: "Throw a ball at its middle", run: () => this.hands.throwAtMiddle() },
      { keys: ["i"], what: "Push its trunk from behind", run: () => this.hands.pushTrunk() },
      ...this.steering.shortcuts(),
    ]);
    studio.store.on(
      ["results", "packages", "characters", "sessions"],
      () => this.shown && (this.chosen === null && this.live.session === null ? this.startSomething() : this.refresh()),
    );
  }

  show(parameters: URLSearchParams): void {
    this.shown = true;
    this.studio.viewport.attach(this.plan.stage);
    this.live.show();
    this.hands.show();
    this.steering.show();
    this.studio.viewport.world.add(this.targets.group, this.teams.group);
    this.timer = window.setInterval(() => this.note(), 500);
    const result = parameters.get("result");
    const pack = parameters.get("package");
    const entry = this.studio.store.results.find((r) => r.id === result);
    if ((result ?? pack) !== null && this.studio.store.version < 0) this.wanted = result ?? pack;
    else if (pack !== null) void this.start({ what: "package", package: pack, characters: 1 });
    else if (result !== null) void this.start({ what: "play", result, controller: entry?.has_policy ? "feedback" : "open_loop" });
    else if (this.chosen !== null) void this.start(this.chosen);
    else this.startSomething();
    this.refresh();
  }

  hide(): void {
    this.shown = false;
    window.clearInterval(this.timer);
    this.studio.status.note("");
    this.hands.hide();
    this.steering.hide();
    this.targets.group.removeFromParent();
    this.teams.group.removeFromParent();
    this.live.leave(true);
    this.live.hide();
  }

  private startSomething(): void {
    const start = first(this.studio.store, this.wanted);
    this.wanted = null;
    if (start !== null) void this.start(start);
  }

  private async start(start: SessionStart): Promise<void> {
    this.chosen = start;
    this.refresh();
    await this.studio.status.during("Starting the simulation…", () => this.live.start(start));
    if (!this.shown) this.live.leave(true);
    this.refresh();
  }

  private act(action: SessionAction): void {
    if (this.live.session === null) return;
    if (action.action === "reset") this.steering.forget();
    this.live.act(action).catch((error) => this.studio.status.error(error));
  }

  /** Balls and pushes are as large as the figure needs them. */
  private takeSize(): void {
    this.sized = this.live.session?.id ?? null;
    this.hands.firstHeightM = this.hands.heightM();
    this.speedMs = this.hands.usualSpeed();
    this.newtons = this.hands.usualPush();
    this.drawn = "";
    this.refreshRight();
  }

  private sized: number | null = null;
  private newtons = 0;
  private degrees = 0;

  private setTimeScale(scale: number): void {
    this.act({ action: "time_scale", time_scale: scale });
  }

  private setGravity(down: number): void {
    this.act({ action: "gravity", gravity: [0, 0, -down] });
  }

  private tellPlayed(): void {
    const places = (this.live.played?.characters ?? []).flatMap((c) => (c.target ? [c.target] : []));
    this.targets.show(places);
    this.package.tell();
    this.studio.viewport.invalidate();
  }

  private showTeams(frame: Frame): void {
    const { played, scene } = this.live;
    const members = (scene?.characters ?? []).flatMap(({ root, height_m: heightM }, index) => {
      const team = played?.characters[index]?.team;
      const [x, y] = frame.poses.subarray(7 * root, 7 * root + 2);
      return team == null ? [] : [{ team, heightM, place: [x, y] as [number, number] }];
    });
    this.teams.show(members);
  }

  private tell(frame: Frame): void {
    const doing = this.live.played?.characters[this.live.character]?.doing;
    const isDown = doing === undefined ? (frame.flags & FALLEN) !== 0 : doing === "limp" || doing === "standing_up";
    const text =
      (frame.flags & DIVERGED) !== 0
        ? "Its numbers left all reason; reset it."
        : isDown
          ? doing === undefined
            ? "It has fallen. R resets it."
            : "It has fallen, and gets up."
          : "On its feet.";
    if (text === this.stateText) return;
    this.stateText = text;
    this.state.textContent = text;
    this.state.classList.toggle("good", !isDown && (frame.flags & DIVERGED) === 0);
  }

  private note(): void {
    const { live } = this;
    this.studio.status.note(
      live.session === null || Number.isNaN(live.latencyMs)
        ? ""
        : `${live.framesPerSec.toFixed(0)} frames a second, ${Math.max(live.latencyMs, 0).toFixed(0)} ms behind`,
    );
  }

  private refresh(): void {
    const { store } = this.studio;
    const { session } = this.live;
    this.message.hidden = session !== null;
    this.tips.hidden = session === null;
    this.tips.textContent =
      session?.start.what === "package"
        ? "Click on the ground to go there, on the character to throw a ball; drag from it to push."
        : "Click to throw a ball. Drag from a body to push it. Drag elsewhere to look around.";
    this.steering.stick.element.hidden = session?.steers !== true;
    if (session === null) {
      this.targets.show([]);
      this.teams.show([]);
    }
    fill(
      this.plan.left,
      ...choices(store, {
        chosen: this.chosen,
        running: session?.id ?? null,
        start: (start) => void this.start(start),
        join: (other) => void this.join(other),
      }),
    );
    this.package.drawBar();
    this.refreshRight();
  }

  private async join(session: SessionEntry): Promise<void> {
    this.chosen = null;
    await this.studio.status.during("Looking on…", () => this.live.join(session));
    this.refresh();
  }

  private drawn = "";

  private refreshRight(): void {
    const { session, scene } = this.live;
    if (session === null) {
      this.drawn = "";
      fill(this.plan.right, section("Simulation", empty("Nothing runs yet.")));
      return;
    }
    // Sliders that are being dragged are not drawn anew by the news that they cause.
    const now = JSON.stringify([session.id, session.title, session.controller, session.paused, scene?.stream, this.package.entry()]);
    if (now === this.drawn) {
      this.setSliders(session.time_scale, -session.gravity[2]);
      return;
    }
    this.drawn = now;
    const policy =
      session.start.what === "play"
        ? this.studio.store.results.find((r) => session.start.what === "play" && r.id === session.start.result)?.has_policy
        : false;
    const kinds: ControllerKind[] =
      session.start.what === "play" ? ["held_pose", "open_loop", ...(policy ? (["feedback"] as const) : [])] : [session.controller];
    const masses = [...new Set((scene?.bodies ?? []).filter((b) => !b.is_character).map((b) => b.mass_kg))];
    this.massKg = masses.includes(this.massKg ?? NaN) ? this.massKg : (masses[0] ?? null);
    const time = slider(
      "Speed of time",
      { min: 0.05, max: 2, step: 0.05, value: session.time_scale, format: (v) => `${v.toFixed(2)} ×` },
      (v) => this.setTimeScale(v),
    );
    const gravity = slider(
      "Gravity",
      { min: 0, max: 20, step: 0.01, value: -session.gravity[2], format: (v) => `${v.toFixed(2)} m/s²` },
      (v) => this.setGravity(v),
    );
    this.setSliders = (t, g) => {
      if (!time.element.matches(":active")) time.set(t);
      if (!gravity.element.matches(":active")) gravity.set(g);
    };
    const speed = slider(
      "Ball's speed",
      { min: 0.5, max: Math.max(25, 3 * this.speedMs), step: 0.5, value: this.speedMs, format: (v) => `${v.toFixed(1)} m/s` },
      (v) => (this.speedMs = v),
    );
    const usual = this.hands.usualPush();
    const push = slider(
      "Push",
      { min: 0, max: 6 * usual, step: usual / 20, value: this.newtons, format: (v) => `${tidy(v)} N for ${PUSH_SECS} s` },
      (v) => (this.newtons = v),
    );
    push.element.dataset["key"] = "push-force";
    const direction = slider(
      "Direction",
      { min: -180, max: 180, step: 5, value: this.degrees, format: directionOf },
      (v) => (this.degrees = v),
    );
    direction.element.dataset["key"] = "push-direction";
    this.hands.pushing = () => ({ newtons: this.newtons, degrees: this.degrees });
    this.hands.throwing = () => ({ speedMs: this.speedMs, massKg: this.massKg });
    fill(
      this.plan.right,
      h("header", { class: "subject" }, h("h1", { textContent: session.title }), this.state),
      h(
        "div",
        { class: "actions wrap" },
        button(session.paused ? "Go on" : "Pause", () => this.act({ action: "pause", paused: !session.paused }), {
          icon: session.paused ? "play" : "pause",
          title: "Space",
          key: "pause",
        }),
        button("Reset", () => this.act({ action: "reset" }), { icon: "reset", title: "R", key: "reset" }),
        session.paused ? button("One frame", () => this.act({ action: "step" }), { icon: "stepOn", key: "step" }) : null,
      ),
      kinds.length > 1
        ? section(
            "Controller",
            field(
              "Controller",
              select(
                kinds.map((k) => ({ value: k, label: CONTROLLERS[k] })),
                session.controller,
                (k) => this.act({ action: "controller", controller: k }),
                "controller",
              ),
            ),
          )
        : null,
      ...this.package.sections(),
      section(
        "World",
        time.element,
        ...(session.steers
          ? []
          : [
              gravity.element,
              h(
                "div",
                { class: "actions wrap" },
                ...GRAVITIES.map(([name, g]) => button(name, () => this.setGravity(g), { key: `gravity:${name}` })),
              ),
            ]),
      ),
      section(
        "Balls",
        speed.element,
        masses.length > 0
          ? field(
              "Mass",
              select(
                masses.map((m) => ({ value: String(m), label: `${tidy(m)} kg` })),
                String(this.massKg),
                (m) => (this.massKg = Number(m)),
                "mass",
              ),
            )
          : null,
        h("div", { class: "actions wrap" }, button("Throw one", () => this.hands.throwAtMiddle(), { icon: "ball", key: "throw", title: "N" })),
      ),
      section(
        "Pushes",
        push.element,
        direction.element,
        h("div", { class: "actions wrap" }, button("Push it", () => this.hands.pushTrunk(), { key: "push", title: "I" })),
      ),
    );
  }

  private setSliders: (timeScale: number, gravity: number) => void = () => {};
}

/** A direction of the ground in words, from where the figure faces at the start. */
function directionOf(degrees: number): string {
  const names: [number, string][] = [
    [0, "forward"],
    [90, "to the left"],
    [180, "backward"],
    [-90, "to the right"],
    [-180, "backward"],
  ];
  const found = names.find(([at]) => Math.abs(at - degrees) < 1);
  return found === undefined ? `${degrees.toFixed(0)}°` : found[1];
}
