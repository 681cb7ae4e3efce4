import { expect, test } from "vitest";
import { listenForStop } from "./stop-signals.ts";

test("LOOP-10: a run that `ralph stop` stops says how to stop it at once, and of no earlier Ctrl-C", () => {
  const shown: string[] = [];
  const signals = listenForStop({ notify: (text) => shown.push(text), leave: () => undefined });
  signals.requestStop();
  signals.requestStop();
  signals.dispose();
  expect(shown).toEqual([
    "stopping: ending the agent and recording its work (ralph stop --now to stop immediately)",
  ]);
});
