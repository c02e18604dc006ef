// What the server says that the project holds, and who wants to know when it changes.

import type {
  CharacterEntry,
  FrontEntry,
  Job,
  PackageEntry,
  ProjectInfo,
  ResultEntry,
  RigEntry,
  ServerMessage,
  SessionEntry,
  State,
} from "../protocol/types";

export type Section = "project" | "rigs" | "characters" | "results" | "packages" | "jobs" | "sessions" | "fronts";

export class Store {
  version = -1;
  project: ProjectInfo = { name: "", path: "", sinew: "", largest_upload: 512 * 1024 * 1024, presets: ["quick", "default", "paper"] };
  rigs: RigEntry[] = [];
  characters: CharacterEntry[] = [];
  results: ResultEntry[] = [];
  packages: PackageEntry[] = [];
  jobs: Job[] = [];
  sessions: SessionEntry[] = [];
  fronts: FrontEntry[] = [];

  private readonly listeners = new Map<Section, Set<() => void>>();

  /** Calls back after each change of any of the sections. */
  on(sections: Section[], listener: () => void): void {
    for (const section of sections) {
      const set = this.listeners.get(section) ?? new Set();
      this.listeners.set(section, set.add(listener));
    }
  }

  receive(message: ServerMessage): void {
    if (message.type === "hello") {
      this.version = -1;
      this.take(message.state);
    } else if (message.type === "state") {
      this.take(message.state);
    } else if (message.type === "job") {
      this.takeJob(message.job);
    }
  }

  takeJob(job: Job): void {
    const index = this.jobs.findIndex((j) => j.id === job.id);
    this.jobs = index < 0 ? [...this.jobs, job] : this.jobs.map((j) => (j.id === job.id ? job : j));
    this.tell(["jobs"]);
  }

  private take(state: State): void {
    if (state.version <= this.version) return;
    this.version = state.version;
    const changed: Section[] = [];
    const set = <K extends Section>(section: K, value: this[K] | undefined): void => {
      if (value === undefined || value === null) return;
      this[section] = value;
      changed.push(section);
    };
    set("project", state.project);
    set("rigs", state.rigs);
    set("characters", state.characters);
    set("results", state.results);
    set("packages", state.packages);
    set("jobs", state.jobs);
    set("sessions", state.sessions);
    set("fronts", state.fronts);
    this.tell(changed);
  }

  private tell(sections: Section[]): void {
    const told = new Set<() => void>();
    for (const section of sections) for (const listener of this.listeners.get(section) ?? []) told.add(listener);
    for (const listener of told) listener();
  }
}
