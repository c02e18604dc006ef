// Fronts: the best that can be had of two wishes against each other; a dial along it, simulated as it is turned.

import { fill, h, svg } from "../app/dom";
import type { Studio, View } from "../app/view";
import { short, ticks } from "../parts/chart";
import { button, empty, hint, plan, row, section } from "../parts/layout";
import { LiveSession } from "../parts/live";
import { OverlayBar } from "../parts/overlay_bar";
import { getJson } from "../protocol/http";
import type { FrontAxis, FrontDetail, FrontPoint } from "../protocol/types";

export class FrontsView implements View {
  readonly element: HTMLElement;
  private readonly plan = plan("fronts");
  private readonly bar = new OverlayBar("fronts", { skin: true, contacts: true });
  private readonly live: LiveSession;
  private readonly plot = h("div", { class: "front-plot" });
  private readonly dial = h("input", { type: "range", min: "0", max: "1", step: "0.001", value: "0", aria: { label: "Along the front" } });
  private readonly dialBox = h("div", { class: "dial" });
  private readonly message = hint("No fronts yet. A transfer with help from outside makes one.");
  private readonly numbers = h("div");
  private id: string | null = null;
  private front: FrontDetail | null = null;
  private value = 0;
  private sending = false;
  private starting = false;
  private hovered: FrontPoint | null = null;
  private shown = false;
  private wasListed = false;

  constructor(private readonly studio: Studio) {
    this.element = this.plan.element;
    this.live = new LiveSession(studio, this.bar);
    this.live.onEnded = (reason) => studio.status.news(reason);
    this.plan.stage.append(this.bar.element, this.message);
    this.plan.below.append(this.dialBox);
    this.dial.addEventListener("input", () => this.turnTo(Number(this.dial.value)));
    new ResizeObserver(() => this.drawPlot()).observe(this.plot);
    const step = (by: number) => this.turnTo(Math.min(Math.max(this.value + by, 0), 1));
    studio.keyboard.register("Fronts", [
      ...this.bar.shortcuts(),
      { keys: ["arrowleft"], what: "Dial down", run: () => step(-0.02) },
      { keys: ["arrowright"], what: "Dial up", run: () => step(0.02) },
      { keys: ["home"], what: "To the first point", run: () => this.turnTo(0) },
      { keys: ["end"], what: "To the last point", run: () => this.turnTo(1) },
      { keys: [" "], what: "Again from the start", run: () => this.again() },
    ]);
    studio.store.on(["fronts"], () => this.shown && this.refresh());
  }

  show(parameters: URLSearchParams): void {
    this.shown = true;
    this.studio.viewport.attach(this.plan.stage);
    this.live.show();
    const wanted = parameters.get("front");
    if (wanted !== null) void this.choose(wanted);
    this.refresh();
  }

  hide(): void {
    this.shown = false;
    this.live.leave(true);
    this.live.hide();
  }

  private async choose(id: string): Promise<void> {
    if (id !== this.id) this.wasListed = false;
    this.id = id;
    this.refresh();
    const front = await this.studio.status.during("Reading the front…", getJson<FrontDetail>("front", { id }));
    if (front === null || this.id !== id) return;
    this.live.leave(true);
    this.front = front;
    this.value = front.points[0]?.dial ?? 0;
    this.refresh();
    this.turnTo(this.value);
  }

  /** Turns the dial: the server takes the last of what is sent, and the page sends one at a time. */
  private turnTo(value: number): void {
    if (this.front === null) return;
    this.value = value;
    this.dial.value = String(value);
    this.dial.style.setProperty("--done", `${100 * value}%`);
    this.drawPlot();
    this.refreshNumbers();
    if (!this.sending) void this.send();
  }

  private async send(): Promise<void> {
    const id = this.id;
    if (id === null || this.starting) return;
    this.sending = true;
    let sent = NaN;
    try {
      while (sent !== this.value && this.id === id && this.shown) {
        sent = this.value;
        if (this.live.session === null) {
          this.starting = true;
          await this.live.start({ what: "front", front: id, dial: sent });
        } else await this.live.act({ action: "dial", dial: sent });
      }
    } catch (error) {
      this.studio.status.error(error);
    } finally {
      this.starting = false;
      this.sending = false;
    }
  }

