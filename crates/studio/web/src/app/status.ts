// The line at the foot of the page: what the studio is doing, and what went wrong, one sentence each. News stand in the line and so cover nothing.

import { fill, h } from "./dom";
import { icon } from "./icons";

const ERROR_SECS = 12;
const NEWS_SECS = 6;

export class StatusLine {
  readonly element = h("footer", { class: "status", aria: { live: "polite" } });
  private readonly connection = h("span", { class: "connection", textContent: "Connecting…" });
  private readonly doing = h("span", { class: "doing" });
  private readonly right = h("span", { class: "right" });
  private readonly message = h("div", { class: "message" });
  private timer = 0;
  private readonly works = new Map<number, string>();
  private nextWork = 0;

  constructor() {
    this.element.append(this.connection, this.doing, this.right, this.message);
    this.hideMessage();
  }

  private hideMessage(): void {
    this.message.hidden = true;
    this.element.classList.remove("telling");
  }

  setConnected(connected: boolean): void {
    this.connection.textContent = connected ? "Connected" : "The server is away; trying again";
    this.connection.classList.toggle("away", !connected);
  }

  /** What the present view says in the middle. */
  say(text: string): void {
    this.base = text;
    this.show();
  }

  note(text: string): void {
    this.right.textContent = text;
  }

  news(text: string): void {
    this.flash(text, false);
  }

  error(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.flash(text, true);
  }

  /** Says what is being done until it is, and shows its error in one sentence; gives `null` where it failed. */
  async during<T>(text: string, work: Promise<T> | (() => Promise<T>)): Promise<T | null> {
    const id = this.nextWork++;
    this.works.set(id, text);
    this.show();
    try {
      return await (typeof work === "function" ? work() : work);
    } catch (error) {
      this.error(error);
      return null;
    } finally {
      this.works.delete(id);
      this.show();
    }
  }

  private base = "";

  private show(): void {
    const work = [...this.works.values()].pop();
    this.doing.textContent = work ?? this.base;
    this.element.classList.toggle("working", work !== undefined);
  }

  private flash(text: string, isError: boolean): void {
    window.clearTimeout(this.timer);
    const close = h("button", { class: "plain", title: "Close this message", onclick: () => this.hideMessage() }, icon("close"));
    fill(this.message, isError ? icon("warning") : icon("check"), h("span", { textContent: text }), close);
    this.message.setAttribute("role", isError ? "alert" : "status");
    this.message.classList.toggle("error", isError);
    this.message.hidden = false;
    this.element.classList.add("telling");
    this.timer = window.setTimeout(() => this.hideMessage(), 1000 * (isError ? ERROR_SECS : NEWS_SECS));
  }
}
