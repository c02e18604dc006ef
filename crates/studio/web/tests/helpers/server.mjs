// Starts the studio given by SINEW_BINARY on a folder of its own. The page is the binary's own, or that in dist/ with STUDIO_PAGE=dist.

import { spawn } from "node:child_process";
import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

export const WEB = fileURLToPath(new URL("../..", import.meta.url));
export const ASSETS = join(WEB, "../../../assets");
export const BINARY = process.env.SINEW_BINARY;

// The rules that the server sends with its own page; the built page must live under them, too.
const POLICY = readFileSync(join(WEB, "../src/page.rs"), "utf8")
  .match(/const POLICY: &str = "([^"]*)"/)[1]
  .replace(/\\\n\s*/g, "");
const KINDS = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Starts the server; `stop()` ends it, `kill()` ends it like a power cut, `start()` brings it back on the same port. */
export async function startStudio({ project = mkdtempSync(join(tmpdir(), "sinew-studio-")), threads = 1 } = {}) {
  let child = null;
  let port = 0;
  const start = () =>
    new Promise((resolve, reject) => {
      child = spawn(BINARY, ["studio", project, "--no-open", "--port", String(port), "--threads", String(threads)], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      let said = "";
      const listen = (chunk) => {
        said += chunk;
        const found = said.match(/http:\/\/127\.0\.0\.1:(\d+)/);
        if (found) {
          port = Number(found[1]);
          resolve();
        }
      };
      child.stdout.on("data", listen);
      child.stderr.on("data", listen);
      child.on("exit", (code) => reject(new Error(`the studio ended with ${code}: ${said}`)));
    });
  const end = (signal) =>
    new Promise((resolve) => {
      if (child === null || child.exitCode !== null || child.signalCode !== null) return resolve();
      child.once("exit", resolve);
      child.kill(signal);
    });
  await start();
  const hasPage = process.env.STUDIO_PAGE !== "dist" && (await fetch(`http://127.0.0.1:${port}/`).then((r) => r.ok));
  const front = hasPage ? null : await servePage(() => port);
  return {
    project,
    pid: () => child.pid,
    hasPage,
    url: front === null ? `http://127.0.0.1:${port}/` : front.url,
    api: () => `http://127.0.0.1:${port}/api/`,
    start,
    kill: () => end("SIGKILL"),
    async stop() {
      front?.close();
      await end("SIGINT");
      rmSync(project, { recursive: true, force: true });
    },
  };
}

/** The built page, and everything under /api passed on as if it came from the server's own page. */
export async function servePage(backendPort) {
  const dist = join(WEB, "dist");
  if (!existsSync(join(dist, "index.html"))) throw new Error("there is no built page; run npm run build first");
  const headersFor = (headers) => ({
    ...headers,
    host: `127.0.0.1:${backendPort()}`,
    ...(headers.origin ? { origin: `http://127.0.0.1:${backendPort()}` } : {}),
  });
  const server = createServer((incoming, outgoing) => {
    if (/^\/(api|files)\//.test(incoming.url)) {
      const passed = request(
        { host: "127.0.0.1", port: backendPort(), path: incoming.url, method: incoming.method, headers: headersFor(incoming.headers) },
        (answer) => {
          outgoing.writeHead(answer.statusCode, answer.headers);
          answer.pipe(outgoing);
        },
      );
      passed.on("error", () => outgoing.destroy());
      incoming.pipe(passed);
      return;
    }
    const name = normalize(new URL(incoming.url, "http://x").pathname).replace(/^\/$/, "/index.html");
    const file = join(dist, name);
    if (!existsSync(file)) return void outgoing.writeHead(404).end();
    outgoing.writeHead(200, { "content-type": KINDS[extname(file)] ?? "application/octet-stream", "content-security-policy": POLICY });
    createReadStream(file).pipe(outgoing);
  });
  server.on("upgrade", (incoming, socket, head) => {
    const backend = connect(backendPort(), "127.0.0.1", () => {
      const headers = Object.entries(headersFor(incoming.headers))
        .map(([k, v]) => `${k}: ${v}`)
        .join("\r\n");
      backend.write(`GET ${incoming.url} HTTP/1.1\r\n${headers}\r\n\r\n`);
      backend.write(head);
      backend.pipe(socket).pipe(backend);
    });
    backend.on("error", () => socket.destroy());
    socket.on("error", () => backend.destroy());
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
