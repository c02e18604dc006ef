// A front that no study has found: stands between the page and a real studio, lists one front, and simulates its points as a character that is
// dropped under more or less gravity. Everything else is passed on.

import { createServer, request } from "node:http";
import { WebSocket, WebSocketServer } from "ws";

const POINTS = Array.from({ length: 13 }, (_, i) => {
  const dial = i / 12;
  return { values: [120 + 420 * dial ** 1.6, 0.12 + 0.62 * dial ** 0.7], dial, label: i === 8 ? "highest natural jump" : null };
});
export const FRONT = {
  id: "fronts/jump",
  title: "Jump: effort against height",
  points: POINTS,
  dial: ["height", "easy", "high"],
  axes: [
    { name: "effort", unit: "J", less_is_better: true },
    { name: "height", unit: "m", less_is_better: false },
  ],
};
const ENTRY = { id: FRONT.id, title: FRONT.title, points: POINTS.length };

export async function serveMadeUpFront(studioPort, character) {
  const heard = [];
  const server = createServer((incoming, outgoing) => {
    const answer = incoming.url.startsWith("/api/fronts") ? [ENTRY] : incoming.url.startsWith("/api/front?") ? FRONT : null;
    if (answer !== null) return void outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    const options = {
      host: "127.0.0.1",
      port: studioPort,
      path: incoming.url,
      method: incoming.method,
      headers: own(incoming.headers, studioPort),
    };
    incoming.pipe(request(options, (a) => a.pipe(outgoing.writeHead(a.statusCode, a.headers))));
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (page) => {
    const studio = new WebSocket(`ws://127.0.0.1:${studioPort}/api/socket`, { origin: `http://127.0.0.1:${studioPort}` });
    page.on("message", (data) => studio.send(JSON.stringify(toStudio(JSON.parse(data), heard, character))));
    studio.on("message", (data, isBinary) => page.send(isBinary ? data : JSON.stringify(toPage(JSON.parse(data)))));
    page.on("close", () => studio.close());
    studio.on("close", () => page.close());
    studio.on("error", () => page.close());
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: server.address().port,
    heard,
    close: () => {
      sockets.close();
      for (const c of sockets.clients) c.terminate();
      server.close();
      server.closeAllConnections();
    },
  };
}

function own(headers, port) {
  return { ...headers, host: `127.0.0.1:${port}`, ...(headers.origin ? { origin: `http://127.0.0.1:${port}` } : {}) };
}

function toStudio(message, heard, character) {
  if (message.session?.what === "front") {
    heard.push({ start: message.session.dial });
    return { ...message, session: { what: "drop", character, height_m: 0.4 } };
  }
  if (message.action !== "dial") return message;
  heard.push({ dial: message.dial });
  const { dial, ...rest } = message;
  return { ...rest, action: "gravity", gravity: [0, 0, -(1 + 9 * dial)] };
}

function toPage(message) {
  return message.type === "hello" ? { ...message, state: { ...message.state, fronts: [ENTRY] } } : message;
}
