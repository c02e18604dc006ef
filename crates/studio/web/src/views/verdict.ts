// What is said of a result, in lists and above it.

import type { ResultEntry } from "../protocol/types";

/** What a person would say of a result: its verdict with the reason, or whether it falls where no verdict was written. */
export function verdict(entry: ResultEntry): string {
  if (entry.verdict_sentence !== "") return entry.verdict_sentence;
  if (entry.completed === true) return "stays on its feet to the end";
  if (entry.fell_at_secs !== null) return `falls at ${entry.fell_at_secs.toFixed(2)} s`;
  return entry.completed === false ? "does not get to the end" : "";
}

/** The badge of a result in a list: what is not as it was drawn. */
export function verdictBadge(entry: ResultEntry): string | undefined {
  if (entry.completed === false) return "falls";
  return entry.verdict === "failed" || entry.verdict === "loose" ? entry.verdict : undefined;
}

/** How that badge looks: a fall and a failure are bad, a loose motion is not. */
export function badgeClass(entry: ResultEntry): string {
  return entry.completed === false || entry.verdict === "failed" ? "bad" : entry.verdict === "loose" ? "loose" : "";
}
