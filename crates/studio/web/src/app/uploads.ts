// Files that are dropped on the page: parts of a glTF first, then what refers to them.

import type { Studio } from "./view";
import { upload } from "../protocol/http";
import type { Uploaded } from "../protocol/types";
import { h } from "./dom";
import { icon } from "./icons";

const RIGS = ["glb", "gltf", "fbx", "bvh", "txt", "toml"];
const CLIPS = ["glb", "gltf", "fbx", "bvh", "txt"];
const PARTS = ["bin", "png", "jpg", "jpeg", "ktx2", "webp"];

const ending = (name: string): string => name.split(".").pop()?.toLowerCase() ?? "";

/** A rig that the clips of dropped files are moved to, and the character that is to have them, where they fell on one. */
export interface Onto {
  rig: string;
  name: string;
  character?: string;
}

/** Sends files to the server and gives what came of them; each failure is one sentence in the status line. */
export async function sendFiles(studio: Studio, files: File[], onto?: Onto): Promise<Uploaded[]> {
  const known = files.filter((f) => [...RIGS, ...PARTS].includes(ending(f.name)));
  const unknown = files.find((f) => !known.includes(f));
  if (unknown !== undefined)
    studio.status.error(
      new Error(`${unknown.name} is no file that the studio reads; drop GLB, glTF with its buffers, FBX, BVH, DeepMimic's TXT or a character's TOML.`),
    );
  const large = known.find((f) => f.size > studio.store.project.largest_upload);
  if (large !== undefined) {
    studio.status.error(
      new Error(
        `${large.name} is larger than ${Math.round(studio.store.project.largest_upload / 1048576)} MB; make it smaller, for instance with smaller pictures.`,
      ),
    );
    return [];
  }
  const gltf = known.find((f) => ending(f.name) === "gltf");
  const folder = gltf?.name.replace(/\.[^.]*$/, "").replace(/[^A-Za-z0-9._-]+/g, "-");
  const sorted = [...known].sort((a, b) => rank(a) - rank(b));
  const done: Uploaded[] = [];
  for (const file of sorted) {
    const belongs = file === gltf || PARTS.includes(ending(file.name));
    const takesClips = onto !== undefined && CLIPS.includes(ending(file.name));
    const answer = await studio.status.during(
      takesClips ? `Moving the clips of ${file.name} to ${onto.name}…` : `Reading ${file.name}…`,
      upload<Uploaded>(
        file.name,
        {
          folder: belongs ? folder : undefined,
          ...(takesClips ? { onto: onto.rig, character: onto.character } : { replace: true }),
        },
        file,
      ),
    );
    if (answer !== null) done.push(answer);
  }
  return done;
}

/** One sentence on what came of a rig's file. */
export function uploadNews({ rig, replaced, unchanged }: Extract<Uploaded, { kind: "rig" }>, onto?: Onto): string {
  const where = "what the import did is listed on the right";
  if (onto !== undefined) return `${rig.name} is ${onto.name} with the clips; ${where}.`;
  if (replaced === undefined) return `${rig.name} is in the project; ${where}.`;
  if (unchanged) return `${rig.name} is in the project already, and the file has not changed.`;
  const kept = replaced.filter((c) => c.problem === undefined && c.lost.length === 0).map((c) => c.name);
  const others = replaced.flatMap((c) =>
    c.problem !== undefined ? [`${c.name} stays as it was: ${c.problem}`] : c.lost.length > 0 ? [`of ${c.name}, ${c.lost.join(" ")}`] : [],
  );
  return [`${rig.name} was read again`, ...(kept.length > 0 ? [`${kept.join(", ")} keeps its edits`] : []), ...others].join("; ").replace(/\.?$/, ".");
}

function rank(file: File): number {
  return PARTS.includes(ending(file.name)) ? 0 : 1;
}

/** Makes the whole page a place to drop files on; `find` tells on which rig or character of the page they fall, if any. */
export function acceptDrops(find: (under: Element[]) => Onto | undefined, onFiles: (files: File[], onto?: Onto) => void): void {
  const words = h("p", { textContent: "" });
  const veil = h("div", { class: "veil" }, h("div", {}, icon("download"), words));
  const under = (event: DragEvent): Onto | undefined => find(document.elementsFromPoint(event.clientX, event.clientY));
  veil.hidden = true;
  document.body.append(veil);
  let depth = 0;
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  window.addEventListener("dragenter", (event) => {
    if (!hasFiles(event)) return;
    depth += 1;
    veil.hidden = false;
  });
  window.addEventListener("dragleave", (event) => {
    if (!hasFiles(event)) return;
    depth = Math.max(0, depth - 1);
    veil.hidden = depth === 0;
  });
  window.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    const onto = under(event);
    veil.classList.toggle("onto", onto !== undefined);
    words.textContent = onto === undefined ? "Let go to bring it in, or onto a character to move its clips there" : `Let go to move its clips to ${onto.name}`;
  });
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    veil.hidden = true;
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) onFiles(files, under(event));
  });
}
