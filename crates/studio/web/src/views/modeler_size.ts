// How large a character is and what it weighs: the guess with its reason, and fields that overrule it.

import { h } from "../app/dom";
import { field, numberInput, select } from "../parts/fields";
import { section } from "../parts/layout";
import type { CharacterDetail, Up } from "../protocol/types";

/** What is asked of the server: a size to make the character again with; absent: as it is. `guess` guesses it anew. */
export interface Resize {
  height_m?: number;
  metres_per_unit?: number;
  up?: Up;
  guess?: boolean;
}

const DENSITY_OF_WATER = 1000;

/** Fields for height, scale, up axis, mass and density. An emptied field is the guess again. */
export function sizeSection(
  detail: CharacterDetail,
  resize: (size: Resize) => void,
  weigh: (mass: number) => void,
): HTMLElement {
  const { size, mass_kg } = detail;
  const density = mass_kg / Math.max(size.volume_m3, 1e-9);
  const isGivenMass = Math.abs(mass_kg / size.guessed_mass_kg - 1) > 1e-6;
  const weighing = detail.notes.find((n) => n.startsWith("It weighs "));
  const massField = (value: number, key: string, step: number, of: (value: number) => number) =>
    numberInput(value, step, (x) => weigh(of(x)), { key, min: 1e-6, onClear: () => weigh(size.guessed_mass_kg) });
  const hasRig = size.height_m !== null && size.metres_per_unit !== null && size.up !== null;
  return section(
    "Size and mass",
    ...(hasRig
      ? [
          field(
            "Height",
            numberInput(size.height_m, 0.05, (height_m) => resize({ height_m }), {
              key: "height",
              min: 0.001,
              onClear: () => resize({ guess: true }),
            }),
            "m",
          ),
          reason(
            size.size_source === "user"
              ? `As given; guessed were ${size.guessed_height_m?.toFixed(2)} m: ${size.size_reason}`
              : size.size_reason,
            "height-reason",
          ),
          field(
            "One unit is",
            numberInput(size.metres_per_unit, 0.01, (metres_per_unit) => resize({ metres_per_unit }), {
              key: "unit",
              min: 1e-9,
              digits: 5,
              onClear: () => resize({ guess: true }),
            }),
            "m",
          ),
          field(
            "Up axis",
            select<Up>(
              (["x", "y", "z"] as const).map((value) => ({ value, label: value })),
              size.up,
              (up) => resize({ up }),
              "up",
            ),
          ),
          reason(size.up_reason, "up-reason"),
        ]
      : []),
    field("Mass", massField(mass_kg, "total-mass", 1, (x) => x), "kg"),
    reason(isGivenMass ? `${weighing ?? ""}` : (weighing ?? "As its bodies weigh."), "mass-reason"),
    field(
      "Density",
      massField(density, "density", 50, (x) => x * size.volume_m3),
      "kg/m³",
    ),
    reason(
      `Mass over the volume of its shapes, ${(1000 * size.volume_m3).toFixed(1)} l; water has ${DENSITY_OF_WATER}. Joints get stronger with the mass.`,
      "density-reason",
    ),
  );
}

function reason(text: string, key: string): HTMLElement {
  return h("p", { class: "reason", data: { key }, textContent: text });
}
