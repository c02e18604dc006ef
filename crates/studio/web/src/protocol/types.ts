// What the server speaks: the types of PROTOCOL.md. Metres, kilograms, seconds, radians; z up; JSON quaternions are [w, x, y, z].

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];

export interface ProjectInfo {
  name: string;
  path: string;
  sinew: string;
  largest_upload: number;
  presets: string[];
}
export interface RigEntry {
  id: string;
  name: string;
  embedded: boolean;
  format: string;
  bytes: number;
}
export interface CharacterEntry {
  id: string;
  name: string;
  rig: string | null;
  revision: number;
}
export interface ResultEntry {
  id: string;
  name: string;
  character: string;
  clip: string;
  preset: string;
  seed: number;
  verdict: "faithful" | "loose" | "failed" | null;
  verdict_sentence: string;
  completed: boolean | null;
  fell_at_secs: number | null;
  duration_secs: number;
  cost_mean: number | null;
  has_policy: boolean;
  hash: string;
}
export interface PackageAction {
  name: string;
  key: string;
  about: string;
}
export interface PackageEntry {
  id: string;
  name: string;
  actions: PackageAction[];
  is_simulated: boolean;
  problem?: string | null;
}
export interface FrontEntry {
  id: string;
  title: string;
  points: number;
}

/** Everything that all tabs share; a section that is absent has not changed. */
export interface State {
  version: number;
  project?: ProjectInfo;
  rigs?: RigEntry[];
  characters?: CharacterEntry[];
  results?: ResultEntry[];
  packages?: PackageEntry[];
  jobs?: Job[];
  sessions?: SessionEntry[];
  fronts?: FrontEntry[];
}

export interface RigFrame {
  metres_per_unit: number;
  rotation: Quat;
}
/** `node` is the index in `stage.glb`, where the server says so. */
export interface RigJoint {
  name: string;
  parent: number | null;
  position: Vec3;
  orientation: Quat;
  node?: number | null;
}
/** A change of a clip; times are those of the clip after the changes before it. */
export type ClipEdit =
  | { edit: "trim"; from_secs: number; to_secs: number }
  | { edit: "speed"; factor: number }
  | { edit: "loop"; blend_secs: number }
  | { edit: "turn"; joint: string; turn: Quat; at_secs: number; within_secs?: number };
/** What was changed on a clip of a file. */
export interface EditedClip {
  of: string;
  edits: ClipEdit[];
  can_redo: boolean;
}
export interface ClipDetail {
  name: string;
  duration_secs: number;
  frames: number;
  rate_hz: number;
  is_cycle: boolean;
  travel_m: number;
  notes: string[];
  edited?: EditedClip | null;
}
export interface RigDetail {
  id: string;
  name: string;
  format: string;
  height_m: number;
  frame: RigFrame;
  has_skin: boolean;
  joints: RigJoint[];
  clips: ClipDetail[];
  repairs: string[];
  feet: string[];
}
/** A character whose rig has changed. */
export interface Remade {
  id: string;
  name: string;
  revision: number;
  lost: string[];
  problem?: string;
}
export type Uploaded =
  | { kind: "rig"; rig: RigDetail; replaced?: Remade[]; unchanged?: boolean }
  | { kind: "part"; id: string } | { kind: "character"; character: CharacterDetail };

export type Shape =
  | { type: "capsule"; from: Vec3; to: Vec3; radius: number }
  | { type: "sphere"; center?: Vec3; radius: number }
  | { type: "box"; center?: Vec3; half_extents: Vec3; orientation?: Quat };
