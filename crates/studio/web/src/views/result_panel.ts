// Figures of runs and the files to take away.

import { h } from "../app/dom";
import { icon } from "../app/icons";
import { bytes, section } from "../parts/layout";
import { address } from "../protocol/http";
import type { ResultDetail, ResultFile, TakeDetail } from "../protocol/types";

const ROWS: { name: string; of(d: ResultDetail): number | null | undefined; show(x: number): string; lessIsBetter: boolean }[] = [
  { name: "End effectors off", of: (d) => d.summary?.fidelity?.effectors_off_percent, show: (x) => `${x.toFixed(1)} % of the size`, lessIsBetter: true },
  { name: "Joints off", of: (d) => d.summary?.fidelity?.joints_off_deg, show: (x) => `${x.toFixed(1)}°`, lessIsBetter: true },
  { name: "Cost", of: (d) => d.summary?.cost_mean ?? d.entry.cost_mean, show: (x) => x.toPrecision(3), lessIsBetter: true },
  { name: "Length", of: (d) => d.entry.duration_secs, show: (x) => `${x.toFixed(2)} s`, lessIsBetter: false },
  { name: "Falls at", of: (d) => d.entry.fell_at_secs, show: (x) => `${x.toFixed(2)} s`, lessIsBetter: false },
  { name: "Jerk ratio", of: (d) => d.summary?.jerk_ratio, show: (x) => `${x.toFixed(2)} ×`, lessIsBetter: true },
  { name: "Feet slide", of: (d) => d.summary?.foot_skate, show: (x) => `${(100 * x).toFixed(1)} cm`, lessIsBetter: true },
  { name: "Depth in ground", of: (d) => d.summary?.max_penetration, show: (x) => `${(1000 * x).toFixed(1)} mm`, lessIsBetter: true },
  { name: "Steps simulated", of: (d) => d.summary?.steps, show: (x) => `${(x / 1e6).toFixed(1)} million`, lessIsBetter: true },
];

export function resultFigures(detail: ResultDetail): HTMLElement {
  const entries = ROWS.flatMap((r) => {
    const x = r.of(detail);
    return typeof x === "number" ? [h("dt", { textContent: r.name }), h("dd", { textContent: r.show(x) })] : [];
  });
  const terms = Object.entries(detail.summary?.cost_terms ?? {});
  const sum = terms.reduce((s, [, v]) => s + v, 0);
  const bars = terms.map(([name, value]) => {
    const bar = h("i");
    bar.style.width = `${(100 * value) / Math.max(sum, 1e-9)}%`;
    return h(
      "div",
      { class: "load" },
      h("span", { textContent: name }),
      h("span", { class: "bar" }, bar),
      h("span", { class: "value", textContent: value.toPrecision(2) }),
    );
  });
  return section(
    "Figures",
    h("dl", { class: "figures" }, ...entries),
    terms.length > 0 ? h("h3", { textContent: "What the cost is made of" }) : null,
    h("div", { class: "loads" }, ...bars),
  );
}

/** Runs side by side; the best of a row is marked. */
export function comparisonTable(details: ResultDetail[]): HTMLElement {
  const head = h(
    "tr",
    {},
    h("th"),
    ...details.map((d, i) => h("th", {}, h("span", { class: `key s${i % 5}`, textContent: d.entry.name }))),
  );
  const rows = ROWS.map((r) => {
    const values = details.map((d) => r.of(d));
    const known = values.filter((v): v is number => typeof v === "number");
    if (known.length === 0) return null;
    const best = r.lessIsBetter && known.length > 1 ? Math.min(...known) : null;
    return h(
      "tr",
      {},
      h("th", { textContent: r.name }),
      ...values.map((v) => h("td", { class: v === best ? "best" : "", textContent: typeof v === "number" ? r.show(v) : "–" })),
    );
  });
  return section("Compared", h("div", { class: "table-box" }, h("table", { class: "comparison" }, head, ...rows)));
}

const ORDER = ["simulated.glb", "simulated.bvh", "trajectory.npz", "report.html"];

export function downloads(detail: ResultDetail): HTMLElement {
  const { id } = detail.entry;
  const rank = (name: string): number => (ORDER.indexOf(name) < 0 ? ORDER.length : ORDER.indexOf(name));
  const files = [...detail.files].sort((a, b) => rank(a.name) - rank(b.name) || a.name.localeCompare(b.name));
  const main = files.filter((f) => /\.(glb|bvh|npz|html)$/.test(f.name));
  const rest = files.filter((f) => !main.includes(f));
  const link = (f: ResultFile): HTMLElement => fileLink("result/file", id, f);
  return section(
    "Files",
    ...main.map(link),
    rest.length > 0 ? h("details", {}, h("summary", { textContent: `${rest.length} more` }), ...rest.map(link)) : null,
  );
}

/** The files of a take, with its hash and what was left out. */
export function takeFiles(take: TakeDetail): HTMLElement[] {
  return [
    h("dl", { class: "figures" }, h("dt", { textContent: take.id }), h("dd", { textContent: take.hash, data: { figure: "take" } })),
    ...take.files.map((f) => fileLink("take/file", take.id, f)),
    ...take.notes.map((note) => h("p", { class: "quiet", textContent: note })),
  ];
}

function fileLink(route: string, id: string, f: ResultFile): HTMLElement {
  const isPage = f.name.endsWith(".html");
  return h(
    "a",
    {
      class: "file",
      // A page's links lead on beside it.
      href: isPage && route === "result/file" ? beside(id, f.name) : address(route, { id, name: f.name }),
      title: f.what,
      data: { file: f.name },
      ...(isPage ? { target: "_blank", rel: "noopener" } : { download: f.name }),
    },
    icon(isPage ? "file" : "download"),
    h("span", { class: "text" }, h("span", { class: "title", textContent: f.name }), h("span", { class: "detail", textContent: f.what })),
    h("span", { class: "unit", textContent: bytes(f.bytes) }),
  );
}

/** The address of a file of a result under which links between its files hold. */
function beside(id: string, name: string): string {
  return `/files/${[...id.split("/"), name].map(encodeURIComponent).join("/")}`;
}
