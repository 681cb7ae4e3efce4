import { expect, test } from "vitest";
import type { EventListener, EventType } from "./event.ts";
import { maxRows } from "./event-store.ts";
import { type HookFailure, startHooks } from "./hooks.ts";
import { redactObject } from "./redact-json.ts";

function logOf(): { tell(type: string, seq?: number): void; subscribe(listener: EventListener): () => void } {
  const listeners = new Set<EventListener>();
  return {
    tell: (type, seq) => {
      const event = { timestamp: "", jobId: "run-1", ...redactObject(seq === undefined ? {} : { seq }) };
      for (const listener of listeners) listener({ ...event, type: type as EventType });
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const cursors = { of: () => 0, delivered: () => undefined, close: async () => undefined };
const typeOf = (json: string): string => String((JSON.parse(json) as { type: string }).type);

test("CTX-4: a hook receives the types that it asked for, in order, and never a hook's failure", async () => {
  const log = logOf();
  const sent: string[] = [];
  const hook = { on: ["iteration.*", "story_failed", "agent.activity"], name: "h", id: "h" };
  const send = async (json: string): Promise<void> => void sent.push(typeOf(json));
  const all = {
    on: ["*"],
    name: "all",
    id: "all",
    send: async (json: string) => void sent.push(`* ${typeOf(json)}`),
  };
  const hooks = startHooks({ log, cursors, hooks: [{ ...hook, send }, all], onFailure: () => undefined });
  for (const type of ["iteration.started", "iterationXfinished", "story_failed", "hook.failed"])
    log.tell(type, 1);
  log.tell("agent.activity");
  await hooks.drain(1000);
  log.tell("story_failed", 2);
  expect(sent.filter((type) => !type.startsWith("*"))).toEqual([
    "iteration.started",
    "story_failed",
    "agent.activity",
  ]);
  expect(sent.filter((type) => type.startsWith("*"))).toEqual([
    "* iteration.started",
    "* iterationXfinished",
    "* story_failed",
  ]);
});

test("CTX-4: a hanging hook is abandoned at the end, its queue is bounded by what the table has, and other hooks continue", async () => {
  const log = logOf();
  const failures: HookFailure[] = [];
  const sent: string[] = [];
  const hangs = (_: string, signal: AbortSignal): Promise<void> =>
    new Promise((_done, fail) => {
      signal.addEventListener("abort", () => fail(new Error("aborted")), { once: true });
    });
  const hooks = startHooks({
    log,
    cursors,
    hooks: [
      { on: ["a.b"], name: "hangs", id: "hangs", send: hangs },
      { on: ["a.b"], name: "quick", id: "quick", send: async (json) => void sent.push(json) },
    ],
    onFailure: (failure) => failures.push(failure),
  });
  // A quick hook gets all that the table of events has, as after a killed run.
  for (let at = 1; at <= maxRows; at++) log.tell("a.b", at);
  await expect.poll(() => sent.length).toBe(maxRows);
  for (let at = 1; at <= 2; at++) log.tell("a.b", at);
  await hooks.drain(50);
  expect(failures[0]).toMatchObject({ hook: "hangs", error: expect.stringContaining("dropped") });
  expect(failures).toHaveLength(20);
  expect(failures.at(-1)?.error).toContain("further failures of this hook are not reported");
});
