import { setTimeout as after } from "node:timers/promises";
import { expect, test } from "vitest";
import { newCommand } from "../../../test/fakes/new-agent.ts";
import { claimsDone, tempLoop } from "../../../test/temp-loop.ts";
import type { Clock } from "../../base/clock.ts";
import { updateTask } from "../../tasks/graph/task-store.ts";
import type { RunOptions } from "../rows/loop.ts";
import { runLoop } from "../run-loop.ts";

/** A shell script that prints `words` in its first `times` sessions, and then does its work. */
function says(words: string, times: number): string {
  const count = "echo x >> .ralph/sessions; n=$(wc -l < .ralph/sessions)";
  return `${count}; if [ $n -le ${times} ]; then echo "${words}"; else echo x > done.txt; ${claimsDone}; fi`;
}

const sessions = (published: readonly string[]): number =>
  published.filter((type) => type === "iteration.started").length;

/** Pauses take a fiftieth of their time. */
function fastClock(): Clock {
  let skipped = 0;
  return {
    now: () => new Date(Date.now() + skipped),
    monotonic: () => performance.now() + skipped,
    async sleep(ms) {
      await after(ms / 50);
      skipped += ms - ms / 50;
    },
  };
}

async function limits(changes: Partial<RunOptions["limits"]>): Promise<Partial<RunOptions>> {
  return { limits: { ...(await tempLoop("true")).setup.options.limits, ...changes } };
}

test("LOOP-8: a limit of a model that the session did not use is waited for, not met again and again", async () => {
  const date = new Date(Date.now() + 3 * 86_400_000).toUTCString().slice(5, 11).split(" ").reverse();
  const words = `You've hit your Opus limit · resets ${date.join(" ")} at 4pm`;
  const options = await limits({ maxDurationMs: 4000, maxIterations: 1 });
  const { setup, published } = await tempLoop(says(words, 1e6), ["one"], options);
  expect(await runLoop(setup)).toMatchObject({ reason: "max-duration", iterations: 1 });
  expect(sessions(published)).toBe(1);
});

test("LOOP-8: words of an error that is the task's own use up an attempt", async () => {
  const { setup, published } = await tempLoop(says("API Error: 413 {", 1e6));
  expect(await runLoop(setup)).toMatchObject({ reason: "stuck", exitCode: 4, iterations: 2 });
  expect(sessions(published)).toBe(2);
});

test("LOOP-7: a task that is blocked without a session does not count towards --max-iterations", async () => {
  const options = await limits({ maxIterations: 2 });
  const agent = `echo x > $RALPH_TASK_ID.txt; echo x > done.txt; ${claimsDone}`;
  const { setup, published } = await tempLoop(agent, ["one", "two", "three"], options);
  const verification = [{ run: "no-such-program", timeoutMs: null }];
  await setup.db.transaction(async (tx) => {
    for (const id of ["t-1", "t-2"]) await updateTask(tx, id, { verification }, new Date());
  });
  expect(await runLoop(setup)).toMatchObject({ tasks: { done: 1, blocked: 2, pending: 0 } });
  expect(published.filter((type) => type === "iteration.interrupted")).toHaveLength(2);
});

test("LOOP-7 LOOP-8: paid sessions that are interrupted in a row count towards --max-iterations from the fourth", async () => {
  const events = [
    { type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt: 1, rateLimitType: "x" } },
    { type: "result", subtype: "success", is_error: true, result: "overloaded", api_error_status: 529 },
  ].map((event) => JSON.stringify({ total_cost_usd: 0.5, ...event }));
  const options = await limits({ maxIterations: 1 });
  const { setup, published } = await tempLoop("true", ["one"], options);
  const argv = ["sh", "-c", `cat > /dev/null; printf '%s\\n' '${events.join("' '")}'`];
  const agent = newCommand({ argv, env: setup.env, format: "claude-stream-json" });
  const end = await runLoop({ ...setup, agents: [agent], clock: fastClock() });
  expect(end).toMatchObject({ reason: "max-iterations", iterations: 4, costUsd: 2 });
  expect(sessions(published)).toBe(4);
});
