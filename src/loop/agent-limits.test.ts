import { expect, test } from "vitest";
import type { Agent } from "../agents/agent.ts";
import { pauseUntil, pickAgent } from "./agent-limits.ts";
import type { Interruption } from "./interruption.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const at = now.getTime();
const agents = [{ name: "first" }, { name: "second" }] as unknown as readonly [Agent, ...Agent[]];
const hit = (changes: Partial<Interruption>): Interruption => ({
  kind: "rate_limit",
  message: "",
  hint: null,
  resetAt: null,
  ...changes,
});

test("a limited agent gives way to the next; when all are limited the soonest is waited for", () => {
  expect(pickAgent(agents, new Map(), now)).toMatchObject({ agent: { name: "first" }, waitUntil: null });
  const one = new Map([["first", at + 5000]]);
  expect(pickAgent(agents, one, now)).toMatchObject({ agent: { name: "second" }, waitUntil: null });
  const both = new Map([...one, ["second", at + 9000] as const]);
  expect(pickAgent(agents, both, now)).toMatchObject({ agent: { name: "first" }, waitUntil: at + 5000 });
  expect(pickAgent(agents, both, new Date(at + 5000))).toMatchObject({ waitUntil: null });
});

test("the stated reset counts, at most 8 days ahead and never in the past", () => {
  const reset = (ms: number) => pauseUntil(hit({ resetAt: new Date(at + ms).toISOString() }), 1, now) - at;
  expect(reset(3_600_000)).toBe(3_601_000);
  expect(reset(-3_600_000)).toBe(1000);
  expect(reset(30 * 86_400_000)).toBe(8 * 86_400_000);
});

test("without a stated reset the pause doubles up to its ceiling", () => {
  expect([1, 2, 3, 9].map((n) => pauseUntil(hit({}), n, now) - at)).toEqual([
    60_000, 120_000, 240_000, 3_600_000,
  ]);
  expect([1, 2, 9].map((n) => pauseUntil(hit({ kind: "network" }), n, now) - at)).toEqual([
    5000, 10_000, 300_000,
  ]);
});
