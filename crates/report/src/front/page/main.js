// The page: builds what cannot be without a script, and keeps plot, stage, table and dial at one point.

const data = JSON.parse(document.getElementById("front-data").textContent);
const motions = data.motions.map((packed) => new Motion(packed));
data.fronts.forEach((front, number) =>
  front.points.forEach((point) => {
    Object.assign(point, { front: number, motion: point.motion === null ? null : motions[point.motion] });
  }),
);
const everything = data.fronts.flatMap((front) => front.points);

const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
};
const option = (value, text) => Object.assign(make("option", {}, text), { value });
const titleOf = (point) => (data.fronts.length > 1 ? `${data.fronts[point.front].name}, ${point.label}` : point.label);

// Buttons of which one is pressed.
const choice = (name, options, change) => {
  const group = make("div", { class: "choice", role: "group", "aria-label": name });
  const press = (value) =>
    [...group.children].forEach((button) => button.setAttribute("aria-pressed", String(button.value === value)));
  for (const [value, text, hint] of options) {
    group.append(
      make(
        "button",
        {
          type: "button",
          value,
          title: hint,
          onclick: () => {
            press(value);
            change(value);
          },
        },
        text,
      ),
    );
  }
  press(options[0][0]);
  return group;
};

// ---- elements ------------------------------------------------------------------------------------------------------

const holder = make("div", {
  class: "plot-area",
  tabindex: "0",
  role: "group",
  "aria-label": `Plot of ${data.axes[1].title} against ${data.axes[0].title}. Left and right pick a point, up and down another front.`,
});
const dial = make("input", {
  type: "range",
  id: "dial",
  min: "0",
  max: "1000",
  step: "any",
  "aria-label": `Dial along the front: ${data.axes[0].title}`,
});
const legend = make("div", { class: "legend" });
const canvas = make("canvas", { tabindex: "0", role: "img", "aria-label": "The motion of the chosen point" });
const heading = make("div", { class: "heading" });
const readout = make("dl", { class: "readout" });
const playButton = make("button", {
  type: "button",
  class: "play",
  id: "play",
  onclick: () => (player.isPlaying ? player.pause() : player.play()),
});
const scrub = make("input", {
  type: "range",
  id: "scrub",
  min: "0",
  max: "1",
  step: "any",
  value: "0",
  "aria-label": "Time",
});
const seconds = make("span");
const phaseName = make("small");
const clock = make("div", { class: "clock" }, seconds, phaseName);
const phases = make("div", { class: "phases", "aria-hidden": "true" });
const speed = make(
  "select",
  { id: "speed", "aria-label": "Speed" },
  option("0.25", "¼ speed"),
  option("0.5", "½ speed"),
  option("1", "full speed"),
);
speed.value = "1";
const comparison = make("select", { id: "compare" }, option("", "nothing"));
everything.forEach((point, i) => {
  if (point.motion) comparison.append(option(String(i), titleOf(point)));
});
const layout = choice(
  "How to compare",
  [
    ["ghost", "ghost", "The other motion shines through"],
    ["beside", "side by side", "Each has its own half"],
  ],
  (value) => {
    stage.layout = value;
    render();
  },
);
const views = choice(
  "View",
  [
    ["side", "side"],
    ["turned", "three-quarter"],
  ],
  (value) => {
    Object.assign(stage.view, value === "side" ? SIDE_VIEW : THREE_QUARTERS);
    render();
  },
);
const fit = make(
  "label",
  { class: "check", title: "Otherwise all motions are shown to one scale" },
  make("input", {
    type: "checkbox",
    id: "fit",
    onchange: (event) => {
      stage.fitsEach = event.target.checked;
      render();
    },
  }),
  "zoom to fit",
);
const parade = {
  title: `All motions in step, by ${data.axes[0].title}. A click picks one.`,
  canvas: make("canvas", { role: "img", "aria-label": "All motions of the front side by side" }),
};
const spoken = make("output", { class: "spoken", "aria-live": "polite" });

document
  .getElementById("front")
  .append(
    make(
      "div",
      { class: "panels" },
      make(
        "section",
        { class: "panel", "aria-label": "Front" },
        legend,
        holder,
        make("div", { class: "dial" }, dial),
        make(
          "p",
          { class: "keys" },
          make("kbd", {}, "←"),
          make("kbd", {}, "→"),
          " along the front  ",
          ...(data.fronts.length > 1 ? [make("kbd", {}, "↑"), make("kbd", {}, "↓"), " other front  "] : []),
          make("kbd", {}, "space"),
          " play  ",
          make("kbd", {}, "c"),
          " keep to compare",
        ),
      ),
      make(
        "section",
        { class: "panel", "aria-label": "Motion" },
        heading,
        readout,
        canvas,
        make("div", { class: "time" }, playButton, make("div", { class: "track" }, scrub, phases), clock),
        make("div", { class: "controls" }, speed, make("label", {}, "compare with ", comparison), layout, views, fit),
      ),
    ),
    make("div", { class: "parade" }, make("p", {}, parade.title), make("div", { class: "row" }, parade.canvas)),
    spoken,
  );

