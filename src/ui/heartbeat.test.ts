import { expect, test } from "vitest";
import type { RalphEvent } from "../events/event.ts";
import { createHeartbeat } from "./live-line.ts";

const event = (type: string, fields: object): RalphEvent => ({ type, ...fields }) as unknown as RalphEvent;

test("LOOP-23: off a terminal a run that prints nothing else shows its attempt once a minute", () => {
  let time = 0;
  const lines: string[] = [];
  const beat = createHeartbeat({ now: () => time, print: (line) => lines.push(line) }, "/home/ada/dates");
  const pass = (seconds: number): void => {
    for (const end = time + seconds * 1000; time < end; ) {
      time += 1000;
      beat.tick();
    }
  };
  pass(120);
  expect(lines).toEqual([]);
  const tasks = { done: 2, failed: 0, blocked: 1, pending: 4 };
  beat.update(event("run.started", { tasks }));
  beat.update(
    event("iteration.started", { taskId: "t-4", title: "Parse dates", attempt: 2, model: "sonnet" }),
  );
  beat.printed();
  beat.update(event("agent.activity", { kind: "tool", text: "Edit /home/ada/dates/src/a.ts" }));
  pass(59);
  expect(lines).toEqual([]);
  pass(1);
  const text = "4 of 7 t-4 Parse dates · attempt 2 · sonnet";
  expect(lines).toEqual([`  … ${text} · 1m 00s · Edit src/a.ts`]);
  pass(30);
  beat.printed();
  pass(59);
  expect(lines).toHaveLength(1);
  pass(1);
  expect(lines[1]).toBe(`  … ${text} · 2m 30s · Edit src/a.ts`);
  const finished = { taskStatus: "done", costUsd: 0.5, splitInto: [] };
  beat.update(event("iteration.finished", finished));
  pass(120);
  expect(lines).toHaveLength(2);
});
