// How the key-framed motion is shown beside the simulated one: a choice that several views offer.

import { section, segments } from "./layout";
import type { Comparison } from "./player";

const CHOICES: { value: Comparison; label: string }[] = [
  { value: "ghost", label: "As a ghost" },
  { value: "sides", label: "Side by side" },
  { value: "off", label: "Hidden" },
];

/** The choice as a section of a panel. */
export function comparisonSection(now: Comparison, choose: (comparison: Comparison) => void): HTMLElement {
  return section("Key-framed motion", segments<Comparison>(CHOICES, now, choose));
}

/** The choice after this one, for a key that goes round. */
export function nextComparison(now: Comparison): Comparison {
  const at = CHOICES.findIndex((choice) => choice.value === now);
  return CHOICES[(at + 1) % CHOICES.length].value;
}
