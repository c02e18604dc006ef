// A stick on touch screens: a knob in a ring that follows a finger.

import { h } from "../app/dom";

const RADIUS_PIXELS = 44;

export class TouchStick {
  private readonly knob = h("i");
  readonly element = h("div", { class: "touch-stick", aria: { label: "Stick: push it to where the character is to go" } }, this.knob);
  /** To the right and up, up to 1; null while nobody holds it. */
  place: [number, number] | null = null;
  onMove: () => void = () => {};

  constructor() {
    const { element } = this;
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      this.move(event);
    });
    element.addEventListener("pointermove", (event) => this.place !== null && this.move(event));
    for (const type of ["pointerup", "pointercancel"] as const) element.addEventListener(type, () => this.letGo());
    // Screens that can be touched and have a mouse show it from the first touch on.
    window.addEventListener("pointerdown", (event) => event.pointerType === "touch" && element.classList.add("touched"), { capture: true });
  }

  release(): void {
    if (this.place !== null) this.letGo();
  }

  private letGo(): void {
    this.place = null;
    this.knob.style.transform = "";
    this.onMove();
  }

  private move(event: PointerEvent): void {
    const box = this.element.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2];
    const shrink = 1 / Math.max(Math.hypot(x, y), RADIUS_PIXELS);
    this.place = [x * shrink, -y * shrink];
    this.knob.style.transform = `translate(${RADIUS_PIXELS * x * shrink}px, ${RADIUS_PIXELS * y * shrink}px)`;
    this.onMove();
    event.preventDefault();
  }
}
