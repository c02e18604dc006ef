// The page: rail, views, status line, and the socket that keeps them up to date.

import "./style/base.css";
import "./style/layout.css";
import "./style/parts.css";
import "./style/play.css";
import { Cache } from "./app/cache";
import { h } from "./app/dom";
import { icon, type IconName } from "./app/icons";
import { Keyboard } from "./app/keys";
import { StatusLine } from "./app/status";
import { Store } from "./app/store";
import { themeSwitch } from "./app/theme_switch";
import { acceptDrops, sendFiles, uploadNews, type Onto } from "./app/uploads";
import type { Studio, View } from "./app/view";
import { sentence } from "./protocol/http";
import { Socket } from "./protocol/socket";
import { Viewport } from "./scene/viewport";
import { FrontsView } from "./views/fronts";
import { LibraryView } from "./views/library";
import { ModelerView } from "./views/modeler";
import { PlayView } from "./views/play";
import { StageView } from "./views/stage";
import { TransferView } from "./views/transfer";

const VIEWS: { name: string; label: string; icon: IconName; says: string; make(studio: Studio): View }[] = [
  {
    name: "library",
    label: "Library",
    icon: "library",
    says: "Drop rigged files on the page, or choose one on the left.",
    make: (s) => new LibraryView(s),
  },
  { name: "stage", label: "Stage", icon: "stage", says: "Motions, key-framed and simulated.", make: (s) => new StageView(s) },
  {
    name: "modeler",
    label: "Modeler",
    icon: "modeler",
    says: "Every edit is saved at once and can be undone.",
    make: (s) => new ModelerView(s),
  },
  { name: "transfer", label: "Transfer", icon: "transfer", says: "Jobs go on when the page is closed.", make: (s) => new TransferView(s) },
  { name: "fronts", label: "Fronts", icon: "fronts", says: "Click a point, or drag the dial.", make: (s) => new FrontsView(s) },
  { name: "play", label: "Play", icon: "play", says: "Characters that are steered, pushed and hit.", make: (s) => new PlayView(s) },
];

function begin(app: HTMLElement): void {
  const store = new Store();
  const status = new StatusLine();
  const keyboard = new Keyboard();
  const socket = new Socket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/socket`);
  const viewport = new Viewport();
  const studio: Studio = { store, socket, status, keyboard, viewport, cache: new Cache(), recent: { character: null }, go, takeFiles };

  const place = h("div", { class: "place" });
  const title = h("span", { class: "project", textContent: "sinew" });
  const tabs = new Map(
    VIEWS.map((v, i) => [
      v.name,
      h(
        "a",
        { class: "tab", href: `#/${v.name}`, title: `${v.label} (${i + 1})`, data: { view: v.name } },
        icon(v.icon),
        h("span", { textContent: v.label }),
      ),
    ]),
  );
  const help = h(
    "button",
    { class: "plain tab keys", title: "Keyboard shortcuts (?)", onclick: () => keyboard.help() },
    icon("help"),
    h("span", { textContent: "Keys" }),
  );
  app.append(
    h(
      "nav",
      { class: "rail", aria: { label: "Views" } },
      h("div", { class: "mark", title: "sinew studio" }, brand()),
      ...tabs.values(),
      h("span", { class: "spring" }),
      themeSwitch(),
      help,
    ),
    place,
    status.element,
  );
  status.element.prepend(title);

  const views = new Map<string, View>();
  let current: View | null = null;

  function go(view: string, parameters: Record<string, string> = {}): void {
    const query = new URLSearchParams(parameters).toString();
    const hash = `#/${view}${query ? `?${query}` : ""}`;
    if (location.hash === hash) route();
    else location.hash = hash;
  }

  function route(): void {
    const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
    const entry = VIEWS.find((v) => v.name === path) ?? VIEWS[0];
    current?.hide();
    let view = views.get(entry.name);
    if (view === undefined) {
      view = entry.make(studio);
      views.set(entry.name, view);
    }
    for (const [name, tab] of tabs) tab.setAttribute("aria-current", name === entry.name ? "page" : "false");
    place.replaceChildren(view.element);
    keyboard.activate(["Everywhere", entry.label]);
    document.title = `${entry.label} – sinew studio`;
    status.say(entry.says);
    current = view;
    view.show(new URLSearchParams(query ?? ""));
  }

  async function takeFiles(files: File[], onto?: Onto): Promise<void> {
    const done = await sendFiles(studio, files, onto);
    // What is selected is what the news names: the last rig, or else the last character.
    const rig = done.filter((d) => d.kind === "rig").pop();
    const character = done.filter((d) => d.kind === "character").pop();
    if (rig === undefined) {
      if (character !== undefined) go("modeler", { character: character.character.id });
      return;
    }
    for (const d of done) if (d.kind === "rig") studio.cache.forgetRig(d.rig.id);
    if (onto?.character !== undefined) studio.cache.forgetCharacter(onto.character);
    go("library", { rig: rig.rig.id, ...(rig.replaced ? { again: "" } : {}) });
    status.news(uploadNews(rig, onto));
  }

  keyboard.register("Everywhere", [
    ...VIEWS.map((v, i) => ({ keys: [String(i + 1)], what: v.label, run: () => go(v.name) })),
    { keys: ["?"], what: "These shortcuts, and what colours mean", run: () => keyboard.help() },
  ]);
  /** The rig or character whose row of a list is under the pointer. */
  function rowUnder(under: Element[]): Onto | undefined {
    const key = under.map((e) => e.closest<HTMLElement>("[data-key]")?.dataset.key).find((k) => k !== undefined && /^(rig|character):/.test(k));
    const id = key?.replace(/^[a-z]+:/, "");
    const rig = key?.startsWith("rig:") ? store.rigs.find((r) => r.id === id) : undefined;
    if (rig !== undefined) return { rig: rig.id, name: rig.name };
    const character = store.characters.find((c) => c.id === id);
    return character !== undefined && character.rig !== null
      ? { rig: character.rig, name: character.name, character: character.id }
      : undefined;
  }
  acceptDrops(rowUnder, (files, onto) => void takeFiles(files, onto));
  socket.listen((message) => {
    if (message.type === "hello") studio.cache.forgetAll();
    if (message.type === "character") studio.cache.forgetCharacter(message.id);
    store.receive(message);
    if (message.type === "notice") status.news(sentence(message.text));
    if (message.type === "error" && typeof message.request !== "number") status.error(new Error(sentence(message.error)));
  });
  socket.onConnection = (connected) => status.setConnected(connected);
  store.on(["project"], () => (title.textContent = store.project.name || "sinew"));
  window.addEventListener("hashchange", route);
  window.addEventListener("error", (event) =>
    status.error(new Error(`The page stumbled: ${event.message}. Reload it if something is missing.`)),
  );
  window.addEventListener("unhandledrejection", (event) => status.error(event.reason));
  socket.open();
  route();
  // For tests and for the curious: what a picture costs.
  Object.assign(window, { studio });
}

function brand(): SVGElement {
  const image = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  image.setAttribute("viewBox", "0 0 32 32");
  image.innerHTML =
    '<path d="M8 24c6 0 4-8 8-8s3-8 8-8" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round"/><circle cx="8" cy="24" r="2.6"/><circle cx="16" cy="16" r="2.6"/><circle cx="24" cy="8" r="2.6"/>';
  return image;
}

const app = document.getElementById("app");
if (app !== null) {
  try {
    begin(app);
  } catch (error) {
    app.textContent = `The studio cannot start in this browser: ${error instanceof Error ? error.message : String(error)}. It needs WebGL 2; update the browser or its graphics driver.`;
  }
}
