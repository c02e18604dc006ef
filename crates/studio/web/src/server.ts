// The server of this page, as PROTOCOL.md has it.

export interface Entry {
  id: string;
  name: string;
}

export interface Job {
  id: number;
  title: string;
  status: string;
  message: string;
  progress?: { done: number; total: number; best_cost: number };
}

export interface State {
  version: number;
  project?: { name: string; path: string; sinew: string; largest_upload: number };
  rigs?: Entry[];
  characters?: Entry[];
  results?: (Entry & { completed: boolean | null })[];
  jobs?: Job[];
}

type Message =
  | { type: "hello"; protocol: number; state: State }
  | { type: "state"; state: State }
  | { type: "job"; job: Job }
  | { type: "notice"; text: string }
  | { type: "error"; error: string };

/** Asks the server; a refusal becomes an error with its one sentence. */
export async function ask<T>(path: string, options?: RequestInit): Promise<T> {
  const answer = await fetch(`/api/${path}`, options);
  const body = await answer.json().catch(() => ({ error: answer.statusText }));
  if (!answer.ok) throw new Error(body.error ?? answer.statusText);
  return body as T;
}

/** Keeps a socket open; `changed` gets everything that is known after each change, `say` what to show. */
export function connect(changed: (state: State) => void, say: (text: string) => void): void {
  let state: State = { version: -1 };
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/socket`);
  socket.binaryType = "arraybuffer";
  socket.onmessage = (event) => {
    if (typeof event.data !== "string") return;
    const message = JSON.parse(event.data) as Message;
    if (message.type === "hello") state = message.state;
    else if (message.type === "state" && message.state.version > state.version) state = { ...state, ...message.state };
    else if (message.type === "job") {
      state = { ...state, jobs: state.jobs?.map((job) => (job.id === message.job.id ? message.job : job)) };
    } else if (message.type === "notice") return say(message.text);
    else if (message.type === "error") return say(message.error);
    changed(state);
  };
  socket.onopen = () => say("Connected.");
  socket.onclose = () => {
    say("The server is gone; trying again …");
    setTimeout(() => connect(changed, say), 1000);
  };
}
