// The artist's figure: a GLB whose nodes follow joints or bodies.

import {
  Box3,
  Group,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Quaternion,
  SkinnedMesh,
  Vector3,
  type Material,
  type Object3D,
} from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { clone as cloneWithSkeleton } from "three/examples/jsm/utils/SkeletonUtils.js";
import type { RigDetail, Skin } from "../protocol/types";
import { avoidMarkedPixels, markPixels } from "./stencil";
import { themed } from "./theme";

/** A parsed GLB. */
export class Model {
  constructor(
    private readonly root: Object3D,
    readonly rig: RigDetail,
    private readonly nodes: FileNode[],
  ) {}

  /** A figure of its own, with its own skeleton and materials. */
  copy(): Figure {
    return new Figure(cloneWithSkeleton(this.root), this.rig);
  }

  /** How nodes follow a rig's own joints: by their names, each with its place, because a repair may have hung it from another joint. */
  skinOfJoints(): Skin {
    const nodes = this.rig.joints.flatMap((joint, body) => {
      const node = joint.node ?? this.nodeNamed(joint.name);
      const rotation: [number, number, number, number] = [1, 0, 0, 0];
      return node < 0 ? [] : [{ node, joint: joint.name, body, rotation, position: [0, 0, 0] as [number, number, number] }];
    });
    return { rig: this.rig.id, metres_per_unit: this.rig.frame.metres_per_unit, nodes };
  }

  /** Meshes often bear the name of the joint that they hang on: joints of a skin come first. */
  private nodeNamed(name: string): number {
    const inSkin = this.nodes.findIndex((n) => n.isJoint && n.name === name);
    return inSkin >= 0 ? inSkin : this.nodes.findIndex((n) => n.name === name);
  }
}

interface FileNode {
  name: string | undefined;
  isJoint: boolean;
}

export async function parseModel(bytes: ArrayBuffer, rig: RigDetail): Promise<Model> {
  const gltf = await loaderFor(bytes)
    .then((loader) => loader.parseAsync(bytes, ""))
    .catch((error: unknown) => {
      throw new Error(`The figure of "${rig.name}" could not be shown: ${error instanceof Error ? error.message : String(error)}.`);
    });
  for (const [object, reference] of gltf.parser.associations) {
    if ("isObject3D" in object && reference.nodes !== undefined) (object as Object3D).userData["node"] = reference.nodes;
  }
  const json = gltf.parser.json as { nodes?: { name?: string }[]; skins?: { joints: number[] }[] };
  const joints = new Set((json.skins ?? []).flatMap((s) => s.joints));
  return new Model(
    gltf.scene,
    rig,
    (json.nodes ?? []).map((n, i) => ({ name: n.name, isJoint: joints.has(i) })),
  );
}

/** A loader with the decoders that the file's own list of extensions asks for. */
async function loaderFor(bytes: ArrayBuffer): Promise<GLTFLoader> {
  const loader = new GLTFLoader();
  const isBinary = bytes.byteLength > 20 && new DataView(bytes).getUint32(0, true) === 0x46546c67;
  const text = isBinary
    ? new Uint8Array(bytes, 20, Math.min(new DataView(bytes).getUint32(12, true), bytes.byteLength - 20))
    : new Uint8Array(bytes);
  const json = JSON.parse(new TextDecoder().decode(text)) as { extensionsUsed?: string[] };
  const uses = (name: string): boolean => json.extensionsUsed?.includes(name) ?? false;
  if (uses("KHR_draco_mesh_compression")) {
    const { DRACOLoader } = await import("three/examples/jsm/loaders/DRACOLoader.js");
    loader.setDRACOLoader(new DRACOLoader().setDecoderPath(new URL("draco/", document.baseURI).href).setWorkerLimit(1));
  }
  if (uses("EXT_meshopt_compression"))
    loader.setMeshoptDecoder((await import("three/examples/jsm/libs/meshopt_decoder.module.js")).MeshoptDecoder);
  return loader;
}

interface Follower {
  object: Object3D;
  parent: number;
  body: number;
  rotation: Quaternion;
  position: Vector3 | null;
}

/** One figure on the stage. Poses are given in the server's world. */
export class Figure {
  /** Child of a z-up group; holds the file's units and axes. */
  readonly group = new Group();
  private readonly followers: Follower[] = [];
  private readonly matrices: Matrix4[] = [];
  private readonly turns: Quaternion[] = [];
  private readonly toFile: Quaternion;
  private unitsPerMetre: number;
  private readonly meshes: Mesh[] = [];
  private depthTwins: Mesh[] | null = null;

  constructor(
    readonly root: Object3D,
    rig: RigDetail,
  ) {
    const [w, x, y, z] = rig.frame.rotation;
    this.group.quaternion.set(x, y, z, w);
    this.group.scale.setScalar(rig.frame.metres_per_unit);
    this.group.add(root);
    this.toFile = this.group.quaternion.clone().invert();
    this.unitsPerMetre = 1 / rig.frame.metres_per_unit;
    root.traverse((object) => {
      if (!(object instanceof Mesh)) return;
      object.castShadow = true;
      object.receiveShadow = true;
      object.frustumCulled = false;
      object.material = Array.isArray(object.material)
        ? object.material.map((m: Material) => m.clone())
        : (object.material as Material).clone();
      this.meshes.push(object);
    });
    this.eachMaterial(markPixels);
  }

