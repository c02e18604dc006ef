// The curve of a training: its best figure over what was done.

import { h, svg } from "../app/dom";
import { short, ticks } from "./chart";

export class Curve {
  readonly element = h("div", { class: "chart" });
  private points: [number, number][] = [];
  private total = 1;

  constructor() {
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Figures over work; `total` is all the work, as far as is known. */
  set(points: [number, number][], total: number): void {
    this.points = points;
    this.total = Math.max(total, points.at(-1)?.[0] ?? 0, 1e-9);
    this.draw();
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width < 60 || height < 40) return;
    const [left, right, top, bottom] = [48, 22, 10, 22];
    const values = this.points.map((p) => p[1]);
    const low = Math.min(...values, 0);
    const high = Math.max(...values, low + 1e-6);
    const x = (done: number): number => left + ((width - left - right) * done) / this.total;
    const y = (value: number): number => top + (height - top - bottom) * (1 - (value - low) / (high - low));
    const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Best figure over the work done" });
    for (const t of ticks(0, 100, Math.max(2, width / 90)))
      picture.append(svg("text", { x: x((t / 100) * this.total), y: height - 7, "text-anchor": "middle" }, `${t} %`));
    for (const v of ticks(low, high, 4))
      picture.append(
        svg("line", { x1: left, x2: width - right, y1: y(v), y2: y(v), class: "gridline" }),
        svg("text", { x: left - 6, y: y(v) + 3.5, "text-anchor": "end" }, short(v)),
      );
    const line = this.points.map(([d, v], i) => `${i === 0 ? "M" : "L"}${x(d).toFixed(1)} ${y(v).toFixed(1)}`).join("");
    picture.append(svg("path", { d: line, class: "best s0 curve" }));
    const last = this.points.at(-1);
    if (last !== undefined) picture.append(svg("circle", { cx: x(last[0]), cy: y(last[1]), r: 3.5, class: "best-dot s0" }));
    this.element.replaceChildren(picture);
  }
}
