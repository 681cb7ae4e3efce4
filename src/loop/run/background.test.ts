import { expect, test } from "vitest";
import { openTempStore } from "../../../test/temp-store.ts";
import { openBackground } from "./background.ts";

async function background(flushLater: () => Promise<void> = async () => undefined) {
  const log = { flush: flushLater, flushLater, publish: () => undefined, subscribe: () => () => undefined };
  return openBackground({ db: await openTempStore(), log });
}

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

test("LEARN-8: queued work waits for an agent that runs for a second, and a short one does not wait for it", async () => {
  const loop = await background();
  const seen: string[] = [];
  loop.queue(async (signal) => {
    seen.push("begins");
    await after(300);
    seen.push(signal.aborted ? "ended with the agent" : "complete");
  });
  await loop.during(after(20));
  expect(seen).toEqual([]);
  const started = performance.now();
  await loop.during(after(1100));
  expect(performance.now() - started).toBeLessThan(1350);
  expect(seen).toEqual(["begins"]);
  await loop.finish();
  expect(seen).toEqual(["begins", "ended with the agent"]);
  await loop.during(after(1050));
  expect(seen).toHaveLength(2);
});

test("background work runs one after the other, and an error in it is dropped", async () => {
  const loop = await background();
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

test("LOOP-11: what a deferred flush throws reaches the caller of the commit", async () => {
  const loop = await background(async () => {
    throw new Error("disk full");
  });
  await expect(loop.commit(async () => 7)).rejects.toThrow("disk full");
});
