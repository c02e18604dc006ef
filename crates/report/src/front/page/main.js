// The state: one chosen point, perhaps one to compare it with, and a time; everything shows them.

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
