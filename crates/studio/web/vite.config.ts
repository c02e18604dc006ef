import { defineConfig } from "vite";

// `npm run dev` serves the page with reloads beside a running studio: SINEW_STUDIO=http://127.0.0.1:8123 npm run dev
const studio = process.env.SINEW_STUDIO ?? "http://127.0.0.1:8123";

export default defineConfig({
  base: "./",
  build: { target: "es2022", outDir: "dist", emptyOutDir: true, assetsInlineLimit: 0, chunkSizeWarningLimit: 1500, modulePreload: { polyfill: false } },
  // The server refuses foreign origins, so the proxy speaks as the studio's own page.
  server: { proxy: { "/api": { target: studio, ws: true, changeOrigin: true, headers: { origin: studio } } } },
});
