// A figure on the stage with everything that can be shown of it: skin, bodies, skeleton, contacts, balance, torque heat.

import { Box3, Group, Vector3, type Intersection } from "three";
import type { Frame } from "../protocol/frame";
import type { CharacterDetail, SceneBody, SceneCharacter, SceneJoint, Skin } from "../protocol/types";
import { BalanceOverlay } from "./balance";
import { BodyMesh } from "./bodies";
import { BoneOverlay } from "./bones";
import { ContactOverlay } from "./contacts";
import { HelpOverlay } from "./help";
import type { Figure, Model } from "./model";
import { colors, onThemeChange } from "./theme";

export interface Overlays {
  skin: boolean;
  bodies: boolean;
  skeleton: boolean;
  contacts: boolean;
  balance: boolean;
  heat: boolean;
  help: boolean;
}

export interface Cast {
  bodies: SceneBody[];
  joints: SceneJoint[];
  parents: (number | null)[];
  model?: Model | null;
  skin?: Skin | null;
  /** Where several wear the skin. */
  characters?: SceneCharacter[];
}

const SKIN_OVER_BODIES = 0.22;

export class Actor {
  readonly group = new Group();
  readonly bodyMesh: BodyMesh | null;
  readonly balls: BodyMesh | null;
  readonly figures: Figure[];
  frame: Frame | null = null;
  private readonly bones: BoneOverlay;
  private readonly contacts: ContactOverlay;
  private readonly balance = new BalanceOverlay();
  private readonly help: HelpOverlay;
  private showsHelp = false;
  private readonly forgetTheme: () => void;

  constructor(
    readonly cast: Cast,
    readonly isGhost = false,
  ) {
    const own = indices(cast.bodies, (b) => b.is_character && b.shapes.length > 0);
    const others = indices(cast.bodies, (b) => !b.is_character);
    this.bodyMesh =
      own.length > 0
        ? new BodyMesh(
            own.map((i) => cast.bodies[i]),
            own,
            isGhost,
          )
        : null;
    this.balls =
      others.length > 0
        ? new BodyMesh(
            others.map((i) => cast.bodies[i]),
            others,
          )
        : null;
    this.figures = dressed(cast);
    const height = cast.model?.rig.height_m ?? 1.5;
    const mass = cast.bodies.reduce((sum, b) => sum + (b.is_character ? b.mass_kg : 0), 0);
    this.bones = new BoneOverlay(cast.bodies, cast.joints, cast.parents, height);
    this.contacts = new ContactOverlay(9.81 * Math.max(mass, 0.1));
    this.help = new HelpOverlay(9.81 * Math.max(mass, 0.1));
    for (const part of [this.bodyMesh, this.balls, ...this.figures, this.bones, this.contacts, this.balance, this.help])
      if (part !== null) this.group.add(part.group);
    for (const figure of this.figures) figure.group.name = "skin";
    this.help.group.name = "help";
    this.paint();
    this.forgetTheme = onThemeChange(() => this.paint());
    if (isGhost) {
      for (const figure of this.figures) figure.makeGhost();
      this.bodyMesh?.setOpacity(0.3);
    }
  }

  private paint(): void {
    this.bodyMesh?.paint(() => (this.isGhost ? colors().ghost : colors().body));
    this.balls?.paint(() => colors().ball);
    if (this.frame !== null) this.setFrame(this.frame);
  }

  show(overlays: Overlays): void {
    const bodies = overlays.bodies || (overlays.skin && this.figures.length === 0 && this.bodyMesh !== null);
    if (this.bodyMesh) this.bodyMesh.group.visible = bodies;
    for (const figure of this.figures) {
      figure.setVisible(overlays.skin);
      if (!this.isGhost) figure.setOpacity(overlays.bodies && this.bodyMesh !== null ? SKIN_OVER_BODIES : 1);
    }
    const noFigure = this.figures.length === 0 && this.bodyMesh === null;
    this.bones.setShown(!this.isGhost && (overlays.skeleton || noFigure), !this.isGhost && overlays.heat);
    this.contacts.group.visible = overlays.contacts && !this.isGhost;
    this.balance.group.visible = overlays.balance && !this.isGhost;
    this.showsHelp = overlays.help && !this.isGhost;
    if (this.frame !== null) this.setFrame(this.frame);
  }

  setFrame(frame: Frame): void {
    this.frame = frame;
    this.bodyMesh?.pose(frame.poses);
    this.balls?.pose(frame.poses);
    for (const figure of this.figures) if (figure.group.visible) figure.pose(frame.poses);
    this.bones.pose(frame.poses, frame.torques);
    this.contacts.pose(frame);
    this.balance.pose(frame);
    this.help.pose(frame, this.showsHelp);
  }

