// Draws two clips of a GLB side by side in a browser and compares the pixels:
//   NODE_MODULES=folder node scripts/render_clips.mjs FILE.glb CLIP OTHER_CLIP out.png
// Needs the npm packages three and playwright-core in that folder, and Debian's chromium.
// Prints the largest share of pixels that differ in any of the moments, and fails above half a per cent.
import { createServer } from "node:http";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const modules = process.env.NODE_MODULES ?? process.cwd();
const { chromium } = createRequire(`${modules}/`)("playwright-core");
const [file, first, second, picture] = process.argv.slice(2);
const MOMENTS = 4;
const SIZE = 240;

const page = `<!doctype html><body style="margin:0"><script type="importmap">
{"imports":{"three":"/three/build/three.module.js","three/addons/":"/three/examples/jsm/"}}</script>
<script type="module">
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
const gltf = await new GLTFLoader().loadAsync("/model.glb");
const renderer = new THREE.WebGLRenderer({ antialias: false, preserveDrawingBuffer: true });
renderer.setSize(${SIZE}, ${SIZE});
document.body.appendChild(renderer.domElement);
const scene = new THREE.Scene();
scene.background = new THREE.Color(0xffffff);
scene.add(gltf.scene, new THREE.HemisphereLight(0xffffff, 0x667788, 3));
gltf.scene.traverse((o) => (o.frustumCulled = false));
const camera = new THREE.PerspectiveCamera(35, 1, 0.001, 1e5);
window.clips = gltf.animations.map((a) => a.name);
window.draw = (name, share) => {
  const clip = gltf.animations.find((a) => a.name === name);
  const mixer = new THREE.AnimationMixer(gltf.scene);
  mixer.clipAction(clip).play();
  mixer.setTime(share * clip.duration * 0.999);
  gltf.scene.updateMatrixWorld(true);
  const box = new THREE.Box3();
  gltf.scene.traverse((o) => { if (o.isBone || o.isMesh) box.expandByPoint(o.getWorldPosition(new THREE.Vector3())); });
  if (!window.frame) window.frame = { center: box.getCenter(new THREE.Vector3()), size: box.getSize(new THREE.Vector3()).length() };
  const { center, size } = window.frame;
  camera.position.copy(center).add(new THREE.Vector3(1.6, 0.5, 1.2).multiplyScalar(size));
  camera.lookAt(center);
  renderer.render(scene, camera);
  mixer.stopAllAction();
  const pixels = new Uint8Array(4 * ${SIZE} * ${SIZE});
  const gl = renderer.getContext();
  gl.readPixels(0, 0, ${SIZE}, ${SIZE}, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  return { pixels: Array.from(pixels), url: renderer.domElement.toDataURL() };
};
window.ready = true;
</script>`;

const server = createServer((request, response) => {
  if (request.url === "/") return response.setHeader("content-type", "text/html").end(page);
  if (request.url === "/model.glb") return response.end(readFileSync(file));
  const script = join(modules, "node_modules", request.url);
  response.setHeader("content-type", "text/javascript");
  try { response.end(readFileSync(script)); } catch { response.writeHead(404).end(); }
}).listen(0);
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
const tab = await browser.newPage();
tab.on("pageerror", (error) => console.error(String(error)));
await tab.goto(`http://127.0.0.1:${server.address().port}/`);
await tab.waitForFunction("window.ready", null, { timeout: 60000 });

let worst = 0;
const images = [];
for (let k = 0; k < MOMENTS; k++) {
  const share = k / (MOMENTS - 1);
  const [a, b] = [await tab.evaluate(([n, s]) => draw(n, s), [first, share]), await tab.evaluate(([n, s]) => draw(n, s), [second, share])];
  let different = 0, painted = 0;
  for (let i = 0; i < a.pixels.length; i += 4) {
    const distance = Math.max(...[0, 1, 2].map((c) => Math.abs(a.pixels[i + c] - b.pixels[i + c])));
    if (a.pixels[i] < 250 || b.pixels[i] < 250) painted++;
    if (distance > 12) different++;
  }
  worst = Math.max(worst, different / Math.max(painted, 1));
  images.push(a.url, b.url);
}
if (picture) {
  const rows = [0, 1].map((r) => images.filter((_, i) => i % 2 === r).map((u) => `<img src="${u}">`).join("")).join("<br>");
  await tab.setViewportSize({ width: MOMENTS * SIZE, height: 2 * SIZE });
  await tab.setContent(`<body style="margin:0;line-height:0">${rows}`);
  writeFileSync(picture, await tab.screenshot());
}
console.log(`${file}: at most ${(100 * worst).toFixed(2)} % of the painted pixels differ between ${first} and ${second}`);
await browser.close();
server.close();
process.exit(worst > 0.005 ? 1 : 0);
