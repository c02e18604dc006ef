import { defineConfig } from "vite";

// `npm run dev` serves the page with reloads beside a running studio: sinew studio --no-open, then npm run dev
const studio = process.env.SINEW_STUDIO ?? "http://127.0.0.1:8377";

export default defineConfig({
  base: "./",
  build: { outDir: "dist", target: "es2022", assetsInlineLimit: 0, chunkSizeWarningLimit: 1500 },
  server: {
    // The server refuses foreign origins, so the proxy speaks as the studio's own page.
    proxy: { "/api": { target: studio, changeOrigin: true, ws: true, headers: { origin: studio } } },
  },
});
