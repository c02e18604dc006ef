// The one WebGL view of the page: camera, light, ground. Views put their groups into `world`, which is z up like the server's.

import {
  Box3,
  DirectionalLight,
  Group,
  HemisphereLight,
  PCFSoftShadowMap,
  PerspectiveCamera,
  Raycaster,
  Scene,
  SRGBColorSpace,
  Vector2,
  Vector3,
  WebGLRenderer,
  type Object3D,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Ground } from "./ground";
import { colors, onThemeChange } from "./theme";

/** What the buttons over the picture take of its upper edge, pixels. */
const BUTTONS_PX = 54;
/** Share of half the picture's height by which what is followed may rise or sink before the camera does. */
const LEVEL_SHARE = 0.12;

export interface FrameStatistics {
  drawCalls: number;
  triangles: number;
  scriptMs: number;
  frames: number;
}

export class Viewport {
  readonly element = document.createElement("div");
  readonly canvas = document.createElement("canvas");
  readonly scene = new Scene();
  /** Right-handed, z up, metres: the server's world. */
  readonly world = new Group();
  readonly camera = new PerspectiveCamera(34, 1, 0.02, 400);
  readonly controls: OrbitControls;
  readonly statistics: FrameStatistics = { drawCalls: 0, triangles: 0, scriptMs: 0, frames: 0 };
  /** Called before each picture with the seconds since the last one; gives whether anything moved. */
  onTick: ((secs: number) => boolean) | null = null;

  private readonly renderer: WebGLRenderer;
  private readonly sun = new DirectionalLight(0xffffff, 2.4);
  private readonly sky = new HemisphereLight(0xffffff, 0xffffff, 1.5);
  private readonly ground = new Ground();
  private readonly raycaster = new Raycaster();
  private dirty = true;
  private last = performance.now();
  private followed: Vector3 | null = null;
  /** Height at which following began, and by how much the camera is above where it was then. */
  private level = 0;
  private lift = 0;

