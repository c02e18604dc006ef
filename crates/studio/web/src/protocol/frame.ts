// One moment of a motion or simulation, read where it lies in its buffer.

export const DIVERGED = 1;
export const PAUSED = 2;
export const JUMPED = 4;
export const FALLEN = 8;

const HEADER_BYTES = 48;
const CONTACT_BYTES = 32;
const HELP_BYTES = 24;

/** Poses are 7 numbers a body: x y z, then the quaternion x y z w. Contacts are 8 words: body, other, point, force. */
export interface Frame {
  flags: number;
  stream: number;
  sequence: number;
  timeSecs: number;
  clockMs: number;
  centerOfMass: [number, number, number];
  bodyCount: number;
  poses: Float32Array;
  torques: Float32Array;
  contactCount: number;
  contactNumbers: Float32Array;
  contactBodies: Int32Array;
  /** Help from outside at the centre of mass: force in N (3), torque in N·m (3). */
  help: Float32Array | null;
}

/** Reads a frame that starts at a multiple of four, or says why it is none. */
export function readFrame(buffer: ArrayBuffer, offset: number, length: number): Frame {
  if (length < HEADER_BYTES) throw new Error("A frame from the server is too short; reload the page.");
  const view = new DataView(buffer, offset, length);
  if (view.getUint8(0) !== 1 || view.getUint8(1) !== 1)
    throw new Error("The server speaks another version of the protocol; reload the page.");
  const bodies = view.getUint16(12, true);
  const joints = view.getUint16(14, true);
  const contacts = view.getUint16(16, true);
  const torquesAt = HEADER_BYTES + 28 * bodies;
  const contactsAt = torquesAt + 4 * joints;
  const helpAt = contactsAt + CONTACT_BYTES * contacts;
  const isHelped = view.getUint16(18, true) > 0;
  if (helpAt + (isHelped ? HELP_BYTES : 0) > length) throw new Error("A frame from the server is cut short; reload the page.");
  return {
    flags: view.getUint16(2, true),
    stream: view.getUint32(4, true),
    sequence: view.getUint32(8, true),
    centerOfMass: [view.getFloat32(20, true), view.getFloat32(24, true), view.getFloat32(28, true)],
    timeSecs: view.getFloat64(32, true),
    clockMs: view.getFloat64(40, true),
    bodyCount: bodies,
    poses: new Float32Array(buffer, offset + HEADER_BYTES, 7 * bodies),
    torques: new Float32Array(buffer, offset + torquesAt, joints),
    contactCount: contacts,
    contactNumbers: new Float32Array(buffer, offset + contactsAt, 8 * contacts),
    contactBodies: new Int32Array(buffer, offset + contactsAt, 8 * contacts),
    help: isHelped ? new Float32Array(buffer, offset + helpAt, 6) : null,
  };
}

/** A pose between two frames: places on the line, orientations on the shorter arc, normalised. */
export function blendPoses(a: Float32Array, b: Float32Array, t: number, out: Float32Array): void {
  for (let i = 0; i < out.length; i += 7) {
    for (let k = 0; k < 3; k++) out[i + k] = a[i + k] + t * (b[i + k] - a[i + k]);
    const dot = a[i + 3] * b[i + 3] + a[i + 4] * b[i + 4] + a[i + 5] * b[i + 5] + a[i + 6] * b[i + 6];
    const s = dot < 0 ? -t : t;
    let norm = 0;
    for (let k = 3; k < 7; k++) {
      const x = (1 - t) * a[i + k] + s * b[i + k];
      out[i + k] = x;
      norm += x * x;
    }
    norm = 1 / Math.sqrt(norm || 1);
    for (let k = 3; k < 7; k++) out[i + k] *= norm;
  }
}