  /** Middle of the character in the server's world: its centre of mass, or the mean of its joints. */
  middle(character = 0): [number, number, number] {
    const frame = this.frame;
    if (frame === null) return [0, 0, 0.8];
    const root = 7 * (this.cast.characters?.[character]?.root ?? 0);
    if (character > 0) return [frame.poses[root], frame.poses[root + 1], frame.poses[root + 2]];
    const [x, y, z] = frame.centerOfMass;
    if (x !== 0 || y !== 0 || z !== 0) return [x, y, z];
    return [frame.poses[0], frame.poses[1], frame.poses[2]];
  }

  /** Bounds in the scene's own axes: of the skin, or of the joints and what hangs on them; of several characters, of one with some room. */
  box(character = 0): Box3 {
    const box = new Box3();
    const frame = this.frame;
    if (frame === null) return box;
    const several = (this.cast.characters?.length ?? 0) > 1 ? this.cast.characters?.[character] : undefined;
    if (this.figures[0]?.group.visible && several === undefined) {
      this.figures[0].pose(frame.poses);
      box.union(this.figures[0].box()).expandByScalar(0.02);
      box.min.y = Math.min(box.min.y, 0);
      return box;
    }
    const scene = this.group;
    scene.updateWorldMatrix(true, false);
    this.cast.bodies.forEach((b, i) => {
      const isOther = several !== undefined && (i < several.first_body || i >= several.first_body + several.bodies);
      if (b.is_character && !isOther) box.expandByPoint(scene.localToWorld(POINT.fromArray(frame.poses, 7 * i)));
    });
    if (box.isEmpty()) return box;
    const size = box.getSize(POINT).length();
    box.expandByScalar((several === undefined ? 0.09 : ROOM_AMONG_OTHERS) * size + 0.02);
    box.min.y = Math.min(box.min.y, 0);
    return box;
  }

  bodyAt(hits: Intersection[]): number | null {
    for (const hit of hits) {
      const body = this.bodyMesh?.bodyAt(hit) ?? null;
      if (body !== null) return body;
    }
    return null;
  }

  dispose(): void {
    this.forgetTheme();
    for (const part of [this.bodyMesh, this.balls, ...this.figures, this.bones, this.contacts, this.balance, this.help]) part?.dispose();
    this.group.removeFromParent();
  }
}

const POINT = new Vector3();
/** Around one of several characters, over its size. */
const ROOM_AMONG_OTHERS = 0.5;

function indices<T>(list: T[], wanted: (item: T) => boolean): number[] {
  return list.flatMap((item, i) => (wanted(item) ? [i] : []));
}

/** The skin on its bodies, once for each character. */
function dressed({ model, skin, characters }: Cast): Figure[] {
  if (!model || !skin || skin.nodes.length === 0) return [];
  return (characters?.length ? characters.map((c) => c.first_body) : [0]).map((first) => {
    const figure = model.copy();
    figure.bind({ ...skin, nodes: skin.nodes.map((n) => ({ ...n, body: n.body + first })) });
    return figure;
  });
}

/** Parents of the bodies: said by the server, or taken from a character, or read from the nodes that the bodies move. */
export function parentsOf(
  bodies: SceneBody[],
  joints: SceneJoint[],
  character?: CharacterDetail | null,
  model?: Model | null,
  skin?: Skin | null,
): (number | null)[] {
  const parents: (number | null)[] = bodies.map(() => null);
  if (joints.some((j) => j.parent !== undefined)) {
    for (const j of joints) parents[j.body] = j.parent ?? null;
  } else if (character) {
    const byName = new Map(bodies.map((b, i) => [b.name, i]));
    for (const j of character.character.joint) {
      const child = byName.get(j.child);
      if (child !== undefined && j.parent !== undefined) parents[child] = byName.get(j.parent) ?? null;
    }
  } else if (model && skin) {
    const bodyOfJoint = new Map(skin.nodes.map((n) => [n.joint, n.body]));
    model.rig.joints.forEach((j) => {
      const body = bodyOfJoint.get(j.name);
      if (body === undefined || parents[body] !== null) return;
      for (let p = j.parent; p !== null; p = model.rig.joints[p].parent) {
        const above = bodyOfJoint.get(model.rig.joints[p].name);
        if (above !== undefined && above !== body) {
          parents[body] = above;
          break;
        }
      }
    });
  }
  return parents;
}
