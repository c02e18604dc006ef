import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

/** The decoder of compressed meshes lies beside the page under its own names, as three.js looks for it. */
function dracoDecoder(): Plugin {
  return {
    name: "draco-decoder",
    generateBundle() {
      for (const file of ["draco_decoder.wasm", "draco_wasm_wrapper.js"]) {
        const source = readFileSync(new URL(`node_modules/three/examples/jsm/libs/draco/gltf/${file}`, import.meta.url));
        this.emitFile({ type: "asset", fileName: `draco/${file}`, source });
      }
    },
  };
}

// `npm run dev` serves the page with reloads beside a running studio: sinew studio --no-open, then npm run dev
const studio = process.env.SINEW_STUDIO ?? "http://127.0.0.1:8377";

export default defineConfig({
  base: "./",
  plugins: [dracoDecoder()],
  build: {
    target: "es2022",
    outDir: "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
    modulePreload: { polyfill: false },
  },
  // The server refuses foreign origins, so the proxy speaks as the studio's own page.
  server: { proxy: { "/api": { target: studio, ws: true, changeOrigin: true, headers: { origin: studio } } } },
});