  /** Says which nodes follow which bodies from now on. */
  bind(skin: Skin): void {
    this.group.scale.setScalar(skin.metres_per_unit);
    this.unitsPerMetre = 1 / skin.metres_per_unit;
    const byNode = new Map<number, Object3D>();
    this.root.traverse((object) => {
      const node = object.userData["node"] as number | undefined;
      if (node !== undefined && !byNode.has(node)) byNode.set(node, object);
    });
    const wanted = new Map(skin.nodes.flatMap((n) => (byNode.has(n.node) ? [[byNode.get(n.node)!, n] as const] : [])));
    // Every node above a follower matters, too: parents first.
    this.followers.length = 0;
    const index = new Map<Object3D, number>();
    const add = (object: Object3D): number => {
      const known = index.get(object);
      if (known !== undefined) return known;
      const parent = object === this.root || object.parent === null ? -1 : add(object.parent);
      const n = wanted.get(object);
      const rotation = n === undefined ? new Quaternion() : new Quaternion(n.rotation[1], n.rotation[2], n.rotation[3], n.rotation[0]);
      const position = n?.position ? new Vector3(...n.position) : null;
      this.followers.push({ object, parent, body: n?.body ?? -1, rotation, position });
      this.matrices.push(new Matrix4());
      this.turns.push(new Quaternion());
      index.set(object, this.followers.length - 1);
      return this.followers.length - 1;
    };
    for (const object of wanted.keys()) add(object);
  }

  /** Sets every node that follows a body: its orientation in the world, and its place where a body decides it. */
  pose(poses: Float32Array): void {
    for (let i = 0; i < this.followers.length; i++) {
      const { object, parent, body, rotation, position } = this.followers[i];
      const turn = this.turns[i];
      const parentTurn = parent < 0 ? IDENTITY : this.turns[parent];
      if (body >= 0 && 7 * body + 7 <= poses.length) {
        const at = 7 * body;
        BODY.set(poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]);
        turn.copy(this.toFile).multiply(BODY).multiply(rotation);
        object.quaternion.copy(parentTurn).invert().multiply(turn);
        if (position !== null) {
          PLACE.copy(position).applyQuaternion(BODY);
          PLACE.set(PLACE.x + poses[at], PLACE.y + poses[at + 1], PLACE.z + poses[at + 2]);
          PLACE.applyQuaternion(this.toFile).multiplyScalar(this.unitsPerMetre);
          if (parent >= 0) PLACE.applyMatrix4(INVERSE.copy(this.matrices[parent]).invert());
          object.position.copy(PLACE);
        }
      } else {
        turn.copy(parentTurn).multiply(object.quaternion);
      }
      LOCAL.compose(object.position, object.quaternion, object.scale);
      if (parent < 0) this.matrices[i].copy(LOCAL);
      else this.matrices[i].multiplyMatrices(this.matrices[parent], LOCAL);
    }
  }

  setVisible(visible: boolean): void {
    this.group.visible = visible;
  }

  /** Solid, or seen through where something inside is to be shown. */
  setOpacity(opacity: number): void {
    this.eachMaterial((m) => {
      const seeThrough = opacity < 1;
      if (m.transparent !== seeThrough) m.needsUpdate = true;
      m.transparent = seeThrough;
      m.opacity = opacity;
    });
    for (const mesh of this.meshes) mesh.renderOrder = opacity < 1 ? 4 : 0;
    if (opacity < 1) this.depthTwins ??= this.meshes.map(depthTwin);
    for (const twin of this.depthTwins ?? []) twin.visible = opacity < 1;
  }

  /** The look of a motion that is only for comparison. */
  makeGhost(): void {
    const ghost = themed(new MeshStandardMaterial({ roughness: 0.9, transparent: true, opacity: 0.4 }), "ghost");
    avoidMarkedPixels(ghost);
    for (const mesh of this.meshes) {
      mesh.material = ghost;
      mesh.castShadow = false;
      mesh.renderOrder = 7;
    }
    this.depthTwins = this.meshes.map(depthTwin);
    for (const twin of this.depthTwins) {
      twin.renderOrder = 6;
      avoidMarkedPixels(twin.material as Material);
    }
  }

  /** Bounds of the skin as it is posed now, in the scene's own axes. */
  box(): Box3 {
    this.group.updateWorldMatrix(true, false);
    this.group.updateMatrixWorld(true);
    const box = new Box3();
    for (const mesh of this.meshes) {
      if (mesh instanceof SkinnedMesh) {
        mesh.skeleton.update();
        mesh.computeBoundingBox();
      }
      box.expandByObject(mesh);
    }
    return box;
  }

  dispose(): void {
    this.eachMaterial((m) => m.dispose());
  }

  private eachMaterial(what: (material: Material) => void): void {
    for (const mesh of this.meshes) for (const m of Array.isArray(mesh.material) ? mesh.material : [mesh.material]) what(m as Material);
  }
}

/** Writes depth only, before the mesh: of a skin that is seen through, only the nearest layer is drawn. */
function depthTwin(mesh: Mesh): Mesh {
  const material = new MeshBasicMaterial({ colorWrite: false });
  const twin = mesh instanceof SkinnedMesh ? new SkinnedMesh(mesh.geometry, material) : new Mesh(mesh.geometry, material);
  if (mesh instanceof SkinnedMesh && twin instanceof SkinnedMesh) twin.bind(mesh.skeleton, mesh.bindMatrix);
  twin.frustumCulled = false;
  // Transparent, so that it comes after the opaque bodies that the skin must not hide.
  material.transparent = true;
  twin.renderOrder = 3;
  mesh.add(twin);
  return twin;
}

const IDENTITY = new Quaternion();
const BODY = new Quaternion();
const PLACE = new Vector3();
const LOCAL = new Matrix4();
const INVERSE = new Matrix4();
