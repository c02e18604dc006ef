// A figure on a canvas: parallel rays, far limbs first, light from the upper left.

const mix = (a, b, share) => a.map((value, i) => value + (b[i] - value) * share);
const css = (color, opacity = 1) => `rgba(${color.map((value) => Math.round(value)).join(",")},${opacity})`;

// How the world becomes a plane: x to the right at yaw 0, z up, the ground's focus at (across, down).
class View {
  constructor({ yaw, pitch, scale, focus, across, down }) {
    Object.assign(this, { scale, focus, across, down });
    const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
    this.right = [cy, sy, 0];
    this.up = [-sy * sp, cy * sp, cp];
    this.forward = [-sy * cp, cy * cp, -sp];
  }

  // Pixels to the right, pixels down, metres away from the eye.
  project(point) {
    const away = point.map((value, i) => value - this.focus[i]);
    const along = (axis) => axis[0] * away[0] + axis[1] * away[1] + axis[2] * away[2];
    return [this.across + this.scale * along(this.right), this.down - this.scale * along(this.up), along(this.forward)];
  }
}

const rotate = ([w, x, y, z], [a, b, c]) => {
  const [tx, ty, tz] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  return [a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx];
};

// The corners of a convex outline around points (Andrew's monotone chain).
const outline = (points) => {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list) => {
    const chain = [];
    for (const p of list) {
      while (chain.length > 1) {
        const [a, b] = chain.slice(-2);
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        chain.pop();
      }
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
};

const boxCorners = (shape) => {
  const signs = [-1, 1];
  const corners = signs.flatMap((x) => signs.flatMap((y) => signs.map((z) => [x, y, z])));
  return corners.map((sign) => {
    const turned = rotate(
      shape.rotation,
      sign.map((value, i) => value * shape.half[i]),
    );
    return turned.map((value, i) => value + shape.center[i]);
  });
};

// Soft dark spots on the ground, stronger the nearer a shape is to it.
const drawShadows = (context, view, pose, theme) => {
  for (const shape of pose.shapes) {
    const points = shape.kind === "box" ? [shape.center] : shape.points;
    const radius = shape.kind === "box" ? Math.hypot(shape.half[0], shape.half[1]) : shape.radius;
    const height = Math.min(...points.map((point) => point[2]));
    const strength = theme.shadow / (1 + 2.2 * Math.max(height - radius, 0));
    const ends = points.map(([x, y]) => view.project([x, y, 0]));
    const [left, right] = [Math.min(...ends.map((e) => e[0])), Math.max(...ends.map((e) => e[0]))];
    const down = ends.reduce((sum, end) => sum + end[1], 0) / ends.length;
    const spread = 1 + 0.25 * Math.max(height, 0);
    const wide = (0.5 * (right - left) + radius * view.scale * 1.25) * spread;
    context.fillStyle = `rgba(0,0,0,${strength})`;
    context.beginPath();
    context.ellipse(0.5 * (left + right), down, wide, Math.max(0.16 * wide, 1.5), 0, 0, 2 * Math.PI);
    context.fill();
  }
};

// Paint of a limb: near ones light, far ones dim.
const shades = (paint, depth, theme) => {
  const far = Math.min(Math.max(depth / 0.22, -1), 1);
  const base =
    far > 0 ? mix(mix(paint, theme.far, 0.34 * far), [0, 0, 0], 0.12 * far) : mix(paint, [255, 255, 255], -0.1 * far);
  return {
    light: mix(base, [255, 250, 240], 0.42),
    base,
    dark: mix(base, [10, 14, 34], 0.4),
    line: mix(base, [10, 12, 24], 0.68),
  };
};

const drawFigure = (context, view, pose, paint, theme) => {
  const centerDepth = view.project(pose.center)[2];
  const parts = pose.shapes.map((shape) => {
    const points = (shape.kind === "box" ? boxCorners(shape) : shape.points).map((point) => view.project(point));
    return { shape, points, depth: points.reduce((sum, point) => sum + point[2], 0) / points.length };
  });
  parts.sort((a, b) => b.depth - a.depth);
  context.lineCap = context.lineJoin = "round";
  for (const { shape, points, depth } of parts) {
    const tone = shades(paint, depth - centerDepth, theme);
    const path = shape.kind === "box" ? outline(points) : points;
    const radius = shape.kind === "box" ? 0 : shape.radius * view.scale;
    const middle = [0, 1].map((i) => path.reduce((sum, point) => sum + point[i], 0) / path.length);
    // The gradient runs across the limb, from the side that faces the light.
    const [first, last] = [path[0], path[path.length - 1]];
    let across = [-(last[1] - first[1]), last[0] - first[0]];
    let length = Math.hypot(...across);
    let reach = radius;
    if (shape.kind === "box" || length < 0.6 * radius) {
      [across, length] = [[-0.5, -0.85], 1];
      reach =
        shape.kind === "box" ? Math.max(...path.map((p) => Math.hypot(p[0] - middle[0], p[1] - middle[1]))) : radius;
    }
    const side = across[0] * -0.5 + across[1] * -0.85 < 0 ? -reach / length : reach / length;
    const [dx, dy] = [across[0] * side, across[1] * side];
    const gradient = context.createLinearGradient(middle[0] + dx, middle[1] + dy, middle[0] - dx, middle[1] - dy);
    gradient.addColorStop(0, css(tone.base));
    gradient.addColorStop(0.22, css(tone.light));
    gradient.addColorStop(0.62, css(tone.base));
    gradient.addColorStop(1, css(tone.dark));
    context.beginPath();
    path.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    if (path.length === 1) context.lineTo(path[0][0] + 0.01, path[0][1]);
    if (shape.kind === "box") context.closePath();
    context.strokeStyle = css(tone.line);
    context.lineWidth = 2 * radius + 2.4;
    context.stroke();
    if (shape.kind === "box") {
      context.fillStyle = gradient;
      context.fill();
    } else {
      context.strokeStyle = gradient;
      context.lineWidth = 2 * radius;
      context.stroke();
    }
  }
};