  private again(): void {
    if (this.live.session === null) this.turnTo(this.value);
    else void this.live.act({ action: "reset" }).catch((e) => this.studio.status.error(e));
  }

  private refresh(): void {
    const { fronts } = this.studio.store;
    const isListed = fronts.some((f) => f.id === this.id);
    if (this.id !== null && this.wasListed && !isListed) {
      this.id = null;
      this.front = null;
      this.live.leave(false);
    }
    this.wasListed = isListed;
    if (this.id === null && fronts.length > 0 && this.shown) void this.choose(fronts[0].id);
    this.message.hidden = fronts.length > 0;
    fill(
      this.plan.left,
      section(
        "Fronts",
        ...(fronts.length > 0
          ? fronts.map((f) =>
              row({
                key: `front:${f.id}`,
                title: f.title,
                detail: `${f.points} points`,
                icon: "fronts",
                selected: f.id === this.id,
                onClick: () => void this.choose(f.id),
              }),
            )
          : [empty("None yet.")]),
      ),
    );
    const { front } = this;
    if (front === null) {
      fill(
        this.plan.right,
        section("Front", empty("Two wishes against each other are drawn here, such as the height of a jump and its effort.")),
      );
      fill(this.dialBox);
      return;
    }
    const [name, from, to] = front.dial;
    fill(
      this.dialBox,
      h("span", { class: "end", textContent: from }),
      h("label", {}, h("span", { class: "name", textContent: name }), this.dial),
      h("span", { class: "end", textContent: to }),
      button("Again", () => this.again(), { icon: "reset", title: "From the start (Space)" }),
    );
    fill(
      this.plan.right,
      h("header", { class: "subject" }, h("h1", { textContent: front.title }), h("p", { textContent: "Click a point to play it." })),
      this.plot,
      this.numbers,
    );
    this.drawPlot();
    this.refreshNumbers();
  }

  private refreshNumbers(): void {
    const { front } = this;
    if (front === null) return;
    const point = this.hovered ?? nearest(front.points, this.value);
    fill(
      this.numbers,
      section(
        this.hovered !== null ? "Under the pointer" : "Nearest point",
        point.label ? h("p", { class: "quiet", textContent: point.label }) : null,
        h(
          "dl",
          { class: "figures" },
          ...front.axes.flatMap((a, i) => [
            h("dt", { textContent: a.name }),
            h("dd", { textContent: `${short(point.values[i] ?? NaN)} ${a.unit}` }),
          ]),
        ),
        helpComment(front, point),
      ),
    );
  }