  constructor() {
    this.element.className = "viewport";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("aria-label", "Three-dimensional view");
    this.element.append(this.canvas);
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, stencil: true, powerPreference: "high-performance" });
    this.renderer.outputColorSpace = SRGBColorSpace;
    // Counted here, because three.js forgets what shadows took.
    this.renderer.info.autoReset = false;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    this.world.quaternion.set(-0.5, -0.5, -0.5, 0.5);
    this.scene.add(this.world, this.sun, this.sun.target, this.sky);
    this.world.add(this.ground.mesh);
    this.camera.position.set(2.2, 1.5, 3.2);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.target.set(0, 0.8, 0);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.maxPolarAngle = Math.PI * 0.52;
    this.controls.minDistance = 0.15;
    this.controls.maxDistance = 60;
    this.controls.addEventListener("change", () => this.invalidate());
    this.setUpSun();
    this.paint();
    onThemeChange(() => this.paint());
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.canvas.addEventListener("webglcontextrestored", () => this.invalidate());
    this.controls.update();
    requestAnimationFrame((now) => this.loop(now));
  }

  /** Moves the picture into a place of the page. */
  attach(slot: HTMLElement): void {
    if (this.element.parentElement !== slot) slot.prepend(this.element);
    this.resize();
  }

  invalidate(): void {
    this.dirty = true;
  }

  /** Looks at what lies in an object from the side where the camera is. */
  frame(object: Object3D | Box3): void {
    const box = object instanceof Box3 ? object : new Box3().setFromObject(object);
    if (box.isEmpty()) return;
    const center = box.getCenter(new Vector3());
    const size = box.getSize(new Vector3());
    const vertical = Math.tan((this.camera.fov * Math.PI) / 360);
    const horizontal = vertical * this.camera.aspect;
    const wide = Math.hypot(size.x, size.z);
    // The figure stays below the buttons.
    const hidden = Math.min(BUTTONS_PX / Math.max(this.element.clientHeight, 1), 0.3);
    const distance = 1.08 * Math.max(size.y / 2 / (vertical * (1 - hidden)), wide / 2 / horizontal) + wide / 2;
    center.y += hidden * vertical * distance;
    const direction = this.camera.position.clone().sub(this.controls.target);
    if (direction.lengthSq() < 1e-8) direction.set(0.6, 0.3, 0.8);
    direction.normalize();
    direction.y = Math.min(Math.max(direction.y, 0.14), 0.5);
    this.controls.target.copy(center);
    this.camera.position.copy(center).addScaledVector(direction.normalize(), Math.max(distance, 0.4));
    this.followed = null;
    this.controls.update();
    this.invalidate();
  }

  /** Keeps a point of the world (z up) where it is in the picture; `null` lets go. Height is followed only where it would leave the picture, as in jumps. */
  follow(point: [number, number, number] | null): void {
    if (point === null) {
      this.followed = null;
      return;
    }
    const now = this.world.localToWorld(new Vector3(...point));
    if (this.followed === null) {
      this.level = now.y;
      this.lift = 0;
    } else {
      const shift = now.clone().sub(this.followed);
      const seen = this.camera.position.distanceTo(this.controls.target) * Math.tan((this.camera.fov * Math.PI) / 360);
      const rise = now.y - this.level;
      const lift = Math.sign(rise) * Math.max(Math.abs(rise) - LEVEL_SHARE * seen, 0);
      shift.y = lift - this.lift;
      this.lift = lift;
      this.controls.target.add(shift);
      this.camera.position.add(shift);
    }
    this.followed = now;
  }

  /** Moves light and shadows to a point of the world (z up). */
  lightOn(point: [number, number, number]): void {
    const at = this.world.localToWorld(new Vector3(point[0], point[1], 0));
    if (at.distanceToSquared(this.sun.target.position) < 0.04) return;
    this.sun.target.position.copy(at);
    this.sun.position.copy(at).add(new Vector3(2.6, 6, 3.4));
    this.ground.center(point[0], point[1]);
    this.invalidate();
  }

  /** What lies under a place in the canvas, nearest first. */
  pick(event: { clientX: number; clientY: number }, objects: Object3D[]): ReturnType<Raycaster["intersectObjects"]> {
    this.aim(event);
    return this.raycaster.intersectObjects(objects, false);
  }

  /** The ray through a place in the canvas, in the server's world. */
  ray(event: { clientX: number; clientY: number }): { origin: Vector3; direction: Vector3 } {
    this.aim(event);
    const { origin, direction } = this.raycaster.ray;
    const turn = this.world.quaternion.clone().invert();
    return { origin: this.world.worldToLocal(origin.clone()), direction: direction.clone().applyQuaternion(turn) };
  }

  private aim(event: { clientX: number; clientY: number }): void {
    const box = this.canvas.getBoundingClientRect();
    const place = new Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    this.raycaster.setFromCamera(place, this.camera);
  }

  private setUpSun(): void {
    this.sun.castShadow = true;
    this.sun.position.set(2.6, 6, 3.4);
    const { shadow } = this.sun;
    shadow.mapSize.set(2048, 2048);
    shadow.camera.left = shadow.camera.bottom = -3.5;
    shadow.camera.right = shadow.camera.top = 3.5;
    shadow.camera.near = 0.5;
    shadow.camera.far = 16;
    shadow.bias = -0.0004;
    shadow.normalBias = 0.02;
    shadow.radius = 5;
  }

  private paint(): void {
    const c = colors();
    this.renderer.setClearColor(c.background);
    this.ground.paint(c);
    this.sky.color.set(c.skyLight);
    this.sky.groundColor.set(c.groundLight);
    this.sky.intensity = 1.45 * c.lightStrength;
    this.sun.intensity = 2 * c.lightStrength;
    this.invalidate();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
    this.draw();
  }

  private loop(now: number): void {
    requestAnimationFrame((next) => this.loop(next));
    const secs = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    if (!this.element.isConnected || this.element.clientWidth === 0) return;
    const begin = performance.now();
    if (this.onTick?.(secs)) this.dirty = true;
    this.controls.update();
    if (!this.dirty) return;
    this.draw();
    const { statistics } = this;
    statistics.scriptMs += 0.1 * (performance.now() - begin - statistics.scriptMs);
  }

  private draw(): void {
    this.dirty = false;
    this.renderer.info.reset();
    this.renderer.render(this.scene, this.camera);
    this.statistics.frames += 1;
    this.statistics.drawCalls = this.renderer.info.render.calls;
    this.statistics.triangles = this.renderer.info.render.triangles;
  }
}
