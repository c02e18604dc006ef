// Changing a clip: its part, its speed, a cycle that closes, a joint turned at a moment. A clip of the file stays; the changed one stands beside it.

import { Quaternion, Vector3 } from "three";
import { h } from "../app/dom";
import type { Studio } from "../app/view";
import { field, numberInput, select, vectorInput } from "../parts/fields";
import { button, section } from "../parts/layout";
import { postJson, remove } from "../protocol/http";
import type { ClipDetail, ClipEdit, Quat, RigDetail, Vec3 } from "../protocol/types";

const DEGREES = 180 / Math.PI;

export class ClipEditor {
  private from: number | null = null;
  private to: number | null = null;
  private joint: string | null = null;
  private degrees: Vec3 = [0, 0, 0];
  private withinSecs: number | null = 0.3;
  private of = "";

  constructor(
    private readonly studio: Studio,
    /** The moment that is shown, s. */
    private readonly now: () => number,
    /** A clip is changed: show it. */
    private readonly onChanged: (rig: RigDetail, clip: string) => void,
  ) {}

  section(rig: RigDetail, clip: ClipDetail): HTMLElement {
    if (this.of !== `${rig.id} ${clip.name}`) {
      this.of = `${rig.id} ${clip.name}`;
      this.from = this.to = null;
    }
    if (!rig.joints.some((j) => j.name === this.joint)) this.joint = rig.joints[0]?.name ?? null;
    const edit = (change: ClipEdit): void => void this.send(rig, clip.name, change);
    const secs = (value: number): number => Math.round(1000 * value) / 1000;
    const changed = clip.edited ?? null;
    const ends = (key: "from" | "to"): HTMLInputElement =>
      numberInput(this[key], 0.05, (x) => (this[key] = x), {
        key: `clip-${key}`,
        min: 0,
        placeholder: key === "from" ? "0" : clip.duration_secs.toFixed(2),
        onClear: () => (this[key] = null),
      });
    return section(
      "Change the motion",
      h("p", {
        class: "quiet",
        textContent: changed === null ? "The file's own clip stays; a changed one is put beside it." : `Made of ${changed.of}.`,
      }),
      changed === null || changed.edits.length === 0
        ? null
        : h("ol", { class: "changes" }, ...changed.edits.map((e) => h("li", { textContent: says(e) }))),
      changed === null
        ? null
        : h(
            "div",
            { class: "actions wrap" },
            button("Undo", () => void this.turnBack(rig, clip.name, "undo"), { icon: "undo", key: "clip-undo", disabled: changed.edits.length === 0 }),
            button("Redo", () => void this.turnBack(rig, clip.name, "redo"), { icon: "redo", key: "clip-redo", disabled: !changed.can_redo }),
            button("Remove", () => void this.drop(rig, clip.name, changed.of), { danger: true, key: "clip-remove" }),
          ),
      field("From", ends("from"), "s"),
      field("To", ends("to"), "s"),
      h(
        "div",
        { class: "actions wrap" },
        button("Keep this part", () => edit({ edit: "trim", from_secs: this.from ?? 0, to_secs: this.to ?? clip.duration_secs }), { key: "clip-trim" }),
        button("Close the cycle", () => edit({ edit: "loop", blend_secs: secs(Math.min(0.3, clip.duration_secs / 3)) }), {
          key: "clip-loop",
          title: "Its end becomes its beginning, so that it repeats",
        }),
      ),
      field(
        "Speed",
        numberInput(100, 10, (percent) => edit({ edit: "speed", factor: percent / 100 }), { key: "clip-speed", min: 5 }),
        "%",
      ),
      field(
        "Joint",
        select(
          rig.joints.map((j) => ({ value: j.name, label: j.name })),
          this.joint,
          (name) => (this.joint = name),
          "clip-joint",
        ),
      ),
      field("Turn by", vectorInput(this.degrees, 5, (d) => (this.degrees = d), "clip-turn"), "°"),
      field(
        "Around",
        numberInput(this.withinSecs, 0.05, (x) => (this.withinSecs = x), {
          key: "clip-within",
          min: 0.01,
          placeholder: "whole clip",
          onClear: () => (this.withinSecs = null),
        }),
        "s",
      ),
      h(
        "div",
        { class: "actions" },
        button(
          "Turn it at this moment",
          () => {
            if (this.joint === null) return;
            const at_secs = secs(Math.min(this.now(), clip.duration_secs));
            edit({
              edit: "turn",
              joint: this.joint,
              turn: quaternion(this.degrees),
              at_secs,
              ...(this.withinSecs === null ? {} : { within_secs: this.withinSecs }),
            });
          },
          { key: "clip-turn-now", title: "About the joint's own axes, fading out before and after" },
        ),
      ),
    );
  }

  private async send(rig: RigDetail, clip: string, change: ClipEdit): Promise<void> {
    const answer = await this.studio.status.during(
      "Changing the clip…",
      postJson<{ clip: string; rig: RigDetail }>("clip/edit", { rig: rig.id, clip, change }),
    );
    if (answer !== null) this.onChanged(answer.rig, answer.clip);
  }

  private async turnBack(rig: RigDetail, clip: string, what: "undo" | "redo"): Promise<void> {
    const answer = await this.studio.status.during(
      what === "undo" ? "Undoing…" : "Redoing…",
      postJson<RigDetail>(`clip/${what}`, { rig: rig.id, clip }),
    );
    if (answer !== null) this.onChanged(answer, clip);
  }

  private async drop(rig: RigDetail, clip: string, of: string): Promise<void> {
    const done = await this.studio.status.during(
      "Removing the clip…",
      remove("clip", { rig: rig.id, clip }).then(() => true),
    );
    if (done !== null) this.onChanged({ ...rig, clips: rig.clips.filter((c) => c.name !== clip) }, of);
  }
}

/** A change in one sentence. */
function says(edit: ClipEdit): string {
  switch (edit.edit) {
    case "trim":
      return `${edit.from_secs.toFixed(2)} s to ${edit.to_secs.toFixed(2)} s`;
    case "speed":
      return `${Math.round(100 * edit.factor)} % of its speed`;
    case "loop":
      return `its end becomes its beginning over ${edit.blend_secs.toFixed(2)} s`;
    case "turn": {
      const angle = 2 * Math.acos(Math.min(1, Math.abs(edit.turn[0]))) * DEGREES;
      const when = edit.within_secs === undefined ? "all along" : `around ${edit.at_secs.toFixed(2)} s`;
      return `${edit.joint} turned by ${angle.toFixed(0)}° ${when}`;
    }
  }
}

function quaternion(degrees: Vec3): Quat {
  const q = new Quaternion();
  const axes = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];
  axes.forEach((axis, i) => q.multiply(new Quaternion().setFromAxisAngle(axis, degrees[i] / DEGREES)));
  return [q.w, q.x, q.y, q.z];
}
