// Requests to the server. A refusal becomes an error whose message is the server's sentence.

import { readMotion, type Motion } from "./motion";

export class Refusal extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

const UNREACHABLE = "The studio's server does not answer; the page goes on by itself when it is back.";

async function ask(path: string, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch {
    throw new Refusal(UNREACHABLE, 0);
  }
  if (response.ok) return response;
  throw new Refusal(await sentenceOf(response), response.status);
}

async function sentenceOf(response: Response): Promise<string> {
  try {
    const answer = (await response.json()) as { error?: unknown };
    if (typeof answer.error === "string") return sentence(answer.error);
  } catch {
    // No JSON: the status has to do.
  }
  return `The server answered ${response.status} to ${new URL(response.url).pathname}; restart the studio if this goes on.`;
}

/** A server's sentence as one on the page: a capital at the start, unless a file or a field stands there; a stop at the end. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") return "Something went wrong; the server did not say what.";
  const capital = /^[a-z]+[ ,]/.test(trimmed) ? trimmed[0].toUpperCase() + trimmed.slice(1) : trimmed;
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

/** `/api/rig` with its parameters; absent ones are left out. */
export function address(path: string, parameters: Record<string, string | number | boolean | undefined> = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
  const text = query.toString();
  return `/api/${path}${text === "" ? "" : `?${text}`}`;
}

export async function getJson<T>(path: string, parameters = {}): Promise<T> {
  return (await ask(address(path, parameters))).json() as Promise<T>;
}

export async function postJson<T>(path: string, body: unknown): Promise<T> {
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  return (await ask(address(path), init)).json() as Promise<T>;
}

export async function remove(path: string, parameters: Record<string, string | number>): Promise<void> {
  await ask(address(path, parameters), { method: "DELETE" });
}

export async function getMotion(path: string, parameters: Record<string, string | number | undefined>): Promise<Motion> {
  return readMotion(await (await ask(address(path, parameters))).arrayBuffer());
}

export async function getBytes(path: string, parameters: Record<string, string | number>): Promise<ArrayBuffer> {
  return (await ask(address(path, parameters))).arrayBuffer();
}

/** Where an upload goes: into a folder with its parts, onto a rig and a character that take its clips, or in the place of an older version. */
export interface Destination {
  folder?: string | undefined;
  onto?: string | undefined;
  character?: string | undefined;
  replace?: boolean | undefined;
}

export async function upload<T>(name: string, to: Destination, bytes: Blob): Promise<T> {
  const init = { method: "POST", headers: { "content-type": "application/octet-stream" }, body: bytes };
  return (await ask(address("upload", { name, ...to }), init)).json() as Promise<T>;
}
