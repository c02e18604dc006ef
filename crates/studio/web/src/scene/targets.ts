// Rings on the ground: where characters are told to go.

import { Group, Mesh, MeshBasicMaterial, RingGeometry } from "three";
import { themed } from "./theme";

const RADIUS_M = 0.22;
const ABOVE_M = 0.012;

export class TargetMarks {
  readonly group = new Group();
  private readonly material = themed(new MeshBasicMaterial({ transparent: true, opacity: 0.9, depthWrite: false }), "axis");
  private readonly geometry = new RingGeometry(0.72 * RADIUS_M, RADIUS_M, 40);
  private readonly dot = new RingGeometry(0, 0.2 * RADIUS_M, 20);

  /** Shows a ring at each place of the world's ground. */
  show(places: [number, number][]): void {
    while (this.group.children.length < places.length) {
      const mark = new Group();
      mark.name = "target";
      for (const geometry of [this.geometry, this.dot]) mark.add(new Mesh(geometry, this.material));
      this.group.add(mark);
    }
    this.group.children.forEach((mark, i) => {
      mark.visible = i < places.length;
      if (mark.visible) mark.position.set(...places[i], ABOVE_M);
    });
  }
}
