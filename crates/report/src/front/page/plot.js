// The plot: points of all fronts as SVG, samples as dots on a canvas beneath.

const MARGIN = { left: 64, right: 20, top: 14, bottom: 46 };
const RAMP = [
  [112, 72, 176],
  [58, 108, 178],
  [33, 144, 141],
  [98, 184, 88],
  [226, 190, 40],
];
const ramp = (share) => {
  const at = Math.min(Math.max(share, 0), 1) * (RAMP.length - 1);
  const from = Math.min(Math.floor(at), RAMP.length - 2);
  return css(mix(RAMP[from], RAMP[from + 1], at - from));
};
const svg = (tag, attributes = {}, text = "") => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) element.textContent = text;
  return element;
};

class Plot {
  constructor(holder, data, pick) {
    Object.assign(this, { holder, data, pick, chosen: null, compared: null });
    this.dots = holder.appendChild(document.createElement("canvas"));
    this.root = holder.appendChild(svg("svg", { "aria-hidden": "true" }));
    this.tip = holder.appendChild(document.createElement("div"));
    this.tip.className = "tip";
    this.tip.hidden = true;
    this.samples = data.fronts.map((front) => decode16(front.samples));
    const colors = data.fronts
      .flatMap((front) => front.points.map((point) => point.color))
      .filter((value) => value !== null);
    this.colors = { low: Math.min(...colors), high: Math.max(...colors) };
    new ResizeObserver(() => this.draw()).observe(holder);
    holder.addEventListener("pointermove", (event) => this.hover(this.nearest(event, 26)));
    holder.addEventListener("pointerleave", () => this.hover(null));
    holder.addEventListener("click", (event) => {
      const point = this.nearest(event, 40);
      if (point) this.pick(point, event.shiftKey);
    });
  }

  colorOf(point) {
    if (this.data.color === null) return `var(--${point.isAssisted ? "assisted" : "natural"})`;
    if (point.color === null) return "var(--soft)";
    return ramp((point.color - this.colors.low) / (this.colors.high - this.colors.low || 1));
  }

  // Pixels of shares of both axes; null without a place.
  place([across, up]) {
    if (across === null || up === null) return null;
    const { width, height } = this;
    return [
      MARGIN.left + across * (width - MARGIN.left - MARGIN.right),
      height - MARGIN.bottom - up * (height - MARGIN.top - MARGIN.bottom),
    ];
  }

  nearest(event, within) {
    const box = this.holder.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let best = null;
    this.data.fronts.forEach((front) =>
      front.points.forEach((point) => {
        const place = this.place(point.place);
        const distance = place ? Math.hypot(place[0] - x, place[1] - y) : Infinity;
        if (distance < (best?.distance ?? within)) best = { distance, point };
      }),
    );
    return best?.point ?? null;
  }

  hover(point) {
    this.holder.classList.toggle("over", Boolean(point));
    this.tip.hidden = !point;
    if (!point) return;
    const [x, y] = this.place(point.place);
    const name = this.data.fronts.length > 1 ? `${this.data.fronts[point.front].name}, ${point.label}` : point.label;
    const head = Object.assign(document.createElement("strong"), { textContent: name });
    const kind = Object.assign(document.createElement("span"), {
      className: "kind",
      textContent: this.data.kinds[Number(point.isAssisted)],
    });
    kind.style.color = `var(--${point.isAssisted ? "assisted" : "natural"})`;
    const list = document.createElement("dl");
    this.data.quantities.forEach((quantity, i) => {
      list.appendChild(document.createElement("dt")).textContent = quantity.name;
      list.appendChild(document.createElement("dd")).textContent = `${point.values[i]} ${quantity.unit}`.trim();
    });
    this.tip.replaceChildren(head, kind, list);
    const [wide, high] = [this.tip.offsetWidth, this.tip.offsetHeight];
    this.tip.style.left = `${x + 16 + wide > this.width ? x - wide - 16 : x + 16}px`;
    this.tip.style.top = `${Math.max(Math.min(y - 0.5 * high, this.height - high - 4), 4)}px`;
  }

  select(chosen, compared) {
    Object.assign(this, { chosen, compared });
    this.drawPoints();
  }