export interface Body {
  name: string;
  mass: number;
  shape: Shape[];
  center_of_mass?: Vec3;
}
export type JointType = "free" | "planar" | "fixed" | "hinge" | "ball" | "weld";
export interface Joint {
  name: string;
  type: JointType;
  parent?: string;
  child: string;
  position?: Vec3;
  orientation?: Quat;
  axis?: Vec3;
  limits?: [number, number];
  kp?: number;
  kd?: number;
  torque_limit?: number;
}
export interface EndEffector {
  name: string;
  body: string;
  position: Vec3;
}
export interface Character {
  name: string;
  body: Body[];
  joint: Joint[];
  end_effector?: EndEffector[];
}
export interface RestPose {
  position: Vec3;
  orientation: Quat;
  center_of_mass: Vec3;
}
export type ShapeKind = "capsule" | "box" | "sphere";
export type Up = "x" | "y" | "z";
/** How large a character is, and why. */
export interface SizeDetail {
  height_m: number | null;
  metres_per_unit: number | null;
  up: Up | null;
  size_source: "guess" | "user";
  guessed_height_m: number | null;
  size_reason: string;
  up_reason: string;
  guessed_mass_kg: number;
  volume_m3: number;
}
export interface CharacterDetail {
  id: string;
  revision: number;
  size: SizeDetail;
  rig: string | null;
  character: Character;
  /** The same before its edits, where it has some. */
  made?: Character;
  rest: RestPose[];
  mirrored: (string | null)[];
  mass_kg: number;
  dof: number;
  edits: Change[];
  can_undo: boolean;
  can_redo: boolean;
  notes: string[];
}

export type Size = { scale: number } | { radius: number } | { length: number } | { half_extents: Vec3 };
export type Edit =
  | { edit: "move_body"; body: string; by: Vec3; with_joint?: boolean }
  | { edit: "orient_body"; body: string; turn: Quat }
  | { edit: "size_body"; body: string; size: Size }
  | { edit: "set_mass"; body: string; mass: number }
  | { edit: "set_shapes"; body: string; shapes: Shape[] }
  | { edit: "set_total_mass"; mass: number }
  | { edit: "set_axis"; joint: string; axis: Vec3 }
  | { edit: "set_limits"; joint: string; limits?: [number, number] }
  | { edit: "set_type"; joint: string; type: JointType; axis?: Vec3 }
  | { edit: "set_gains"; joint: string; kp?: number; kd?: number; torque_limit?: number }
  | { edit: "add_effector"; name: string; body: string; position: Vec3; radius?: number }
  | { edit: "move_effector"; name: string; position: Vec3 }
  | { edit: "size_effector"; name: string; radius: number }
  | { edit: "remove_effector"; name: string }
  | { edit: "set_root"; body: string }
  | { edit: "scale_gains"; factor: number }
  | { edit: "shift_mass"; by: [number, number, number] }
  | { edit: "delete_body"; body: string }
  | { edit: "merge_body"; body: string };
export type Change = Edit & { mirror?: boolean };

export interface Problem {
  sentence: string;
  bodies: string[];
  joints: string[];
  clip: string | null;
}
export interface PreflightAnswer {
  id: string;
  revision: number;
  ok: boolean;
  problems: Problem[];
  warnings: Problem[];
  mass_kg: number;
  height_kept: number;
  tilt_rad: number;
  support_margin_m: number | null;
  cover: Cover | null;
  mend: Mend | null;
}
/** The one edit that would mend what the pre-flight found. */
export interface Mend {
  sentence: string;
  change: Change;
}
export interface BodyCover {
  body: string;
  covered: number | null;
  outside: number;
  center_outside: boolean;
  skin_volume_m3: number;
}
export interface Cover {
  covered: number;
  outside: number;
  skin_volume_m3: number;
  bodies: BodyCover[];
}
export interface SkinNode {
  node: number;
  joint: string;
  body: number;
  rotation: Quat;
  position: Vec3 | null;
}
export interface Skin {
  rig: string;
  metres_per_unit: number;
  nodes: SkinNode[];
}

export type JobRequest =
  | {
      kind: "transfer";
      character?: string;
      rig?: string;
      clip?: string;
      preset: string;
      cycles?: number;
      seed?: number;
      from_rest?: boolean;
      assist?: boolean;
      name?: string;
    }
  | { kind: "feedback"; result: string; preset: string; seed?: number; period_secs?: number };
export type JobStatus = "queued" | "running" | "pausing" | "paused" | "cancelling" | "cancelled" | "done" | "failed";
export interface Progress {
  doing: string;
  done: number;
  total: number;
  total_is_bound: boolean;
  best?: { name: string; value: number };
  steps: number;
  clock: { elapsed_secs: number; left_secs?: number; steps_per_sec: number };
}
export interface WindowCosts {
  from_secs: number;
  to_secs: number;
  best: number;
  kept: number[];
}
export interface Job {
  id: number;
  title: string;
  request: JobRequest;
  status: JobStatus;
  message: string;
  result: string;
  progress?: Progress;
  windows: WindowCosts[];
  /** Best figure of a training over its work. */
  curve?: [done: number, best: number][];
  motion_revision: number;
}

