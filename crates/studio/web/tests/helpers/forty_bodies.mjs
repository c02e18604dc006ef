// A rig whose character has 40 bodies, as a BVH to drop in: a hub with 13 legs of three bones each, y up, centimetres.

const BONES = [
  [28, 6],
  [14, -26],
  [3, -34],
];

export function fortyBodies() {
  const lines = ["HIERARCHY", "ROOT hub", "{", "OFFSET 0 0 0", "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"];
  for (let leg = 0; leg < 13; leg++) {
    const angle = (2 * Math.PI * leg) / 13;
    const at = ([out, up]) => `OFFSET ${(out * Math.sin(angle)).toFixed(4)} ${up} ${(out * Math.cos(angle)).toFixed(4)}`;
    for (let k = 0; k < 3; k++)
      lines.push(`JOINT leg_${leg}_${k}`, "{", at(k === 0 ? [30, 0] : BONES[k - 1]), "CHANNELS 3 Zrotation Xrotation Yrotation");
    lines.push("End Site", "{", at(BONES[2]), "}", "}", "}", "}");
  }
  lines.push("}", "MOTION", "Frames: 30", "Frame Time: 0.033333");
  for (let f = 0; f < 30; f++) {
    const numbers = ["0", "56", "0", "0", "0", "0"];
    for (let i = 0; i < 39; i++) numbers.push("0", (4 * Math.sin((2 * Math.PI * f) / 30 + i)).toFixed(3), "0");
    lines.push(numbers.join(" "));
  }
  return `${lines.join("\n")}\n`;
}
