// The web socket: news, requests with answers, frames. Connects again by itself.

import { readFrame, type Frame } from "./frame";
import { sentence } from "./http";
import type { ServerMessage, SessionAction, SessionEntry, SessionStart } from "./types";

type Listener = (message: ServerMessage) => void;
type FrameListener = (frame: Frame) => void;
interface Waiting {
  resolve(session: SessionEntry | null): void;
  reject(error: Error): void;
}

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 5000;

export class Socket {
  connected = false;
  /** Server's clock minus this page's, ms; from the quickest answer so far. */
  clockOffsetMs = 0;
  /** Way there and back of the quickest answer, ms. */
  roundTripMs = Infinity;
  onConnection: (connected: boolean) => void = () => {};

  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT_MS;
  private nextRequest = 1;
  private readonly waiting = new Map<number, Waiting & { sentAt: number }>();
  private readonly listeners = new Set<Listener>();
  private readonly frameListeners = new Map<number, Set<FrameListener>>();

  constructor(private readonly url: string) {}

  open(): void {
    const socket = new WebSocket(this.url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onmessage = (event) =>
      typeof event.data === "string" ? this.receive(event.data) : this.receiveFrame(event.data as ArrayBuffer);
    socket.onclose = () => this.closed();
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  listenFrames(stream: number, listener: FrameListener): () => void {
    const set = this.frameListeners.get(stream) ?? new Set();
    this.frameListeners.set(stream, set.add(listener));
    return () => set.delete(listener);
  }

  async start(session: SessionStart): Promise<SessionEntry> {
    const entry = await this.request({ type: "start", session });
    if (entry === null) throw new Error("The server started nothing; try again.");
    return entry;
  }

  act(session: number, action: SessionAction): Promise<unknown> {
    return this.request({ type: "act", session, ...action });
  }

  end(session: number): Promise<unknown> {
    return this.request({ type: "end", session });
  }

  watch(stream: number): Promise<unknown> {
    return this.request({ type: "watch", stream });
  }

  unwatch(stream: number): Promise<unknown> {
    return this.request({ type: "unwatch", stream });
  }

  ping(): Promise<unknown> {
    return this.request({ type: "ping" });
  }

  private async request(message: Record<string, unknown>): Promise<SessionEntry | null> {
    if (!this.connected) await this.connection();
    const socket = this.socket;
    if (!this.connected || socket === null) throw new Error("The studio's server does not answer; try again when it is back.");
    const request = this.nextRequest++;
    return new Promise((resolve, reject) => {
      this.waiting.set(request, { resolve, reject, sentAt: performance.now() });
      socket.send(JSON.stringify({ ...message, request }));
    });
  }

  /** Waits a little: a page that was just opened asks before it is connected. */
  private connection(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.listeners.delete(heard);
        window.clearTimeout(timer);
        resolve();
      };
      const heard: Listener = (message) => message.type === "hello" && done();
      const timer = window.setTimeout(done, LONGEST_WAIT_MS);
      this.listeners.add(heard);
    });
  }

  private receive(text: string): void {
    const message = JSON.parse(text) as ServerMessage;
    if (message.type === "hello") {
      this.connected = true;
      this.wait = FIRST_WAIT_MS;
      this.onConnection(true);
    } else if (message.type === "done") {
      this.settle(message.request, (waiting) => {
        const now = performance.now();
        if (now - waiting.sentAt < this.roundTripMs) {
          this.roundTripMs = now - waiting.sentAt;
          this.clockOffsetMs = message.clock_ms - (now + waiting.sentAt) / 2;
        }
        waiting.resolve(message.session ?? null);
      });
    } else if (message.type === "error" && typeof message.request === "number") {
      this.settle(message.request, (waiting) => waiting.reject(new Error(sentence(message.error))));
    }
    for (const listener of this.listeners) listener(message);
  }

  private settle(request: number, how: (waiting: Waiting & { sentAt: number }) => void): void {
    const waiting = this.waiting.get(request);
    this.waiting.delete(request);
    if (waiting !== undefined) how(waiting);
  }

  private receiveFrame(bytes: ArrayBuffer): void {
    if (bytes.byteLength < 12) return;
    const listeners = this.frameListeners.get(new DataView(bytes).getUint32(4, true));
    if (listeners === undefined || listeners.size === 0) return;
    const frame = readFrame(bytes, 0, bytes.byteLength);
    for (const listener of listeners) listener(frame);
  }

  private closed(): void {
    this.connected = false;
    for (const waiting of this.waiting.values())
      waiting.reject(new Error("The connection to the studio's server was lost; try again when it is back."));
    this.waiting.clear();
    this.clockOffsetMs = 0;
    this.roundTripMs = Infinity;
    this.onConnection(false);
    window.setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(this.wait * 1.6, LONGEST_WAIT_MS);
  }
}
