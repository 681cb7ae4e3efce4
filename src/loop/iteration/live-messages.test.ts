import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openTempStore } from "../../../test/temp-store.ts";
import { redacted } from "../../base/safe-text.ts";
import type { EventLog } from "../../events/event-log.ts";
import type { Db } from "../../store/port/db.ts";
import { addMessage, listMessages } from "../rows/message-store.ts";
import { openLiveMessages } from "./live-messages.ts";

const clock = { now: () => new Date(), monotonic: () => performance.now(), sleep: async () => undefined };
const iteration = { iterationId: "i-1", taskId: "t-1", agent: "codex" };

/** A message for a working agent whose answer is `taken`, in a store and a log that may fail. */
async function sent(taken: Promise<boolean>, flush: () => Promise<void> = async () => undefined) {
  const store = await openTempStore();
  const fails = { next: false };
  const transaction: Db["transaction"] = async (...args) => {
    if (!fails.next) return store.transaction(...args);
    fails.next = false;
    throw new Error("the store is locked");
  };
  const db: Db = { ...store, transaction };
  const { id } = await store.transaction((tx) =>
    addMessage(tx, { text: redacted`use the parser`, taskId: null, now: true }, clock.now()),
  );
  const log = { flush } as unknown as EventLog;
  const live = openLiveMessages({ db, log, clock, runId: "r-1" });
  let given = 0;
  const session = live.begin(iteration);
  session.ready(() => {
    given += 1;
    return taken;
  });
  const state = async () => (await listMessages(store, 5)).find((one) => one.id === id);
  return { live, session, fails, state, given: () => given };
}

/** Waits until the state of the message is `now`. */
async function until(is: () => Promise<boolean>): Promise<void> {
  for (let n = 0; n < 200 && !(await is()); n += 1) await sleep(25);
}

test("AGENT-7: a store that was locked as the agent read a message does not end the run", async () => {
  let read: (taken: boolean) => void = () => undefined;
  const { live, session, fails, state } = await sent(
    new Promise((resolve) => {
      read = resolve;
    }),
  );
  const work = async (): Promise<string> => {
    await until(async () => (await state())?.now === "passing");
    fails.next = true;
    read(true);
    await until(async () => !fails.next);
    await session.end();
    return "result";
  };
  expect(await live.during(work())).toBe("result");
  expect(await state()).toMatchObject({ now: "passed", iterationId: "i-1" });
});

test("AGENT-7 LOOP-13: a message is given to the agent also if the event log could not be written meanwhile", async () => {
  let failures = 1;
  const { live, session, state, given } = await sent(Promise.resolve(true), async () => {
    failures -= 1;
    if (failures === 0) throw new Error("no space left");
  });
  const work = async (): Promise<void> => {
    await until(async () => (await state())?.now === "passed");
    await session.end();
  };
  await live.during(work());
  expect([given(), (await state())?.now]).toEqual([1, "passed"]);
});
