// Lists what is in the project and takes files that are dropped in.

import { ask, connect, type State } from "./server";

const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const say = (text: string): void => void (element("status").textContent = text);

function list(id: string, lines: string[]): void {
  element(id).replaceChildren(
    ...lines.map((line) => {
      const item = document.createElement("li");
      item.textContent = line;
      return item;
    }),
  );
}

function show(state: State): void {
  if (state.project) document.title = `${state.project.name} · sinew studio`;
  list("rigs", (state.rigs ?? []).map((rig) => rig.name));
  list("characters", (state.characters ?? []).map((character) => character.name));
  list("results", (state.results ?? []).map((result) => result.name));
  list("jobs", (state.jobs ?? []).map((job) => `${job.title}: ${job.status}. ${job.message}`));
}

async function upload(files: Iterable<File>): Promise<void> {
  const all = [...files];
  const gltf = all.find((file) => /\.gltf$/i.test(file.name));
  const folder = gltf ? `&folder=${encodeURIComponent(gltf.name.replace(/\.gltf$/i, ""))}` : "";
  // Buffers and pictures come before the file that refers to them.
  all.sort((a, b) => Number(a === gltf) - Number(b === gltf));
  for (const file of all) {
    say(`Reading ${file.name} …`);
    try {
      const path = `upload?name=${encodeURIComponent(file.name)}${folder}`;
      const answer = await ask<{ kind: string; rig?: { repairs: string[] } }>(path, { method: "POST", body: file });
      list("repairs", answer.rig?.repairs ?? []);
      say(`${file.name} is in the library.`);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  }
}

const drop = element("drop");
element<HTMLInputElement>("file").onchange = (event) => void upload((event.target as HTMLInputElement).files ?? []);
document.ondragover = (event) => {
  event.preventDefault();
  drop.classList.add("over");
};
document.ondragleave = () => drop.classList.remove("over");
document.ondrop = (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  void upload(event.dataTransfer?.files ?? []);
};
connect(show, say);