  private drawPlot(): void {
    const { front } = this;
    const width = this.plot.clientWidth;
    const height = this.plot.clientHeight;
    if (front === null || width < 60 || front.points.length === 0) return;
    const [a, b] = front.axes;
    const left = 48,
      right = 14,
      top = 14,
      bottom = 38;
    const range = (k: number): [number, number] => {
      const values = front.points.map((p) => scaled(p.values[k] ?? 0, front.axes[k]));
      const from = Math.min(...values),
        to = Math.max(...values);
      const margin = 0.08 * (to - from || 1);
      return [from - margin, to + margin];
    };
    const [x0, x1] = range(0),
      [y0, y1] = range(1);
    const x = (v: number) => left + ((width - left - right) * (scaled(v, a) - x0)) / (x1 - x0);
    const y = (v: number) => top + (height - top - bottom) * (1 - (scaled(v, b) - y0) / (y1 - y0));
    const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
    for (const t of axisTicks(x0, x1, width / 70, a))
      picture.append(
        svg("line", { x1: x(t), x2: x(t), y1: top, y2: height - bottom, class: "gridline" }),
        svg("text", { x: x(t), y: height - bottom + 15, "text-anchor": "middle" }, short(t)),
      );
    for (const t of axisTicks(y0, y1, height / 46, b))
      picture.append(
        svg("line", { x1: left, x2: width - right, y1: y(t), y2: y(t), class: "gridline" }),
        svg("text", { x: left - 6, y: y(t) + 3.5, "text-anchor": "end" }, short(t)),
      );
    const name = (axis: typeof a) =>
      `${axis.name}${axis.unit ? `, ${axis.unit}` : ""} (${axis.less_is_better ? "less" : "more"} is better)`;
    picture.append(svg("text", { x: (left + width - right) / 2, y: height - 5, "text-anchor": "middle", class: "axis-name" }, name(a)));
    if (b)
      picture.append(
        svg(
          "text",
          { transform: `translate(12 ${(top + height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle", class: "axis-name" },
          name(b),
        ),
      );
    const sorted = [...front.points].sort((p, q) => p.dial - q.dial);
    picture.append(
      svg("path", {
        class: "front-line",
        d: sorted.map((p, i) => `${i === 0 ? "M" : "L"}${x(p.values[0]).toFixed(1)} ${y(p.values[1]).toFixed(1)}`).join(""),
      }),
    );
    const place = (p: FrontPoint): [number, number] => [x(p.values[0]), y(p.values[1])];
    const now = front.is_stepped ? place(nearest(front.points, this.value)) : between(sorted, this.value, place);
    for (const [i, p] of front.points.entries()) {
      const dot = svg("circle", {
        cx: x(p.values[0]),
        cy: y(p.values[1]),
        r: 5,
        class: `front-point${p.label ? " labelled" : ""}`,
        tabindex: 0,
        role: "button",
        "data-point": i,
        "aria-label": `Point ${i + 1}: ${front.axes.map((axis, k) => `${axis.name} ${short(p.values[k])} ${axis.unit}`).join(", ")}`,
      });
      dot.addEventListener("click", () => {
        this.turnTo(p.dial);
        this.again();
      });
      dot.addEventListener("keydown", (e) => (e as KeyboardEvent).key === "Enter" && this.turnTo(p.dial));
      dot.addEventListener("pointerenter", () => this.hover(p));
      dot.addEventListener("pointerleave", () => this.hover(null));
      picture.append(dot);
    }
    picture.append(svg("circle", { cx: now[0], cy: now[1], r: 8, class: "front-now" }));
    this.plot.replaceChildren(picture);
  }

  private hover(point: FrontPoint | null): void {
    this.hovered = point;
    this.refreshNumbers();
  }
}

/** Help of more than the weight is no help any more. */
function helpComment(front: FrontDetail, point: FrontPoint): HTMLElement | null {
  const help = point.values[front.axes.findIndex((a) => a.name === "mean help")] ?? 0;
  if (help <= 100) return null;
  const text = `The mean help is ${(help / 100).toFixed(1)} times the weight: here the figure is carried along the drawing rather than helped. Take a point with less help, or make the character lighter or stronger.`;
  return h("p", { class: "comment", data: { key: "help-comment" }, textContent: text });
}

/** A value as it is drawn: its logarithm where the axis says so. */
function scaled(value: number, axis: FrontAxis | undefined): number {
  return axis?.is_logarithmic ? Math.log10(Math.max(value, 1e-9)) : value;
}

/** Values to mark between two drawn ends: on a logarithmic axis 1, 2 and 5 times powers of ten. */
function axisTicks(from: number, to: number, about: number, axis: FrontAxis | undefined): number[] {
  if (!axis?.is_logarithmic) return ticks(from, to, about);
  const marks = to - from > 2.2 ? [1] : to - from > 1 ? [1, 3] : [1, 2, 5];
  const list: number[] = [];
  for (let power = Math.floor(from); power <= Math.ceil(to); power++)
    for (const mark of marks) {
      const at = power + Math.log10(mark);
      if (at >= from && at <= to) list.push(mark * 10 ** power);
    }
  return list;
}

function nearest(points: FrontPoint[], dial: number): FrontPoint {
  return points.reduce((best, p) => (Math.abs(p.dial - dial) < Math.abs(best.dial - dial) ? p : best), points[0]);
}

/** In the picture, between the two points around a place on the dial. */
function between(sorted: FrontPoint[], dial: number, place: (p: FrontPoint) => [number, number]): [number, number] {
  const after = sorted.findIndex((p) => p.dial >= dial);
  if (after <= 0) return place(after === 0 ? sorted[0] : sorted[sorted.length - 1]);
  const p = sorted[after - 1],
    q = sorted[after];
  const t = (dial - p.dial) / Math.max(q.dial - p.dial, 1e-9);
  const [a, b] = [place(p), place(q)];
  return [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
}
