// The stage: ground, ruler, marks, trails and one or two figures.

// A little turned, so that both arms and legs show.
const SIDE_VIEW = { yaw: 0.2, pitch: 0.07 };
const THREE_QUARTERS = { yaw: 0.6, pitch: 0.14 };
// Metres that an assist of one body weight is long.
const ASSIST_LENGTH = 0.9;

class Stage {
  constructor(canvas, motions) {
    Object.assign(this, { canvas, motions, view: { ...SIDE_VIEW }, fitsEach: false, shown: [], layout: "ghost" });
    this.ghost = document.createElement("canvas");
    this.drag();
  }

  // Turning with the pointer; twice quickly goes back to the side.
  drag() {
    let last = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      last = event;
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!last) return;
      this.view.yaw += (event.clientX - last.clientX) * 0.008;
      this.view.pitch = Math.min(Math.max(this.view.pitch + (event.clientY - last.clientY) * 0.005, 0.02), 0.7);
      last = event;
      this.onTurn?.();
    });
    for (const end of ["pointerup", "pointercancel"]) this.canvas.addEventListener(end, () => (last = null));
    this.canvas.addEventListener("dblclick", () => {
      Object.assign(this.view, SIDE_VIEW);
      this.onTurn?.();
    });
  }

  readTheme() {
    const style = getComputedStyle(this.canvas);
    const color = (name) => style.getPropertyValue(name).trim();
    const triple = (name) => color(name).split(",").map(Number);
    this.theme = {
      sky: [color("--stage-top"), color("--stage-low")],
      ground: [color("--ground-near"), color("--ground-far")],
      line: color("--stage-line"),
      text: color("--soft"),
      far: triple("--far"),
      shadow: Number(color("--shadow")),
      help: color("--help"),
      paints: [triple("--paint-natural"), triple("--paint-assisted")],
    };
  }

  resize() {
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    for (const canvas of [this.canvas, this.ghost]) {
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
      }
    }
    return [width, height, ratio];
  }

  draw(time) {
    if (!this.theme) this.readTheme();
    const [width, height, ratio] = this.resize();
    if (!width || !height) return;
    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const shown = this.shown.filter((one) => one.motion);
    const panes = this.layout === "beside" && shown.length > 1 ? shown.map((one) => [one]) : [shown];
    const paneWidth = width / panes.length;
    panes.forEach((pane, number) => {
      context.save();
      context.beginPath();
      context.rect(number * paneWidth, 0, paneWidth, height);
      context.clip();
      context.translate(number * paneWidth, 0);
      this.drawPane(context, pane, time, paneWidth, height, ratio, number * paneWidth);
      context.restore();
    });
    if (panes.length > 1) {
      context.fillStyle = this.theme.line;
      context.fillRect(paneWidth - 0.5, 0, 1, height);
    }
  }

  // The view that holds the motions; when they travel further than it is wide, it goes with the first of them.
  viewOf(pane, time, width, height) {
    const counted = this.fitsEach ? this.shown.filter((one) => one.motion).map((one) => one.motion) : this.motions;
    const bounds = counted.map((motion) => motion.bounds);
    const top = Math.max(...bounds.map((b) => b.top), 0.5);
    const floor = Math.max(38, 0.085 * height);
    const scale = Math.min(
      (height - floor - 26) / top,
      (0.92 * width) / Math.min(Math.max(...bounds.map((b) => b.right - b.left)), 2.6),
    );
    const lead = pane[0].motion;
    const span = lead.bounds.right - lead.bounds.left;
    const x = span * scale > 0.94 * width ? lead.pose(time).center[0] : 0.5 * (lead.bounds.left + lead.bounds.right);
    return new View({ ...this.view, scale, focus: [x, lead.path[0][1], 0], across: 0.5 * width, down: height - floor });
  }

  drawPane(context, pane, time, width, height, ratio, offset) {
    const theme = this.theme;
    const sky = context.createLinearGradient(0, 0, 0, height);
    theme.sky.forEach((color, i) => sky.addColorStop(i, color));
    context.fillStyle = sky;
    context.fillRect(0, 0, width, height);
    if (!pane.length) {
      context.fillStyle = theme.text;
      context.font = "14px system-ui,sans-serif";
      context.textAlign = "center";
      context.fillText("This point has no motion to play.", 0.5 * width, 0.5 * height);
      return;
    }
    const view = this.viewOf(pane, time, width, height);
    this.drawGround(context, view, width, height);
    this.drawRuler(context, view, width);
    for (const one of [...pane].reverse()) this.drawMark(context, view, one, width, one !== pane[0]);
    for (const one of [...pane].reverse()) this.drawTrail(context, view, one, time, one !== pane[0]);
    for (const one of [...pane].reverse()) {
      const pose = one.motion.pose(time);
      drawShadows(context, view, pose, theme);
      const paint = theme.paints[Number(one.isAssisted)];
      if (one === pane[0]) {
        drawFigure(context, view, pose, paint, theme);
      } else {
        // As one layer, so that overlapping limbs do not show through each other.
        const layer = this.ghost.getContext("2d");
        layer.setTransform(1, 0, 0, 1, 0, 0);
        layer.clearRect(0, 0, this.ghost.width, this.ghost.height);
        layer.setTransform(ratio, 0, 0, ratio, 0, 0);
        drawFigure(layer, view, pose, paint, theme);
        context.globalAlpha = 0.38;
        context.drawImage(this.ghost, 0, 0, this.ghost.width / ratio, this.ghost.height / ratio);
        context.globalAlpha = 1;
      }
      this.drawAssist(context, view, pose);
    }
    for (const one of pane) this.drawCenter(context, view, one, time);
    this.drawName(context, pane, width);
  }

  // The centre of mass, over the body.
  drawCenter(context, view, one, time) {
    const [x, y] = view.project(one.motion.pose(time).center);
    context.beginPath();
    context.arc(x, y, 3.5, 0, 2 * Math.PI);
    context.fillStyle = "#ffffff";
    context.fill();
    context.lineWidth = 1.5;
    context.strokeStyle = css(mix(this.theme.paints[Number(one.isAssisted)], [0, 0, 0], 0.6));
    context.stroke();
  }

  drawGround(context, view, width, height) {
    const horizon =
      view.project([view.focus[0], view.focus[1], 0])[1] - 0.9 * view.scale * Math.abs(view.up[1] || view.up[0] || 0);
    const ground = context.createLinearGradient(0, horizon, 0, height);
    ground.addColorStop(0, this.theme.ground[1]);
    ground.addColorStop(1, this.theme.ground[0]);
    context.fillStyle = ground;
    context.fillRect(0, horizon, width, height - horizon);
    context.fillStyle = this.theme.line;
    context.fillRect(0, horizon - 0.5, width, 1);
    // Lines half a metre apart, so that travel shows.
    const reach = Math.ceil((width / view.scale) * 1.2);
    const first = Math.round(2 * view.focus[0]) / 2 - reach;
    context.save();
    context.beginPath();
    context.rect(0, horizon, width, height - horizon);
    context.clip();
    context.strokeStyle = this.theme.line;
    context.lineWidth = 1;
    for (let x = first; x <= first + 2 * reach; x += 0.5) {
      const [a, b] = [4, -4].map((y) => view.project([x, view.focus[1] + y, 0]));
      context.globalAlpha = Math.abs(x - Math.round(x)) < 0.01 ? 0.8 : 0.35;
      context.beginPath();
      context.moveTo(a[0], a[1]);
      context.lineTo(b[0], b[1]);
      context.stroke();
    }
    context.restore();
    context.globalAlpha = 1;
  }

  drawRuler(context, view, width) {
    context.font = "11px system-ui,sans-serif";
    context.textAlign = "left";
    context.textBaseline = "middle";
    for (let height = 1; height < 60; height++) {
      const half = height / 2;
      const y = view.project([view.focus[0], view.focus[1], half])[1];
      if (y < 10) break;
      const isWhole = height % 2 === 0;
      context.globalAlpha = isWhole ? 0.9 : 0.35;
      context.fillStyle = this.theme.line;
      context.fillRect(isWhole ? 30 : 0, Math.round(y), width, 1);
      context.globalAlpha = 1;
      if (isWhole) {
        context.fillStyle = this.theme.text;
        context.fillText(`${half} m`, 6, y);
      }
    }
  }

  drawMark(context, view, one, width, isGhost) {
    if (one.motion.mark === null) return;
    const y = view.project([view.focus[0], view.focus[1], one.motion.mark])[1];
    const color = css(this.theme.paints[Number(one.isAssisted)], isGhost ? 0.55 : 1);
    context.strokeStyle = context.fillStyle = color;
    context.setLineDash([6, 4]);
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(34, y);
    context.lineTo(width - (isGhost ? 118 : 66), y);
    context.stroke();
    context.setLineDash([]);
    context.font = `${isGhost ? "" : "600 "}12px system-ui,sans-serif`;
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillText(`${one.motion.mark.toFixed(2)} m`, width - (isGhost ? 64 : 10), y);
  }

  drawTrail(context, view, one, time, isGhost) {
    const places = one.motion.path.map((point) => view.project(point));
    const color = this.theme.paints[Number(one.isAssisted)];
    const now = Math.min(Math.floor(time * one.motion.rate), places.length - 1);
    // Pieces end bluntly: round ends would show where they overlap.
    const line = (from, to, opacity, wide) => {
      context.strokeStyle = css(color, opacity * (isGhost ? 0.5 : 1));
      context.lineWidth = wide;
      context.lineJoin = "round";
      context.lineCap = "butt";
      context.beginPath();
      for (let i = from; i <= to; i++) context.lineTo(places[i][0], places[i][1]);
      context.stroke();
    };
    line(0, places.length - 1, 0.22, 1.25);
    // The last second fades in.
    const tail = Math.max(now - Math.round(one.motion.rate), 0);
    for (let i = tail; i < now; i++) line(i, i + 1, 0.15 + 0.75 * ((i - tail) / Math.max(now - tail, 1)), 2.5);
  }

  drawAssist(context, view, pose) {
    const strength = Math.hypot(...pose.assist);
    if (strength < 0.01) return;
    const from = view.project(pose.center);
    const to = view.project(pose.center.map((value, i) => value + ASSIST_LENGTH * pose.assist[i]));
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const length = Math.hypot(dx, dy);
    if (length < 2) return;
    const [ux, uy] = [dx / length, dy / length];
    const head = Math.min(11, 0.65 * length, 2 + 0.09 * view.scale);
    context.strokeStyle = context.fillStyle = this.theme.help;
    context.lineCap = "round";
    context.lineWidth = Math.min(4, 1 + 0.03 * view.scale);
    context.beginPath();
    context.moveTo(from[0], from[1]);
    context.lineTo(to[0] - ux * head * 0.8, to[1] - uy * head * 0.8);
    context.stroke();
    context.beginPath();
    context.moveTo(to[0], to[1]);
    context.lineTo(to[0] - ux * head - uy * head * 0.6, to[1] - uy * head + ux * head * 0.6);
    context.lineTo(to[0] - ux * head + uy * head * 0.6, to[1] - uy * head - ux * head * 0.6);
    context.closePath();
    context.fill();
  }

  drawName(context, pane, width) {
    if (this.shown.filter((one) => one.motion).length < 2) return;
    context.font = "600 12px system-ui,sans-serif";
    context.textAlign = "left";
    context.textBaseline = "top";
    pane.forEach((one, i) => {
      context.fillStyle = css(this.theme.paints[Number(one.isAssisted)], i ? 0.7 : 1);
      context.fillText(i ? `${one.label} (ghost)` : one.label, 40, 10 + 17 * i, width - 48);
    });
  }
}
