// All rigid bodies of a figure as one skinned mesh: one draw call, one bone a body.

import { Bone, Color, Group, Matrix4, MeshStandardMaterial, Skeleton, SkinnedMesh, type BufferAttribute, type Intersection } from "three";
import type { Shape } from "../protocol/types";
import { mergedBodies } from "./shapes";
import { avoidMarkedPixels, markPixels } from "./stencil";

const HIDDEN_BELOW_M = -100;

export class BodyMesh {
  readonly group = new Group();
  readonly mesh: SkinnedMesh;
  readonly bones: Bone[];
  private readonly material = new MeshStandardMaterial({ vertexColors: true, roughness: 0.78, metalness: 0.02 });

  /** `indices` are the places of these bodies in the frames. */
  constructor(
    bodies: { shapes: Shape[] }[],
    readonly indices: number[],
    isGhost = false,
  ) {
    if (isGhost) avoidMarkedPixels(this.material);
    else markPixels(this.material);
    this.bones = bodies.map(() => new Bone());
    this.mesh = new SkinnedMesh(mergedBodies(bodies), this.material);
    if (this.bones.length > 0) this.group.add(...this.bones);
    this.group.add(this.mesh);
    this.mesh.bind(
      new Skeleton(
        this.bones,
        bodies.map(() => new Matrix4()),
      ),
      new Matrix4(),
    );
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
  }

  pose(poses: Float32Array): void {
    for (let i = 0; i < this.bones.length; i++) {
      const at = 7 * this.indices[i];
      if (at + 7 > poses.length) return;
      const bone = this.bones[i];
      bone.position.set(poses[at], poses[at + 1], poses[at + 2]);
      bone.quaternion.set(poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]);
      bone.scale.setScalar(poses[at + 2] < HIDDEN_BELOW_M ? 0 : 1);
    }
  }

  /** Colours each body. */
  paint(colorOf: (body: number) => number): void {
    const color = this.mesh.geometry.getAttribute("color") as BufferAttribute;
    const skinIndex = this.mesh.geometry.getAttribute("skinIndex");
    const colors = this.bones.map((_, i) => new Color(colorOf(this.indices[i])));
    for (let i = 0; i < color.count; i++) {
      const c = colors[skinIndex.getX(i)];
      color.setXYZ(i, c.r, c.g, c.b);
    }
    color.needsUpdate = true;
  }

  setOpacity(opacity: number): void {
    if (this.material.transparent !== opacity < 1) this.material.needsUpdate = true;
    this.material.transparent = opacity < 1;
    this.material.opacity = opacity;
    this.mesh.renderOrder = opacity < 1 ? 8 : 0;
    this.mesh.castShadow = opacity > 0.5;
  }

  /** The body (its place in the frames) that a ray met. */
  bodyAt(hit: Intersection): number | null {
    if (hit.object !== this.mesh || !hit.face) return null;
    return this.indices[this.mesh.geometry.getAttribute("skinIndex").getX(hit.face.a)] ?? null;
  }

  /** Before a ray is sent: bounds follow the pose. */
  refreshBounds(): void {
    this.mesh.updateMatrixWorld(true);
    this.mesh.skeleton.update();
    this.mesh.computeBoundingSphere();
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.skeleton.dispose();
    this.material.dispose();
  }
}
