// Tabs without a browser: each listens on the socket and fetches the best motion of the job whenever there is a new one, as the page does.

import { randomBytes } from "node:crypto";
import { Agent, get, request } from "node:http";

/** Opens so many; `close()` ends them, `heard()` counts what they got. */
export async function openWatchers(port, count) {
  const agent = new Agent({ keepAlive: true, maxSockets: count });
  const heard = { messages: 0, motions: 0, bytes: 0 };
  const open = () =>
    new Promise((resolve, reject) => {
      const headers = {
        Connection: "Upgrade",
        Upgrade: "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
      };
      const asked = request({ host: "127.0.0.1", port, path: "/api/socket", headers });
      asked.on("upgrade", (_, socket) => resolve(listen(socket)));
      asked.on("response", (answer) => reject(new Error(`the socket was refused with ${answer.statusCode}`)));
      asked.on("error", reject);
      asked.end();
    });
  const listen = (socket) => {
    let waiting = Buffer.alloc(0);
    let shown = 0;
    let wanted = 0;
    let fetching = false;
    const fetchMotion = (id) => {
      if (fetching || shown === wanted) return;
      fetching = true;
      shown = wanted;
      const finished = () => {
        fetching = false;
        fetchMotion(id);
      };
      get({ host: "127.0.0.1", port, path: `/api/job/motion?id=${id}`, agent }, (answer) => {
        heard.motions += 1;
        answer.on("data", (chunk) => (heard.bytes += chunk.length));
        answer.on("end", finished);
      }).on("error", finished);
    };
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      waiting = Buffer.concat([waiting, chunk]);
      for (let frame = readFrame(waiting); frame !== null; frame = readFrame(waiting)) {
        waiting = waiting.subarray(frame.end);
        if (frame.kind !== 1) continue;
        heard.messages += 1;
        const message = JSON.parse(frame.body.toString());
        if (message.type !== "job" || message.job.motion_revision <= wanted) continue;
        wanted = message.job.motion_revision;
        fetchMotion(message.job.id);
      }
    });
    return socket;
  };
  const sockets = await Promise.all(Array.from({ length: count }, open));
  return {
    heard: () => heard,
    close() {
      sockets.forEach((s) => s.destroy());
      agent.destroy();
    },
  };
}

/** The first message in some bytes, or null where it has not arrived whole. */
function readFrame(bytes) {
  if (bytes.length < 2) return null;
  let length = bytes[1] & 127;
  let at = 2;
  if (length === 126) {
    if (bytes.length < 4) return null;
    length = bytes.readUInt16BE(2);
    at = 4;
  } else if (length === 127) {
    if (bytes.length < 10) return null;
    length = Number(bytes.readBigUInt64BE(2));
    at = 10;
  }
  if (bytes.length < at + length) return null;
  return { kind: bytes[0] & 15, body: bytes.subarray(at, at + length), end: at + length };
}
