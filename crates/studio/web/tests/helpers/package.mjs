// A package to play, written by the example that lies beside the program: the human that comes with it.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { BINARY } from "./server.mjs";

/** Writes it into a folder, within a second. */
export function writePackage(folder) {
  const beside = join(dirname(BINARY), "examples/toy_package");
  const program = process.env.SINEW_TOY ?? beside;
  if (!existsSync(program)) throw new Error(`${program} is missing; build it with cargo build -p sinew --example toy_package`);
  execFileSync(program, [folder, "human"]);
}

/** The same without its policy: a generator whose motion is shown. */
export function writeShown(folder, place) {
  cpSync(folder, place, { recursive: true });
  rmSync(join(place, "policy.safetensors"));
  const head = join(place, "package.toml");
  const text = readFileSync(head, "utf8").replace(/^"policy.safetensors".*\n/m, "").replace(/^name = .*$/m, 'name = "shown"');
  writeFileSync(head, text);
}
