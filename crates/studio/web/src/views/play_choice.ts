// The list of what can be played: packages, motions, characters, and what runs already.

import type { Store } from "../app/store";
import { empty, row, section } from "../parts/layout";
import type { SessionEntry, SessionStart } from "../protocol/types";
import { badgeClass, verdictBadge } from "./verdict";

export interface Choice {
  chosen: SessionStart | null;
  running: number | null;
  start(start: SessionStart): void;
  join(session: SessionEntry): void;
}

export function choices(store: Store, choice: Choice): (HTMLElement | null)[] {
  const { chosen } = choice;
  const isChosen = (s: SessionStart): boolean => chosen !== null && JSON.stringify(key(s)) === JSON.stringify(key(chosen));
  const entry = (start: SessionStart, options: Omit<Parameters<typeof row>[0], "selected" | "onClick">): HTMLElement =>
    row({ ...options, selected: isChosen(start), onClick: () => choice.start(start) });
  const packages = store.packages.map((p) =>
    entry(
      { what: "package", package: p.id, characters: 1 },
      {
        key: `package:${p.id}`,
        title: p.name,
        // The row has no room for the path, with which the sentence begins.
        detail: p.problem?.replace(/^.*?: /, "") ?? (p.actions.length > 0 ? p.actions.map((a) => a.name).join(", ") : "goes where it is told"),
        icon: "play",
        badge: p.problem ? "unusable" : p.is_simulated ? undefined : "motion alone",
        badgeClass: p.problem ? "bad" : "",
      },
    ),
  );
  const results = store.results.map((r) =>
    entry(
      { what: "play", result: r.id, controller: r.has_policy ? "feedback" : "open_loop" },
      {
        key: `result:${r.id}`,
        title: r.name,
        detail: r.has_policy ? "under feedback" : "as it was found",
        icon: "transfer",
        badge: verdictBadge(r),
        badgeClass: badgeClass(r),
      },
    ),
  );
  const characters = store.characters.map((c) =>
    entry(
      { what: "drop", character: c.id, height_m: 0.05 },
      { key: `character:${c.id}`, title: c.name, detail: "holds its pose", icon: "modeler" },
    ),
  );
  const others = store.sessions.filter((s) => s.id !== choice.running);
  return [
    packages.length > 0 ? section("Packages", ...packages) : null,
    section("Motions", ...(results.length > 0 ? results : [empty("A transfer makes one.")])),
    section("Characters", ...(characters.length > 0 ? characters : [empty("The library makes one.")])),
    others.length > 0
      ? section(
          "Running elsewhere",
          ...others.map((s) => row({ key: `session:${s.id}`, title: s.title, detail: "look on", onClick: () => choice.join(s) })),
        )
      : null,
  ];
}

/** What was chosen where nobody has: a package, the newest motion, or the first character. */
export function first(store: Store, wanted: string | null): SessionStart | null {
  const { packages, results, characters } = store;
  const result = results.find((r) => r.id === wanted);
  const usable = packages.find((p) => p.id === wanted) ?? packages.find((p) => !p.problem);
  const last = result ?? results[results.length - 1];
  if (result === undefined && usable !== undefined) return { what: "package", package: usable.id, characters: 1 };
  if (last !== undefined) return { what: "play", result: last.id, controller: last.has_policy ? "feedback" : "open_loop" };
  return characters[0] !== undefined ? { what: "drop", character: characters[0].id, height_m: 0.05 } : null;
}

/** What makes two starts the same choice on the left. */
function key(s: SessionStart): unknown {
  switch (s.what) {
    case "play":
      return [s.what, s.result];
    case "drop":
      return [s.what, s.character];
    case "front":
      return [s.what, s.front];
    case "package":
      return [s.what, s.package];
  }
}
