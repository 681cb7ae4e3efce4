import { expect, test } from "vitest";
import {
  type AgentLimit,
  type AgentLimits,
  addLimit,
  limitMet,
  limitsOfPauses,
  pauseUntil,
  pickAgent,
  retriesExhausted,
} from "./agent-limits.ts";
import type { Agent } from "./port/agent.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const at = now.getTime();
const hour = 3_600_000;
const tiers = ["haiku", "sonnet", "claude-opus-4-5"];
const agents = [
  { name: "first", tiers, defaultModel: "sonnet" },
  { name: "second", tiers: ["small", "large"], defaultModel: "small" },
] as unknown as readonly [Agent, ...Agent[]];
const hit = (changes: { kind?: string; resetAt?: string | null; byWords?: boolean }) => ({
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
  pauseUntil(interruption, { consecutive: inARow, now, random }) - at;
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

test("LOOP-8: the stated reset counts; one beyond 8 days is a misreading, and the pause grows as without", () => {
  expect(pause(stated(hour))).toBe(hour + 1000);
  expect(pause(stated(8 * 24 * hour), 1, 1)).toBe(8 * 24 * hour);
  const far = stated(300 * 24 * hour);
  expect([1, 2, 9].map((n) => pause(far, n))).toEqual([60_000, 120_000, hour]);
  const met = { consecutive: 1, now, random: 0 };
  expect(limitMet(far, { agent: "first", model: "sonnet" }, met).resetAt).toBeNull();
});

test("LOOP-8: a limit that only words state is tried again after an hour, then twice as long, up to its reset", () => {
  const words = hit({ resetAt: new Date(at + 5 * hour).toISOString(), byWords: true });
  expect([1, 2, 3, 4, 9].map((n) => pause(words, n))).toEqual([
    hour,
    2 * hour,
    4 * hour,
    5 * hour + 1000,
    5 * hour + 1000,
  ]);
  expect(pause({ ...stated(1000), byWords: true })).toBe(2000);
  expect(pause(hit({ byWords: true }), 9)).toBe(hour);
});

test.each([
  ["sonnet", "opus", "sonnet"],
  ["default", "opus", "default"],
  ["Sonnet:high", "opus", "sonnet"],
  ["opus:high", "opus", "opus"],
  ["claude-opus-4-5", "opus", "opus"],
  ["sonnet", null, null],
])(
  "LOOP-8: a session with %s that meets a limit of %s is not started again at once: limited is %s",
  (used, named, limited) => {
    const met = { ...stated(hour), limitedModel: named };
    const limit = limitMet(met, { agent: "first", model: used }, { consecutive: 1, now, random: 0 });
    expect(limit).toMatchObject({ agent: "first", model: limited, until: at + hour + 1000 });
    const limits: AgentLimits = new Map();
    addLimit(limits, limit);
    const { wait } = pickAgent([agents[0]], limits, { model: () => used, now });
    expect(wait).toEqual(limit);
  },
);

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

test("LOOP-8: patience ends after 24 tries in a row, whatever they state", () => {
  expect([23, 24].map(retriesExhausted)).toEqual([false, true]);
});

test("LOOP-8: a recorded pause without a time, which ralph did not write, is no limit", () => {
  const pause = { agent: "first", model: null, kind: "rate_limit", resetAt: null } as const;
  const pauses = [
    { ...pause, until: "soon" },
    { ...pause, until: "2026-03-01T11:00:00.000Z" },
  ];
  expect(limitsOfPauses(pauses, now).map(({ until }) => until)).toEqual([at + hour]);
});
