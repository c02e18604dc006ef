import { defineConfig } from "vite";

// In development the page comes from Vite and everything under /api from a studio that runs on SINEW_STUDIO (default port 7878).
const studio = process.env.SINEW_STUDIO ?? "http://127.0.0.1:7878";

export default defineConfig({
  base: "./",
  build: { target: "es2022", outDir: "dist", emptyOutDir: true, assetsInlineLimit: 0, chunkSizeWarningLimit: 1500, modulePreload: { polyfill: false } },
  server: { proxy: { "/api": { target: studio, ws: true, changeOrigin: true } } },
});
