// Rigs, their models and characters, fetched once and again after they changed.

import { getBytes, getJson } from "../protocol/http";
import type { CharacterDetail, RigDetail, Skin } from "../protocol/types";
import { parseModel, type Model } from "../scene/model";

export class Cache {
  private readonly rigs = new Map<string, Promise<RigDetail>>();
  private readonly models = new Map<string, Promise<Model>>();
  private readonly characters = new Map<string, Promise<CharacterDetail>>();
  private readonly skins = new Map<string, Promise<Skin>>();

  rig(id: string): Promise<RigDetail> {
    return once(this.rigs, id, () => getJson<RigDetail>("rig", { id }));
  }

  /** The stage's GLB of a rig, parsed; `copy()` it for every use. */
  model(id: string): Promise<Model> {
    return once(this.models, id, async () => {
      const [rig, bytes] = await Promise.all([this.rig(id), getBytes("rig/stage.glb", { id })]);
      return parseModel(bytes, rig);
    });
  }

  character(id: string): Promise<CharacterDetail> {
    return once(this.characters, id, () => getJson<CharacterDetail>("character", { id }));
  }

  skin(characterId: string): Promise<Skin> {
    return once(this.skins, characterId, () => getJson<Skin>("character/skin", { id: characterId }));
  }

  /** Takes what an edit answered. */
  put(detail: CharacterDetail): void {
    this.characters.set(detail.id, Promise.resolve(detail));
    this.skins.delete(detail.id);
  }

  forgetCharacter(id: string): void {
    this.characters.delete(id);
    this.skins.delete(id);
  }

  /** Its clips have changed; its figure has not. */
  putRig(rig: RigDetail): void {
    this.rigs.set(rig.id, Promise.resolve(rig));
  }

  /** Its file has changed. */
  forgetRig(id: string): void {
    this.rigs.delete(id);
    this.models.delete(id);
  }

  forgetAll(): void {
    for (const map of [this.rigs, this.models, this.characters, this.skins]) map.clear();
  }
}

/** One request for all who ask; a failed one is forgotten. */
function once<T>(map: Map<string, Promise<T>>, id: string, make: () => Promise<T>): Promise<T> {
  const known = map.get(id);
  if (known !== undefined) return known;
  const promise = make();
  map.set(id, promise);
  promise.catch(() => map.get(id) === promise && map.delete(id));
  return promise;
}
