import { expect, test } from "vitest";
import { openBackground } from "./background.ts";

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

test("LEARN-8: queued work waits for an agent that runs for a second, pauses with it and continues beside the next", async () => {
  const loop = openBackground();
  let slices = 0;
  let state = "waiting";
  loop.queue(async ({ pause }) => {
    state = "running";
    while (slices < 10_000) {
      slices += 1;
      busy(10);
      await pause();
    }
  });
  await loop.during(after(20));
  expect(state).toBe("waiting");
  await loop.during(after(1200));
  const before = slices;
  expect(before).toBeGreaterThan(1);
  await loop.during(after(300));
  expect(slices).toBe(before);
  await loop.during(after(1200));
  expect(slices).toBeGreaterThan(before);
  const last = slices;
  await loop.finish();
  expect(slices).toBe(last);
  await loop.during(after(1050));
  expect(slices).toBe(last);
});

test("LEARN-8: an agent that ends in the middle of queued work waits for one slice at most", async () => {
  const loop = openBackground();
  let slices = 0;
  loop.queue(async ({ pause }) => {
    for (; slices < 200; slices += 1) {
      busy(10);
      await pause();
    }
  });
  const ended: number[] = [];
  const agent = after(1300).then(() => void ended.push(performance.now()));
  await loop.during(agent);
  // Whole, the work takes two seconds.
  expect(performance.now() - (ended[0] ?? 0)).toBeLessThan(500);
  expect(slices).toBeGreaterThan(0);
  expect(slices).toBeLessThan(100);
  await loop.finish();
});

test("background work runs one after the other, and an error in it is dropped", async () => {
  const loop = openBackground();
  const seen: number[] = [];
  loop.start(async () => {
    await after(20);
    seen.push(1);
    throw new Error("memory is not readable");
  });
  loop.start(async () => void seen.push(2));
  await loop.finish();
  expect(seen).toEqual([1, 2]);
});

test("postponed work runs once beside an agent that outlasts a moment, and no later than the end", async () => {
  const loop = openBackground();
  const seen: string[] = [];
  const postpone = (name: string, text: string): void =>
    loop.postpone(name, async () => void seen.push(text));
  postpone("prompt 1", "first prompt");
  postpone("capture", "capture of 1");
  await loop.during(after(5));
  expect(seen).toEqual([]);
  postpone("capture", "capture of 2");
  await loop.during(after(200));
  expect(seen).toEqual(["first prompt", "capture of 2"]);
  postpone("capture", "capture of 3");
  await loop.finish();
  expect(seen).toEqual(["first prompt", "capture of 2", "capture of 3"]);
});

test("not more than a few postponed works are kept, however short the agents are", async () => {
  const loop = openBackground();
  let ran = 0;
  for (let n = 0; n < 100; n += 1) {
    loop.postpone(`prompt ${n}`, async () => {
      ran += 1;
    });
    await loop.during(after(0));
  }
  expect(ran).toBeGreaterThan(75);
  await loop.finish();
  expect(ran).toBe(100);
});

/** Occupies the process, as a query does. */
function busy(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}
