// What the reader does: dial, table, keys; then the first point is shown.

dial.addEventListener("input", () => {
  if (!chosen) return;
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
dial.addEventListener("change", () => (dial.value = String(1000 * (chosen?.place[0] ?? 0))));
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
