// The parade: all motions of a front side by side, in step and to one scale. A click picks one.

const LEAST_COLUMN_PX = 44;

class Parade {
  constructor(canvas, stage, pick) {
    Object.assign(this, { canvas, stage, points: [], chosen: null });
    const under = (event) => {
      const box = canvas.getBoundingClientRect();
      return this.points[Math.floor(((event.clientX - box.left) / box.width) * this.points.length)];
    };
    canvas.addEventListener("click", (event) => {
      const point = under(event);
      if (point) pick(point, event.shiftKey);
    });
    canvas.addEventListener("pointermove", (event) => (canvas.title = under(event)?.label ?? ""));
  }

  // The points of a front that have a motion; a parade of one is none.
  line(points, chosen) {
    this.points = points.filter((point) => point.motion);
    this.chosen = chosen;
    this.canvas.style.minWidth = `${LEAST_COLUMN_PX * this.points.length}px`;
    this.canvas.closest(".parade").hidden = this.points.length < 2;
  }

  draw(time) {
    const { canvas, points, stage } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (points.length < 2 || !width || !height) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { theme } = stage;
    const [column, floor] = [width / points.length, 30];
    const ground = height - floor;
    const sky = context.createLinearGradient(0, 0, 0, height);
    theme.sky.forEach((color, i) => sky.addColorStop(i, color));
    context.fillStyle = sky;
    context.fillRect(0, 0, width, height);
    context.fillStyle = theme.ground[1];
    context.fillRect(0, ground - 5, width, height);
    const top = Math.max(...points.map((point) => point.motion.bounds.top), 0.5);
    const scale = Math.min((ground - 14) / top, column * 1.15);
    context.font = "11px system-ui,sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    points.forEach((point, i) => {
      const paint = theme.paints[Number(point.isAssisted)];
      const middle = (i + 0.5) * column;
      if (point === this.chosen) {
        context.fillStyle = css(paint, 0.16);
        context.fillRect(i * column, 0, column, height);
      }
      const { motion } = point;
      const pose = motion.pose(time);
      // In place: those that travel are followed.
      const focus = [
        motion.bounds.right - motion.bounds.left > 2.6 ? pose.center[0] : motion.path[0][0],
        motion.path[0][1],
        0,
      ];
      const view = new View({ ...SIDE_VIEW, scale, focus, across: middle, down: ground });
      if (motion.mark !== null) {
        context.fillStyle = css(paint, 0.75);
        context.fillRect(i * column + 0.16 * column, ground - motion.mark * scale - 0.75, 0.68 * column, 1.5);
      }
      drawShadows(context, view, pose, theme);
      drawFigure(context, view, pose, paint, theme);
      stage.drawAssist(context, view, pose);
      context.fillStyle = point === this.chosen ? css(paint) : theme.text;
      context.fillText(point.values[this.stage.xQuantity], middle, height - 11, column - 2);
    });
  }
}
