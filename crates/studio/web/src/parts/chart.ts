// Small charts as SVG: costs per window, and points on a front.

import { h, svg } from "../app/dom";
import type { WindowCosts } from "../protocol/types";

/** Ticks at 1, 2 or 5 times a power of ten. */
export function ticks(from: number, to: number, about: number): number[] {
  const span = Math.max(to - from, 1e-12);
  const raw = span / Math.max(about, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= raw) ?? 10);
  const list: number[] = [];
  for (let x = Math.ceil(from / step - 1e-9) * step; x <= to + 1e-9 * step; x += step) list.push(Math.abs(x) < 1e-12 * span ? 0 : x);
  return list;
}

export function short(x: number): string {
  const size = Math.abs(x);
  if (size >= 1e6) return `${(x / 1e6).toFixed(1)}M`;
  if (size >= 1e4) return `${Math.round(x / 1000)}k`;
  return String(Number(x.toPrecision(3)));
}

export interface CostSeries {
  label: string;
  windows: WindowCosts[];
  class: string;
}

/** Costs of the windows over time: the best as a line, samples kept alive as dots. */
export class CostChart {
  readonly element = h("div", { class: "chart" });
  private series: CostSeries[] = [];
  private untilSecs = 0;
  private cursorSecs: number | null = null;
  private cursor: SVGElement | null = null;
  private place: (secs: number) => number = () => 0;
  onSeek: (secs: number) => void = () => {};

  constructor() {
    new ResizeObserver(() => this.draw()).observe(this.element);
    this.element.addEventListener("click", (event) => {
      const box = this.element.getBoundingClientRect();
      const x0 = this.place(0);
      const x1 = this.place(1);
      this.onSeek((event.clientX - box.left - x0) / Math.max(x1 - x0, 1e-6));
    });
  }

  set(series: CostSeries[], untilSecs: number): void {
    this.series = series;
    this.untilSecs = Math.max(untilSecs, ...series.flatMap((s) => s.windows.map((w) => w.to_secs)), 0.5);
    this.draw();
  }

  setCursor(secs: number | null): void {
    this.cursorSecs = secs;
    const x = secs === null ? -10 : this.place(secs);
    this.cursor?.setAttribute("x1", String(x));
    this.cursor?.setAttribute("x2", String(x));
  }

  private draw(): void {
    const width = this.element.clientWidth;
    const height = this.element.clientHeight;
    if (width < 60 || height < 40) return;
    const left = 42,
      right = 12,
      top = 10,
      bottom = 22;
    // Samples far worse than the best way stay at the upper edge.
    const bests = this.series.flatMap((s) => s.windows.map((w) => w.best));
    const values = this.series.flatMap((s) => s.windows.flatMap((w) => w.kept));
    const most = Math.max(0.02, 1.15 * Math.max(...bests, 0), Math.min(1.1 * Math.max(...values, 0), 2 * Math.max(...bests, 0)));
    const x = (secs: number) => left + ((width - left - right) * secs) / this.untilSecs;
    const y = (cost: number) => top + (height - top - bottom) * (1 - Math.min(Math.max(cost, 0) / most, 1));
    this.place = x;
    const picture = svg("svg", {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": "Cost of each window over time",
    });
    for (const t of ticks(0, this.untilSecs, Math.max(2, width / 90))) {
      picture.append(
        svg("line", { x1: x(t), x2: x(t), y1: top, y2: height - bottom, class: "gridline" }),
        svg("text", { x: x(t), y: height - 7, "text-anchor": "middle" }, `${short(t)} s`),
      );
    }
    for (const c of ticks(0, most, 4)) {
      picture.append(
        svg("line", { x1: left, x2: width - right, y1: y(c), y2: y(c), class: "gridline" }),
        svg("text", { x: left - 6, y: y(c) + 3.5, "text-anchor": "end" }, short(c)),
      );
    }
    for (const s of this.series) {
      const middle = (w: WindowCosts) => x((w.from_secs + w.to_secs) / 2);
      for (const w of s.windows)
        for (const k of w.kept) picture.append(svg("circle", { cx: middle(w), cy: y(k), r: 1.8, class: `kept ${s.class}` }));
      const line = s.windows.map((w, i) => `${i === 0 ? "M" : "L"}${middle(w).toFixed(1)} ${y(w.best).toFixed(1)}`).join("");
      picture.append(svg("path", { d: line, class: `best ${s.class}` }));
      for (const w of s.windows)
        picture.append(
          svg(
            "circle",
            { cx: middle(w), cy: y(w.best), r: 3, class: `best-dot ${s.class}` },
            svg("title", {}, `${s.label}: ${short(w.best)} from ${short(w.from_secs)} to ${short(w.to_secs)} s`),
          ),
        );
    }
    this.cursor = svg("line", { x1: -10, x2: -10, y1: top, y2: height - bottom, class: "cursor" });
    picture.append(this.cursor);
    this.element.replaceChildren(picture);
    this.setCursor(this.cursorSecs);
  }
}
