// A recorded motion: a JSON header, then frames as on the socket.

import { blendPoses, JUMPED, readFrame, type Frame } from "./frame";
import type { MotionHeader } from "./types";

export class Motion {
  readonly durationSecs: number;
  private readonly blended: Float32Array;

  constructor(
    readonly header: MotionHeader,
    readonly frames: Frame[],
  ) {
    this.durationSecs = Math.max(0, frames.length - 1) / header.rate_hz;
    this.blended = new Float32Array(frames.length > 0 ? frames[0].poses.length : 0);
  }

  /** The moment at a time: contacts and torques of the frame before, poses between two frames. */
  at(secs: number): Frame | null {
    if (this.frames.length === 0) return null;
    const place = Math.min(Math.max(secs * this.header.rate_hz, 0), this.frames.length - 1);
    const index = Math.floor(place);
    const a = this.frames[index];
    const b = this.frames[index + 1];
    if (b === undefined || place === index || (b.flags & JUMPED) !== 0) return a;
    blendPoses(a.poses, b.poses, place - index, this.blended);
    return { ...a, poses: this.blended };
  }
}

/** Reads the bytes of a motion, or says what is wrong with them. */
export function readMotion(buffer: ArrayBuffer): Motion {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, false) !== 0x534e574d)
    throw new Error("The server sent something that is no motion; reload the page.");
  const jsonBytes = view.getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, jsonBytes))) as MotionHeader;
  const frames: Frame[] = [];
  let at = 8 + jsonBytes;
  while (at + 8 <= buffer.byteLength) {
    const length = view.getUint32(at, true);
    frames.push(readFrame(buffer, at + 8, length));
    at += 8 + Math.ceil(length / 8) * 8;
  }
  return new Motion(header, frames);
}