const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
const swatch = (style, text, kind = "dot") => make("span", {}, make("i", { class: kind, style }), text);
if (data.color === null) {
  [false, true]
    .filter((kind) => everything.some((point) => point.isAssisted === kind))
    .forEach((kind) =>
      legend.append(swatch(`background:var(--${kind ? "assisted" : "natural"})`, data.kinds[Number(kind)])),
    );
} else {
  const texts = [...everything]
    .filter((point) => point.color !== null)
    .sort((a, b) => a.color - b.color)
    .map((point) => point.values[data.color]);
  const quantity = data.quantities[data.color];
  legend.append(
    make(
      "span",
      {},
      `${quantity.name} ${texts[0] ?? ""}`,
      make("i", {
        class: "ramp",
        style: `background:linear-gradient(90deg,${RAMP.map((color) => css(color)).join(",")})`,
      }),
      `${texts[texts.length - 1] ?? ""} ${quantity.unit}`,
    ),
  );
}
if (data.fronts.length > 1)
  data.fronts.forEach((front, number) => legend.append(swatch("", front.name, number ? "dashes" : "line")));
const sampleCount = data.fronts.reduce((sum, front) => sum + front.sampleCount, 0);
const leftOut = data.fronts.reduce((sum, front) => sum + front.samplesLeftOut, 0);
if (sampleCount)
  legend.append(
    swatch(
      "",
      plural(sampleCount, "sample") + (leftOut ? `, ${leftOut.toLocaleString("en")} beyond the axes` : ""),
      "speck",
    ),
  );

// ---- state ---------------------------------------------------------------------------------------------------------

let chosen = null;
let compared = null;
const stage = new Stage(canvas, motions);
stage.xQuantity = data.x;
const player = new Player(() => render());
const everyone = new Parade(parade.canvas, stage, (point, isComparison) =>
  isComparison ? compare(point) : choose(point, true),
);
const plot = new Plot(holder, data, (point, isComparison) => (isComparison ? compare(point) : choose(point, true)));
stage.onTurn = () => {
  [...views.children].forEach((button) => button.setAttribute("aria-pressed", "false"));
  render();
};

const rows = new Map(
  [...document.querySelectorAll("table.points tbody tr")].map((row) => [
    data.fronts[row.dataset.front].points[row.dataset.point],
    row,
  ]),
);

function choose(point, plays) {
  chosen = point;
  for (const [of, row] of rows) {
    row.setAttribute("aria-selected", String(of === chosen));
    row.tabIndex = of === chosen ? 0 : -1;
  }
  if (point.place[0] !== null) dial.value = String(1000 * point.place[0]);
  dial.setAttribute("aria-valuetext", `${point.label}: ${point.values[data.x]} ${data.quantities[data.x].unit}`);
  spoken.value = `${titleOf(point)}, ${data.kinds[Number(point.isAssisted)]}, ${data.quantities.map((quantity, i) => `${quantity.name} ${point.values[i]} ${quantity.unit}`).join(", ")}`;
  update();
  player.time = 0;
  player.rest = 0;
  if (plays) player.play();
  render();
}

function compare(point) {
  compared = point === compared || !point?.motion ? null : point;
  comparison.value = compared ? String(everything.indexOf(compared)) : "";
  update();
  render();
}

// Everything that depends on the points, not on time.
function update() {
  plot.select(chosen, compared);
  for (const [of, row] of rows) row.classList.toggle("compared", of === compared);
  const other = compared === chosen ? null : compared;
  stage.shown = [chosen, other].filter(Boolean);
  // One clock for all motions of the front, so that the dial changes nothing but the motion.
  const peers = data.fronts[chosen.front].points;
  everyone.line(peers, chosen);
  player.duration = chosen.motion
    ? Math.max(...[...peers, ...stage.shown].map((point) => point.motion?.duration ?? 0))
    : 0;
  scrub.max = String(player.duration);
  layout.classList.toggle("idle", !other);
  [...layout.children].forEach((button) => (button.disabled = !other));
  const kind = (point) =>
    make("span", { class: point.isAssisted ? "assisted" : "natural" }, data.kinds[Number(point.isAssisted)]);
  heading.replaceChildren(make("h2", {}, titleOf(chosen)), kind(chosen));
  readout.replaceChildren(
    ...data.quantities.map((quantity, i) =>
      make(
        "div",
        {},
        make("dt", {}, quantity.name),
        make(
          "dd",
          { class: chosen.isAssisted ? "assisted" : "natural" },
          chosen.values[i],
          quantity.unit ? make("small", {}, ` ${quantity.unit}`) : "",
        ),
        make("dd", { class: `other ${other?.isAssisted ? "assisted" : "natural"}` }, other?.values[i] ?? ""),
      ),
    ),
  );
  const lead = chosen.motion;
  phases.replaceChildren(
    ...(lead && lead.duration
      ? lead.phases.map(([start, name], i) => {
          const end = lead.phases[i + 1]?.[0] ?? lead.duration;
          return make(
            "span",
            {
              style: `left:${(100 * start) / player.duration}%;width:${(100 * Math.max(end - start, 0)) / player.duration}%`,
              title: name,
            },
            make("b", {}, name),
          );
        })
      : []),
  );
}

