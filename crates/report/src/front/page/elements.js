// What the page is made of beyond its tables: plot, stage, controls, legend.

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
          " or shift-click compare",
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
    make(
      "div",
      { class: "parade", hidden: true },
      make("p", {}, parade.title),
      make("div", { class: "row" }, parade.canvas),
    ),
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
