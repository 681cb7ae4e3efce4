import { expect, test } from "vitest";
import type { Agent } from "./agent.ts";
import {
  type AgentLimit,
  type AgentLimits,
  addLimit,
  limitsOfPauses,
  pauseUntil,
  pickAgent,
  retriesExhausted,
} from "./agent-limits.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const at = now.getTime();
const hour = 3_600_000;
const tiers = ["haiku", "sonnet", "claude-opus-4-5"];
const agents = [
  { name: "first", tiers, defaultModel: "sonnet" },
  { name: "second", tiers: ["small", "large"], defaultModel: "small" },
] as unknown as readonly [Agent, ...Agent[]];
const hit = (changes: { kind?: string; resetAt?: string | null }) => ({
  kind: "rate_limit",
  resetAt: null,
  ...changes,
});
const limitsOf = (...given: readonly (Partial<AgentLimit> & { ms: number })[]): AgentLimits => {
  const limits: AgentLimits = new Map();
  for (const { ms, ...changes } of given) {
    const limit = { agent: "first", model: null, kind: "rate_limit", resetAt: null, until: at + ms };
    addLimit(limits, { ...limit, ...changes });
  }
  return limits;
};
const pick = (limits: AgentLimits, model: string | null = null, when = now) => {
  const { choice, wait } = pickAgent(agents, limits, { model: () => model, now: when });
  return { name: choice?.agent.name, tiers: choice?.tiers, waitMs: wait && wait.until - at };
};
const pause = (interruption: ReturnType<typeof hit>, inARow = 1, random = 0) =>
  pauseUntil(interruption, inARow, { now, random }) - at;
const stated = (ms: number) => hit({ resetAt: new Date(at + ms).toISOString() });

test("LOOP-8: a limited agent gives way to the next; when all are limited the soonest is waited for", () => {
  expect(pick(limitsOf())).toMatchObject({ name: "first", waitMs: null });
  expect(pick(limitsOf({ ms: 5000 }))).toMatchObject({ name: "second", waitMs: null });
  const both = limitsOf({ ms: 5000 }, { agent: "second", ms: 9000 });
  expect(pick(both)).toMatchObject({ name: undefined, waitMs: 5000 });
  expect(pick(both, null, new Date(at + 5000))).toMatchObject({ name: "first", waitMs: null });
});

test("LOOP-8: a limit of some models leaves the agent's others to choose from", () => {
  const opus = limitsOf({ model: "opus", ms: hour });
  expect(pick(opus)).toEqual({ name: "first", tiers: ["haiku", "sonnet", "sonnet"], waitMs: null });
  expect(pick(limitsOf({ model: "haiku", ms: hour })).tiers).toEqual(["sonnet", "sonnet", "claude-opus-4-5"]);
  expect(pick(opus, "opus")).toMatchObject({ name: "second" });
  expect(pick(opus, "sonnet")).toMatchObject({ name: "first" });
  const all = limitsOf(
    { model: "opus", ms: hour },
    { model: "sonnet", ms: 3 * hour },
    { model: "haiku", ms: 2 * hour },
    { agent: "second", ms: 9 * hour },
  );
  expect(pick(all)).toMatchObject({ waitMs: hour });
  expect(pick(all, "haiku")).toMatchObject({ waitMs: 2 * hour });
});

test("LOOP-8: a later limit of the same agent and model takes the earlier one's place", () => {
  expect(pick(limitsOf({ ms: hour }, { ms: -1 }))).toMatchObject({ name: "first" });
});

test("LOOP-8: the stated reset counts, at most 8 days ahead", () => {
  expect(pause(stated(hour))).toBe(hour + 1000);
  expect(pause(stated(30 * 24 * hour))).toBe(8 * 24 * hour);
  expect(pause(stated(30 * 24 * hour), 1, 1)).toBe(8 * 24 * hour);
});

test("LOOP-8: runs that wait for one reset spread by at most 10 seconds", () => {
  expect(pause(stated(hour), 1, 1)).toBe(hour + 11_000);
  expect(pause(stated(1000), 1, 1)).toBe(2100);
});

test("LOOP-8: without a stated reset, or after one that has passed, the pause doubles up to its ceiling", () => {
  expect([1, 2, 3, 9].map((n) => pause(hit({}), n))).toEqual([60_000, 120_000, 240_000, 3_600_000]);
  expect(pause(stated(-hour), 2)).toBe(120_000);
  expect([1, 2, 9].map((n) => pause(hit({ kind: "network" }), n))).toEqual([5000, 10_000, 300_000]);
});

test("LOOP-8: an agent that keeps naming the next second is not called every second", () => {
  expect([1, 3, 4, 5].map((n) => pause(stated(500), n))).toEqual([1500, 1500, 60_000, 120_000]);
});

test("LOOP-8: patience ends only where there is no reset to wait for", () => {
  expect(retriesExhausted(hit({ kind: "network" }), 23, now)).toBe(false);
  expect(retriesExhausted(hit({ kind: "network" }), 24, now)).toBe(true);
  expect(retriesExhausted(stated(hour), 99, now)).toBe(false);
  expect(retriesExhausted(stated(-hour), 99, now)).toBe(true);
});

test("LOOP-8: a recorded pause without a time, which ralph did not write, is no limit", () => {
  const pause = { agent: "first", model: null, kind: "rate_limit", resetAt: null } as const;
  const pauses = [
    { ...pause, until: "soon" },
    { ...pause, until: "2026-03-01T11:00:00.000Z" },
  ];
  expect(limitsOfPauses(pauses, now).map(({ until }) => until)).toEqual([at + hour]);
});
