// Steps of one story: after one has failed, the rest is not tried.

import { test } from "node:test";

export function story() {
  let broken = null;
  return (name, run) =>
    test(name, async (t) => {
      if (broken !== null) return t.skip(`"${broken}" failed`);
      try {
        await run(t);
      } catch (error) {
        broken = name;
        throw error;
      }
    });
}
