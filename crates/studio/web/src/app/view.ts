// What every view has, and what it is given.

import type { Socket } from "../protocol/socket";
import type { Viewport } from "../scene/viewport";
import type { Cache } from "./cache";
import type { Keyboard } from "./keys";
import type { StatusLine } from "./status";
import type { Store } from "./store";
import type { Onto } from "./uploads";

export interface Studio {
  store: Store;
  socket: Socket;
  status: StatusLine;
  keyboard: Keyboard;
  viewport: Viewport;
  cache: Cache;
  /** The character that was made, edited or chosen last: other views take it over. */
  recent: { character: string | null };
  /** Opens another view. */
  go(view: string, parameters?: Record<string, string>): void;
  /** Takes in files, as if they were dropped on the page. */
  takeFiles(files: File[], onto?: Onto): Promise<void>;
}

export interface View {
  readonly element: HTMLElement;
  /** The view is on the page from now on. */
  show(parameters: URLSearchParams): void;
  /** The view leaves the page. */
  hide(): void;
}