// Everything that depends on time.
function render() {
  if (!chosen) return;
  stage.draw(player.time);
  everyone.draw(player.time);
  playButton.textContent = player.isPlaying ? "❚❚" : "►";
  playButton.setAttribute("aria-label", player.isPlaying ? "Pause" : "Play");
  playButton.disabled = !player.duration;
  scrub.value = String(player.time);
  const lead = chosen.motion;
  const phase = lead ? lead.phaseAt(Math.min(player.time, lead.duration)) : "";
  seconds.textContent = `${player.time.toFixed(2)} s`;
  phaseName.textContent = phase;
  [...phases.children].forEach((span) => span.classList.toggle("now", span.title === phase));
}

const along = (step) => {
  const list = data.fronts[chosen.front].points;
  const next = list[Math.min(Math.max(list.indexOf(chosen) + step, 0), list.length - 1)];
  if (next !== chosen) choose(next, true);
  return next;
};
const across = (step) => {
  const front = data.fronts[chosen.front + step];
  if (!front?.points.length) return;
  const distance = (point) => Math.abs((point.place[0] ?? 9) - (chosen.place[0] ?? 0));
  choose(
    front.points.reduce((best, point) => (distance(point) < distance(best) ? point : best)),
    true,
  );
};

// ---- events --------------------------------------------------------------------------------------------------------

dial.addEventListener("input", () => {
  const distance = (point) => Math.abs((point.place[0] ?? 9) - dial.value / 1000);
  const near = data.fronts[chosen.front].points.reduce((best, point) =>
    distance(point) < distance(best) ? point : best,
  );
  if (near !== chosen) {
    const wanted = dial.value;
    choose(near, true);
    dial.value = wanted;
  }
});
dial.addEventListener("change", () => (dial.value = String(1000 * (chosen.place[0] ?? 0))));
scrub.addEventListener("input", () => {
  player.isPlaying = false;
  player.seek(Number(scrub.value));
});
speed.addEventListener("change", () => (player.speed = Number(speed.value)));
comparison.addEventListener("change", () => {
  compared = null;
  compare(everything[comparison.value] ?? null);
});

for (const [point, row] of rows) {
  row.addEventListener("click", (event) => (event.shiftKey ? compare(point) : choose(point, true)));
  row.addEventListener("keydown", (event) => {
    if (event.key === "Enter") choose(point, true);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    rows.get(along(step)).focus();
  });
}

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented || !chosen) return;
  const tag = event.target.tagName;
  if (tag === "SELECT" || tag === "TEXTAREA" || event.target === scrub) return;
  const isOnPlot = event.target === holder || event.target === canvas || event.target === dial;
  const acts = {
    ArrowRight: () => along(1),
    ArrowLeft: () => along(-1),
    Home: isOnPlot && (() => along(-1e9)),
    End: isOnPlot && (() => along(1e9)),
    ArrowUp: isOnPlot && (() => (data.fronts.length > 1 ? across(-1) : along(1))),
    ArrowDown: isOnPlot && (() => (data.fronts.length > 1 ? across(1) : along(-1))),
    " ":
      tag !== "BUTTON" && tag !== "INPUT" && tag !== "A" && (() => (player.isPlaying ? player.pause() : player.play())),
    c: () => compare(chosen),
    ",": () => {
      player.isPlaying = false;
      player.seek(player.time - 1 / 60);
    },
    ".": () => {
      player.isPlaying = false;
      player.seek(player.time + 1 / 60);
    },
  };
  const act = acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  stage.readTheme();
  plot.draw();
  render();
});
new ResizeObserver(() => render()).observe(canvas);
new ResizeObserver(() => render()).observe(parade.canvas);
document.querySelectorAll("table.points").forEach((table) => table.setAttribute("role", "grid"));

// The best without help, if there is one.
const first = data.fronts.find((front) => front.points.length);
if (first) {
  const natural = first.points.filter((point) => !point.isAssisted && point.motion);
  choose(natural[natural.length - 1] ?? first.points[0], !matchMedia("(prefers-reduced-motion: reduce)").matches);
} else {
  heading.append(make("p", {}, "The front has no points."));
}