export interface Fidelity {
  effectors_off_percent: number;
  joints_off_deg: number;
}
export interface ResultSummary {
  fidelity?: Fidelity;
  cost_mean?: number;
  cost_terms?: Record<string, number>;
  jerk_ratio?: number;
  foot_skate?: number;
  worst_skate?: number;
  max_penetration?: number;
  steps?: number;
  windows?: WindowCosts[];
}
export interface ResultFile {
  name: string;
  bytes: number;
  what: string;
}
export interface ResultDetail {
  entry: ResultEntry;
  rig: string | null;
  summary?: ResultSummary | null;
  files: ResultFile[];
}

export interface FrontAxis {
  name: string;
  unit: string;
  less_is_better: boolean;
  is_logarithmic?: boolean;
}
export interface FrontPoint {
  values: number[];
  dial: number;
  label: string | null;
}
export interface FrontDetail {
  id: string;
  title: string;
  axes: FrontAxis[];
  points: FrontPoint[];
  dial: [string, string, string];
  is_stepped?: boolean;
}

export type ControllerKind = "held_pose" | "open_loop" | "feedback" | "front" | "learnt";
export type SessionStart =
  | { what: "drop"; character: string; height_m?: number }
  | { what: "play"; result: string; controller: ControllerKind }
  | { what: "front"; front: string; dial: number }
  | { what: "package"; package: string; characters: number; seed?: number };
export interface SessionEntry {
  id: number;
  title: string;
  start: SessionStart;
  controller: ControllerKind;
  paused: boolean;
  time_scale: number;
  gravity: Vec3;
  dial?: number;
  steers: boolean;
}
export type Steer = "free" | { velocity: [number, number] } | { target: [number, number] } | { chase: number };
export type Doing = "moving" | "acting" | "limp" | "standing_up";
export interface PlayedCharacter {
  doing: Doing;
  action?: string | null;
  target?: [number, number] | null;
  team?: number | null;
  falls: number;
  stand_ups: number;
}
export interface Played {
  time_secs: number;
  hash: string;
  real_time_factor: number | null;
  frame_ms: number | null;
  characters: PlayedCharacter[];
}
export interface TakeDetail {
  id: string;
  hash: string;
  seconds: number;
  files: ResultFile[];
  notes: string[];
}
export type SessionAction =
  | { action: "push"; body: number; force: Vec3; point?: Vec3; secs: number }
  | { action: "throw"; position: Vec3; velocity: Vec3; mass_kg?: number }
  | { action: "gravity"; gravity: Vec3 }
  | { action: "time_scale"; time_scale: number }
  | { action: "pause"; paused: boolean }
  | { action: "step" }
  | { action: "reset" }
  | { action: "controller"; controller: ControllerKind }
  | { action: "dial"; dial: number }
  | { action: "steer"; character?: number; steer: Steer }
  | { action: "perform"; character?: number; name: string };

export interface SceneBody {
  name: string;
  is_character: boolean;
  mass_kg: number;
  shapes: Shape[];
}
/** `parent` is the body at the other end, where the server says so. */
export interface SceneJoint {
  name: string;
  body: number;
  parent?: number | null;
  torque_limit: number | null;
}
export interface SceneCharacter {
  first_body: number;
  bodies: number;
  root: number;
  height_m: number;
}
export interface SceneDescription {
  stream: number;
  bodies: SceneBody[];
  joints: SceneJoint[];
  characters?: SceneCharacter[];
  character: string | null;
  rig: string | null;
  skin?: Skin | null;
  rate_hz: number;
}
export interface MotionHeader {
  title: string;
  rate_hz: number;
  frames: number;
  bodies: SceneBody[];
  joints: SceneJoint[];
  fell_at_secs: number | null;
  revision: number;
}

export type ServerMessage =
  | { type: "hello"; protocol: number; state: State }
  | { type: "state"; state: State }
  | { type: "job"; job: Job }
  | { type: "character"; id: string; revision: number }
  | { type: "scene"; scene: SceneDescription }
  | { type: "played"; stream: number; played: Played }
  | { type: "ended"; stream: number; reason: string }
  | { type: "done"; request: number; session?: SessionEntry | null; clock_ms: number }
  | { type: "error"; request?: number | null; error: string }
  | { type: "notice"; text: string };
