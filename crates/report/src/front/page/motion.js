// Motions: 16-bit numbers in base 64 become places in metres.

const decode16 = (text) => new Int16Array(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);

class Motion {
  constructor(packed) {
    Object.assign(this, packed);
    this.numbers = this.unpack(packed.fixed, decode16(packed.data));
    this.stride = packed.fixed.length;
    this.duration = Math.max(packed.frames - 1, 0) / packed.rate;
    this.bounds = this.measure();
    this.path = Array.from({ length: packed.frames }, (_, frame) => this.pose(frame / packed.rate).center);
  }

  // Numbers that never change stand beside those that do again.
  unpack(fixed, moving) {
    const numbers = new Int16Array(fixed.length * this.frames);
    let next = 0;
    for (let i = 0; i < numbers.length; i++) numbers[i] = fixed[i % fixed.length] ?? moving[next++];
    return numbers;
  }

  // The figure at a time, on the way between two frames.
  pose(time) {
    const at = Math.min(Math.max(time * this.rate, 0), this.frames - 1);
    const frame = Math.min(Math.floor(at), Math.max(this.frames - 2, 0));
    const [a, share] = [frame * this.stride, this.frames > 1 ? at - frame : 0];
    const b = this.frames > 1 ? a + this.stride : a;
    let next = 0;
    const number = () => {
      const [from, to] = [this.numbers[a + next], this.numbers[b + next]];
      next += 1;
      return from + (to - from) * share;
    };
    const point = () => this.origin.map((zero) => zero + number() * this.lengthStep);
    const rotation = () => {
      // The shorter way round: q and -q are the same rotation.
      const [from, to] = [a, b].map((start) => Array.from(this.numbers.subarray(start + next, start + next + 4)));
      next += 4;
      const sign = from.reduce((sum, value, i) => sum + value * to[i], 0) < 0 ? -1 : 1;
      const mixed = from.map((value, i) => value + (sign * to[i] - value) * share);
      const length = Math.hypot(...mixed) || 1;
      return mixed.map((value) => value / length);
    };
    const shapes = this.shapes.map((shape) => {
      if (shape.kind === "capsule") return { kind: "capsule", radius: shape.radius, points: [point(), point()] };
      if (shape.kind === "sphere") return { kind: "capsule", radius: shape.radius, points: [point()] };
      return { kind: "box", half: shape.half, center: point(), rotation: rotation() };
    });
    const center = point();
    const assist = [0, 0, 0].map(() => number() * this.assistStep);
    return { shapes, center, assist };
  }

  // Least and greatest x and z that any shape reaches, metres.
  measure() {
    const bounds = { left: Infinity, right: -Infinity, bottom: 0, top: 0 };
    const add = ([x, , z], radius) => {
      bounds.left = Math.min(bounds.left, x - radius);
      bounds.right = Math.max(bounds.right, x + radius);
      bounds.bottom = Math.min(bounds.bottom, z - radius);
      bounds.top = Math.max(bounds.top, z + radius);
    };
    for (let frame = 0; frame < this.frames; frame++) {
      for (const shape of this.pose(frame / this.rate).shapes) {
        if (shape.kind === "box") add(shape.center, Math.hypot(...shape.half));
        else shape.points.forEach((point) => add(point, shape.radius));
      }
    }
    if (this.mark !== null) bounds.top = Math.max(bounds.top, this.mark);
    return bounds;
  }

  // The name of the phase at a time.
  phaseAt(time) {
    return this.phases.reduce((name, [start, next]) => (time >= start - 1e-6 ? next : name), "");
  }
}
