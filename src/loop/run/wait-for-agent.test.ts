import { expect, test } from "vitest";
import { openTempStore } from "../../../test/temp-store.ts";
import type { Clock } from "../../base/clock.ts";
import type { Loop } from "../rows/loop.ts";
import { insertRun, setControl } from "../rows/run-store.ts";
import { sleepUntilControl, waitWhilePaused } from "./wait-for-agent.ts";

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
  expect(await sleepUntilControl(loop, start + 1234)).toBe(true);
  expect(waited()).toBe(1234);
});

test("LOOP-8: a computer that was suspended during the wait finds it over when it wakes", async () => {
  const { loop, waited } = await handClock({ afterMs: 60_000, wallMs: 5 * hour });
  expect(await sleepUntilControl(loop, start + 3 * hour)).toBe(true);
  expect(waited()).toBeLessThan(62_000);
});

test("LOOP-8: a clock that is set back makes the wait no longer than it was to be", async () => {
  const { loop, waited } = await handClock({ afterMs: 1000, wallMs: -365 * 24 * hour });
  expect(await sleepUntilControl(loop, start + 60_000)).toBe(true);
  expect(waited()).toBe(60_000);
});

test("LOOP-8: a stop ends the wait at once", async () => {
  const { loop, stop, waited } = await handClock();
  stop.abort();
  expect(await sleepUntilControl(loop, start + hour)).toBe(false);
  expect(waited()).toBe(0);
});

test("LOOP-10: what was asked to stop begins nothing new, though the stop itself is heard later, and is not said to go on", async () => {
  const { loop, stop } = await handClock();
  const told: string[] = [];
  const log = { flushLater: () => undefined };
  const owner = { pid: 1, startTime: "1", bootId: "b", host: "h" };
  const run = { id: "r-1", agent: "command", model: null, strategy: "fixed", session: null, branch: null };
  await loop.db.transaction((tx) => insertRun(tx, { ...run, startedAt: "2026-03-01T10:00:00Z", owner }));
  const ask = (control: "pause" | "stop") => loop.db.transaction((tx) => setControl(tx, "r-1", control));
  await ask("pause");
  let sleeps = 0;
  const sleep = async (): Promise<void> => {
    sleeps += 1;
    if (sleeps === 2) await ask("stop");
    if (sleeps === 5) stop.abort();
  };
  await waitWhilePaused({ ...loop, log, clock: { ...loop.clock, sleep } } as unknown as Loop);
  for (const { type } of await loop.db.all<{ type: string }>("SELECT type FROM events")) told.push(type);
  expect(sleeps).toBe(5);
  expect(told).toEqual(["run.paused"]);
});
