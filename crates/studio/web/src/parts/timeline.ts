// Play, scrub, loop, speed: the clock of a recorded motion.

import { fill, h } from "../app/dom";
import { icon } from "../app/icons";
import type { Shortcut } from "../app/keys";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2];

export class Timeline {
  readonly element: HTMLElement;
  playing = true;
  loop = true;
  speed = 1;
  secs = 0;
  /** Something about the clock changed: show the new moment. */
  onChange: () => void = () => {};

  private durationSecs = 0;
  private rateHz = 60;
  private readonly playButton = h("button", { class: "plain", onclick: () => this.toggle() });
  private readonly loopButton = h(
    "button",
    { class: "plain toggle", title: "Loop (L)", onclick: () => this.setLoop(!this.loop) },
    icon("loop"),
  );
  private readonly slider = h("input", {
    type: "range",
    min: "0",
    max: "1000",
    step: "1",
    value: "0",
    class: "scrub",
    aria: { label: "Time" },
  });
  private readonly clock = h("output", { class: "clock" });
  private readonly marks = h("div", { class: "marks" });
  private readonly speedSelect = h(
    "select",
    { title: "Speed", aria: { label: "Speed" } },
    ...SPEEDS.map((s) => h("option", { value: String(s), textContent: `${s}×`, selected: s === 1 })),
  );

  constructor() {
    this.slider.addEventListener("input", () => {
      this.playing = false;
      this.seek((Number(this.slider.value) / 1000) * this.durationSecs);
    });
    this.speedSelect.addEventListener("change", () => (this.speed = Number(this.speedSelect.value)));
    const back = h("button", { class: "plain", title: "One frame back (←)", onclick: () => this.step(-1) }, icon("stepBack"));
    const on = h("button", { class: "plain", title: "One frame on (→)", onclick: () => this.step(1) }, icon("stepOn"));
    this.element = h(
      "div",
      { class: "timeline" },
      this.playButton,
      back,
      on,
      h("div", { class: "track" }, this.slider, this.marks),
      this.clock,
      this.speedSelect,
      this.loopButton,
    );
    this.show();
  }

  shortcuts(): Shortcut[] {
    return [
      { keys: [" "], what: "Play, pause", run: () => this.toggle() },
      { keys: ["arrowleft"], what: "One frame back", run: () => this.step(-1) },
      { keys: ["arrowright"], what: "One frame on", run: () => this.step(1) },
      { keys: ["home"], what: "To the start", run: () => this.seek(0) },
      { keys: ["end"], what: "To the end", run: () => this.seek(this.durationSecs) },
      { keys: ["l"], what: "Loop", run: () => this.setLoop(!this.loop) },
      { keys: ["-"], what: "Slower", run: () => this.shiftSpeed(-1) },
      { keys: ["+", "="], what: "Quicker", run: () => this.shiftSpeed(1) },
    ];
  }

  /** Takes the length of a motion; the moment stays where it is, as far as it can. */
  setMotion(durationSecs: number, rateHz: number): void {
    this.durationSecs = durationSecs;
    this.rateHz = rateHz;
    this.secs = Math.min(this.secs, durationSecs);
    this.element.classList.toggle("empty", durationSecs === 0);
    this.show();
  }

  /** Marks on the track, such as a fall. */
  setMarks(marks: { secs: number; what: string }[]): void {
    fill(
      this.marks,
      ...marks.map((m) => {
        const mark = h("i", { title: m.what });
        mark.style.left = `${(100 * m.secs) / Math.max(this.durationSecs, 1e-6)}%`;
        return mark;
      }),
    );
  }

  /** Lets time pass; gives whether it moved. */
  tick(secs: number): boolean {
    if (!this.playing || this.durationSecs === 0) return false;
    this.secs += secs * this.speed;
    if (this.secs > this.durationSecs) {
      if (this.loop) this.secs %= this.durationSecs;
      else {
        this.secs = this.durationSecs;
        this.playing = false;
      }
    }
    this.show();
    return true;
  }

  seek(secs: number): void {
    this.secs = Math.min(Math.max(secs, 0), this.durationSecs);
    this.show();
    this.onChange();
  }

  step(frames: number): void {
    this.playing = false;
    this.seek((Math.round(this.secs * this.rateHz) + frames) / this.rateHz);
  }

  toggle(): void {
    if (!this.playing && this.secs >= this.durationSecs) this.secs = 0;
    this.playing = !this.playing;
    this.show();
    this.onChange();
  }

  private setLoop(loop: boolean): void {
    this.loop = loop;
    this.show();
  }

  private shiftSpeed(by: number): void {
    const index = Math.min(Math.max(SPEEDS.indexOf(this.speed) + by, 0), SPEEDS.length - 1);
    this.speed = SPEEDS[index];
    this.speedSelect.value = String(this.speed);
  }

  private shown = { playing: null as boolean | null, loop: null as boolean | null, clock: "" };

  private show(): void {
    const { shown } = this;
    if (shown.playing !== this.playing) {
      shown.playing = this.playing;
      fill(this.playButton, icon(this.playing ? "pause" : "play"));
      this.playButton.title = this.playing ? "Pause (Space)" : "Play (Space)";
    }
    if (shown.loop !== this.loop) {
      shown.loop = this.loop;
      this.loopButton.setAttribute("aria-pressed", String(this.loop));
    }
    const clock = `${this.secs.toFixed(2)} / ${this.durationSecs.toFixed(2)} s`;
    if (shown.clock === clock) return;
    shown.clock = clock;
    this.clock.textContent = clock;
    this.slider.value = String(Math.round((1000 * this.secs) / Math.max(this.durationSecs, 1e-6)));
    this.slider.style.setProperty("--done", `${(100 * this.secs) / Math.max(this.durationSecs, 1e-6)}%`);
  }
}