  draw() {
    [this.width, this.height] = [this.holder.clientWidth, this.holder.clientHeight];
    if (!this.width || !this.height) return;
    this.root.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.drawSamples();
    const grid = svg("g", { class: "grid" });
    const [[left, bottom], [right, top]] = [this.place([0, 0]), this.place([1, 1])];
    const [x, y] = this.data.axes;
    // Where one kind ends and the other begins, if that is one place.
    const border = this.border();
    if (border !== null) {
      const at = this.place([border, 0])[0];
      grid.append(
        svg("rect", {
          class: "region",
          x: left,
          y: top,
          width: at - left,
          height: bottom - top,
          style: "fill:var(--natural)",
        }),
      );
      grid.append(
        svg("rect", {
          class: "region",
          x: at,
          y: top,
          width: right - at,
          height: bottom - top,
          style: "fill:var(--assisted)",
        }),
      );
    }
    // Labels that would meet are left out.
    const every = Math.ceil((x.ticks.length * 52) / (right - left));
    x.ticks.forEach(([share, label], i) => {
      const at = this.place([share, 0])[0];
      grid.append(svg("line", { x1: at, x2: at, y1: top, y2: bottom }));
      if (i % every === 0) grid.append(svg("text", { x: at, y: bottom + 18, "text-anchor": "middle" }, label));
    });
    y.ticks.forEach(([share, label]) => {
      const at = this.place([0, share])[1];
      grid.append(
        svg("line", { x1: left, x2: right, y1: at, y2: at }),
        svg("text", { x: left - 9, y: at + 4, "text-anchor": "end" }, label),
      );
    });
    const middle = 0.5 * (top + bottom);
    grid.append(
      svg("path", { class: "axis", d: `M${left} ${top}V${bottom}H${right}` }),
      svg("text", { class: "title", x: 0.5 * (left + right), y: this.height - 8, "text-anchor": "middle" }, x.title),
      svg(
        "text",
        { class: "title", x: 16, y: middle, "text-anchor": "middle", transform: `rotate(-90 16 ${middle})` },
        y.title,
      ),
    );
    this.points = svg("g");
    this.root.replaceChildren(grid, this.points);
    this.drawPoints();
  }

  // The share of the axis between the natural points of the first front and the others; null where they mingle.
  border() {
    const placed = this.data.fronts[0]?.points.filter((point) => point.place[0] !== null) ?? [];
    const first = placed.findIndex((point) => point.isAssisted);
    if (first < 1 || this.data.color !== null || placed.slice(first).some((point) => !point.isAssisted)) return null;
    return 0.5 * (placed[first - 1].place[0] + placed[first].place[0]);
  }

  drawSamples() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    [this.dots.width, this.dots.height] = [this.width * ratio, this.height * ratio];
    const context = this.dots.getContext("2d");
    context.scale(ratio, ratio);
    context.fillStyle = getComputedStyle(this.holder).getPropertyValue("--sample").trim();
    for (const numbers of this.samples) {
      for (let i = 0; i + 1 < numbers.length; i += 2) {
        const [x, y] = this.place([numbers[i] / 32767, numbers[i + 1] / 32767]);
        context.beginPath();
        context.arc(x, y, 1.4, 0, 2 * Math.PI);
        context.fill();
      }
    }
  }

  drawPoints() {
    if (!this.points) return;
    this.points.replaceChildren();
    this.data.fronts.forEach((front, number) => {
      const shown = front.points.filter((point) => this.place(point.place));
      if (front.isJoined)
        shown.slice(1).forEach((point, i) => {
          const [a, b] = [shown[i], point].map((one) => this.place(one.place));
          const style = `stroke:${this.colorOf(point)}${number ? ";stroke-dasharray:5 4" : ""}`;
          this.points.append(svg("line", { class: "joint", x1: a[0], y1: a[1], x2: b[0], y2: b[1], style }));
        });
    });
    this.data.fronts.forEach((front, number) =>
      front.points.forEach((point) => {
        const place = this.place(point.place);
        if (!place) return;
        const [x, y] = place;
        const isChosen = point === this.chosen;
        const size = isChosen ? 8 : 5.5;
        if (isChosen)
          this.points.append(
            svg("circle", { class: "halo", cx: x, cy: y, r: 14, style: `fill:${this.colorOf(point)}` }),
          );
        if (point === this.compared)
          this.points.append(
            svg("circle", { class: "compared", cx: x, cy: y, r: 11.5, style: `stroke:${this.colorOf(point)}` }),
          );
        const style = `fill:${this.colorOf(point)}`;
        this.points.append(
          number % 2
            ? svg("rect", {
                class: "point",
                x: x - size + 0.5,
                y: y - size + 0.5,
                width: 2 * size - 1,
                height: 2 * size - 1,
                rx: 1.5,
                style,
              })
            : svg("circle", { class: "point", cx: x, cy: y, r: size, style }),
        );
      }),
    );
  }
}
