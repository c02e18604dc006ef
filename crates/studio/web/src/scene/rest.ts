// A character in its rest pose, as a frame like those of the server.

import type { Frame } from "../protocol/frame";
import type { CharacterDetail, SceneBody, SceneJoint } from "../protocol/types";

export function restFrame(detail: CharacterDetail): Frame {
  const poses = new Float32Array(7 * detail.rest.length);
  const center: [number, number, number] = [0, 0, 0];
  detail.rest.forEach((r, i) => {
    const [w, x, y, z] = r.orientation;
    poses.set([...r.position, x, y, z, w], 7 * i);
    for (let k = 0; k < 3; k++) center[k] += (r.center_of_mass[k] * (detail.character.body[i]?.mass ?? 0)) / Math.max(detail.mass_kg, 1e-9);
  });
  return {
    flags: 0,
    stream: 0,
    sequence: 0,
    timeSecs: 0,
    clockMs: 0,
    centerOfMass: center,
    bodyCount: detail.rest.length,
    poses,
    torques: new Float32Array(0),
    contactCount: 0,
    contactNumbers: new Float32Array(0),
    contactBodies: new Int32Array(0),
    help: null,
  };
}

export function sceneOf(detail: CharacterDetail): { bodies: SceneBody[]; joints: SceneJoint[] } {
  const { body, joint } = detail.character;
  const place = new Map(body.map((b, i) => [b.name, i]));
  return {
    bodies: body.map((b) => ({ name: b.name, is_character: true, mass_kg: b.mass, shapes: b.shape })),
    joints: joint.map((j) => ({
      name: j.name,
      body: place.get(j.child) ?? 0,
      parent: j.parent === undefined ? null : (place.get(j.parent) ?? null),
      torque_limit: j.torque_limit ?? null,
    })),
  };
}
