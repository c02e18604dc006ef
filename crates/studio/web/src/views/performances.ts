// From ids to something that can be played: the motion, its bodies, and the figure that follows them.

import type { Studio } from "../app/view";
import { getJson, getMotion } from "../protocol/http";
import type { Motion } from "../protocol/motion";
import type { CharacterDetail, Skin } from "../protocol/types";
import { parentsOf, type Cast } from "../scene/actor";
import type { Model } from "../scene/model";
import type { Performance } from "../parts/player";

/** A rig's clip on its own joints. */
export async function rigPerformance(studio: Studio, id: string, clip: string | undefined): Promise<Performance> {
  const [model, motion] = await Promise.all([studio.cache.model(id), getMotion("rig/motion", { id, clip })]);
  const parents = model.rig.joints.map((j) => j.parent);
  return { motion, cast: { bodies: motion.header.bodies, joints: motion.header.joints, parents, model, skin: model.skinOfJoints() } };
}

/** A rig's clip in a character's bodies. */
export async function characterPerformance(studio: Studio, id: string, clip: string): Promise<Performance> {
  const [character, motion] = await Promise.all([studio.cache.character(id), getMotion("character/motion", { id, clip })]);
  const { model, skin } = await figureOf(studio, character.rig, () => studio.cache.skin(id));
  return { motion, cast: castOf(motion, character, model, skin) };
}

/** A transfer: what came of it, and what it tried to follow. */
export async function resultPerformances(
  studio: Studio,
  id: string,
  rig: string | null,
): Promise<{ simulated: Performance; target: Performance | null }> {
  const [simulated, target] = await Promise.all([
    getMotion("result/motion", { id, which: "simulated" }),
    getMotion("result/motion", { id, which: "target" }).catch(() => null),
  ]);
  const { model, skin } = await figureOf(studio, rig, () => getJson<Skin>("result/skin", { id }));
  return both(simulated, target, null, model, skin);
}

/** A job: the best motion so far, and what it tries to follow. */
export async function jobPerformances(
  studio: Studio,
  job: number,
  character: string | undefined,
): Promise<{ simulated: Performance; target: Performance | null }> {
  const [simulated, target] = await Promise.all([
    getMotion("job/motion", { id: job }),
    getMotion("job/target", { id: job }).catch(() => null),
  ]);
  const detail = character === undefined ? null : await studio.cache.character(character).catch(() => null);
  // The server knows the rig and the bodies of a job, also where the project has no character for it.
  const skin = await getJson<Skin>("job/skin", { id: job }).catch(() => null);
  const model = skin === null ? null : await studio.cache.model(skin.rig).catch(() => null);
  return both(simulated, target, detail, model, model === null ? null : skin);
}

function both(
  simulated: Motion,
  target: Motion | null,
  character: CharacterDetail | null,
  model: Model | null,
  skin: Skin | null,
): { simulated: Performance; target: Performance | null } {
  return {
    simulated: { motion: simulated, cast: castOf(simulated, character, model, skin) },
    target: target === null ? null : { motion: target, cast: castOf(target, character, model, skin) },
  };
}

function castOf(motion: Motion, character: CharacterDetail | null, model: Model | null, skin: Skin | null): Cast {
  const { bodies, joints } = motion.header;
  return { bodies, joints, parents: parentsOf(bodies, joints, character, model, skin), model, skin };
}

/** Model and skin; a figure that cannot be had leaves the bodies to be shown. */
async function figureOf(
  studio: Studio,
  rig: string | null,
  skinOf: () => Promise<Skin>,
): Promise<{ model: Model | null; skin: Skin | null }> {
  if (rig === null) return { model: null, skin: null };
  try {
    const [model, skin] = await Promise.all([studio.cache.model(rig), skinOf()]);
    return { model, skin };
  } catch {
    return { model: null, skin: null };
  }
}
