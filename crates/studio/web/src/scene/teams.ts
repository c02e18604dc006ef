// Rings on the ground under the characters of a game, in the colours of their teams.

import { DoubleSide, Group, Mesh, MeshBasicMaterial, RingGeometry } from "three";

/** Told apart by most eyes, on light and dark ground. */
const COLOURS = [0x4477aa, 0xee6677, 0x228833, 0xccbb44, 0x66ccee, 0xaa3377];
/** Over the height of the figure. */
const RADIUS = 0.2;
const ABOVE_M = 0.008;

export interface Member {
  team: number;
  place: [number, number];
  heightM: number;
}

/** The colour of a team, as the style sheet has it. */
export function teamColour(team: number): string {
  return `#${COLOURS[team % COLOURS.length].toString(16).padStart(6, "0")}`;
}

export class TeamRings {
  readonly group = new Group();
  private readonly geometry = new RingGeometry(0.8, 1, 48);
  private readonly materials = COLOURS.map((color) => new MeshBasicMaterial({ color, side: DoubleSide, depthWrite: false }));

  /** Shows a ring under each of these characters. */
  show(members: Member[]): void {
    while (this.group.children.length < members.length) {
      const ring = new Mesh(this.geometry, this.materials[0]);
      ring.name = "team";
      this.group.add(ring);
    }
    this.group.children.forEach((child, i) => {
      const [ring, member] = [child as Mesh, members[i] as Member | undefined];
      ring.visible = member !== undefined;
      if (member === undefined) return;
      ring.material = this.materials[member.team % COLOURS.length];
      ring.position.set(...member.place, ABOVE_M);
      ring.scale.setScalar(RADIUS * member.heightM);
    });
  }
}
