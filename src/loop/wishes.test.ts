import { expect, test } from "vitest";
import { openTempStore } from "../../test/temp-store.ts";
import type { Clock } from "../base/clock.ts";
import type { Loop } from "./loop.ts";
import { sleepUnlessAsked } from "./wishes.ts";

const start = Date.parse("2026-03-01T10:00:00Z");
const hour = 3_600_000;

/** A clock that only moves by being slept on, and what befalls it after so many milliseconds of waiting. */
async function handClock(befalls: { readonly afterMs: number; readonly wallMs: number } | null = null) {
  const stop = new AbortController();
  let waited = 0;
  const jump = () => (befalls && waited >= befalls.afterMs ? befalls.wallMs : 0);
  const clock: Clock = {
    now: () => new Date(start + waited + jump()),
    monotonic: () => waited,
    sleep: async (ms) => {
      waited += ms;
    },
  };
  const loop = { clock, db: await openTempStore(), runId: "r-1", stop: stop.signal } as unknown as Loop;
  return { loop, stop, waited: () => waited };
}

test("LOOP-8: a wait ends when the wall clock is there, to the millisecond", async () => {
  const { loop, waited } = await handClock();
  expect(await sleepUnlessAsked(loop, start + 1234)).toBe(true);
  expect(waited()).toBe(1234);
});

test("LOOP-8: a computer that was suspended during the wait finds it over when it wakes", async () => {
  const { loop, waited } = await handClock({ afterMs: 60_000, wallMs: 5 * hour });
  expect(await sleepUnlessAsked(loop, start + 3 * hour)).toBe(true);
  expect(waited()).toBeLessThan(62_000);
});

test("LOOP-8: a clock that is set back makes the wait no longer than it was to be", async () => {
  const { loop, waited } = await handClock({ afterMs: 1000, wallMs: -365 * 24 * hour });
  expect(await sleepUnlessAsked(loop, start + 60_000)).toBe(true);
  expect(waited()).toBe(60_000);
});

test("LOOP-8: a stop ends the wait at once", async () => {
  const { loop, stop, waited } = await handClock();
  stop.abort();
  expect(await sleepUnlessAsked(loop, start + hour)).toBe(false);
  expect(waited()).toBe(0);
});
