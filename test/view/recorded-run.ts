import { join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import type { Owner } from "../../src/base/owner.ts";
import { openEventLog } from "../../src/events/event-log.ts";
import { record } from "../../src/events/event-store.ts";
import { sessionPrompt } from "../../src/loop/rows/loop.ts";
import { insertRun } from "../../src/loop/rows/run-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Row, Tx } from "../../src/store/port/db.ts";
import { failTask } from "../../src/tasks/graph/task-transitions.ts";
import { type Practice, practice } from "../e2e/practice.ts";
import { rejectLater } from "../reject-later.ts";

const start = Date.parse("2026-03-01T10:00:00Z");
const gone: Owner = { pid: 999_999, startTime: "1", bootId: "gone", host: "elsewhere" };
const prompt = "# Task\n\nAdd prices.\n\n# Learnings\n\n- prices are integers, in cents\n";
const error = "TypeError: total is not a function\n    at cart.ts:41\nexpected 80, got 120";

interface Recorded {
  readonly tasks: number;
  readonly learnings?: number;
  /** Replaces every text that comes from outside. */
  readonly text?: string;
  /** Null: the run has ended. */
  readonly owner?: Owner | null;
}

async function insert(tx: Tx, table: string, row: Row): Promise<void> {
  const names = Object.keys(row);
  await tx.run(
    `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    Object.values(row),
  );
}

/** Writes a run into the store as the loop does: every third task fails once on `haiku`, the last one is given up. */
export async function recordedRun({ tasks, learnings = 3, text, owner = null }: Recorded): Promise<Practice> {
  const project = practice();
  const titles = Array.from({ length: tasks }, (_, at) => ({
    id: `t-${at + 1}`,
    title: text ?? `Task ${at + 1}: prices`,
  }));
  await project.addTasks(titles);
  const db = await openStore({ path: join(project.dir, ".ralph/progress.db") });
  const number = await db.transaction(async (tx) => {
    await began(tx, owner ?? gone);
    for (let at = 0; at < learnings; at += 1) await learned(tx, at, text);
    const last = await worked(tx, titles, text);
    if (owner === null)
      await tx.run("UPDATE runs SET ended_at = ?, stop_reason = 'done', exit_code = 1, iterations = ?", [
        new Date(start + last * 60_000).toISOString(),
        last,
      ]);
    return last;
  });
  const last = { number, iterationId: `i-${number}` };
  const folder = join(project.dir, ".ralph");
  project.write(
    sessionPrompt({ folder, runId: "run-0123456789" }, last).slice(project.dir.length + 1),
    text ?? prompt,
  );
  await openEventLog({
    db,
    file: join(project.dir, ".ralph/events.jsonl"),
    clock: systemClock,
    onFailure: rejectLater,
  }).flush();
  await db.close();
  return project;
}

async function began(tx: Tx, owner: Owner): Promise<void> {
  const run = {
    id: "run-0123456789",
    startedAt: new Date(start).toISOString(),
    agent: "claude",
    model: null,
  };
  await insertRun(tx, { ...run, session: null, strategy: "adaptive", branch: "main", owner });
  const started = { runId: run.id, branch: "main", budgetUsd: 10, tasks: {}, warnings: [], verification: [] };
  await record(tx, { type: "run.started", runId: run.id, data: started }, new Date(start));
}

async function learned(tx: Tx, at: number, text: string | undefined): Promise<void> {
  const content = text ?? (at === 0 ? "prices are integers, in cents" : `lesson ${at} of the shop`);
  const counts =
    at === 0
      ? { times_shown: 7, shown_passed: 5, shown_failed: 2, said_helpful: 4 }
      : { times_shown: 3, shown_passed: 0, shown_failed: 3, said_helpful: 0 };
  await insert(tx, "learnings", {
    ...{
      id: `l-${String(at).padStart(6, "0")}`,
      category: "pattern",
      content,
      relevance_tags: "[]",
      ...counts,
    },
    created_at: new Date(start).toISOString(),
  });
}

/** Returns the number of attempts. */
async function worked(
  tx: Tx,
  tasks: readonly { readonly id: string; readonly title: string }[],
  text: string | undefined,
): Promise<number> {
  let number = 0;
  for (const [index, { id, title }] of tasks.slice(0, 200).entries()) {
    const isLast = index === tasks.length - 1;
    const attempts = isLast || index % 3 === 2 ? 2 : 1;
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      number += 1;
      await attempted(tx, { id, title, attempt, number, done: !isLast && attempt === attempts, text });
    }
    if (isLast) await failTask(tx, id, text ?? "same error twice (test_failure)", new Date(start));
    else await tx.run("UPDATE tasks SET status = 'done' WHERE id = ?", [id]);
  }
  return number;
}

interface Tried {
  readonly id: string;
  readonly title: string;
  readonly attempt: number;
  readonly number: number;
  readonly done: boolean;
  readonly text: string | undefined;
}

async function attempted(tx: Tx, { id, title, attempt, number, done, text }: Tried): Promise<void> {
  const at = new Date(start + number * 60_000).toISOString();
  const names = { task_id: id, attempt_number: attempt, run_id: "run-0123456789" };
  const iteration_id = `i-${number}`;
  const model = text ?? (attempt === 1 ? "haiku" : "sonnet");
  const rationale = text ?? "haiku failed once";
  await insert(tx, "iterations", {
    ...names,
    ...{
      id: iteration_id,
      number,
      token: 1,
      model,
      rationale,
      marker: "m",
      started_at: at,
      ended_at: at,
      end_kind: "outcome",
    },
  });
  await insert(tx, "iteration_outcomes", {
    ...names,
    ...{ iteration_id, model, agent: "claude", started_at: at, duration_ms: 42_000, cost_usd: 0.08 },
    ...{
      cost_source: "measured",
      outcome: done ? "done" : "failed",
      verification: done ? "passed" : "failed",
    },
    ...(done
      ? {}
      : {
          reason: text ?? "verification failed: npm test",
          verification_output: text ?? error,
          error_type: "test_failure",
        }),
  });
  await insert(tx, "memory_trials", { ...names, iteration_id, model, held_out: 0, began_at: at });
  await insert(tx, "memory_injections", {
    iteration_id,
    memory_id: "l-000000",
    rank: 1,
    verdict: done ? "helpful" : null,
  });
  if (done)
    await insert(tx, "pending_commits", {
      ...{ iteration_id, task_id: id, slot: "", base: "0", paths: "[]", message: "m", created_at: at },
      ...{ commit_hash: `28e8713${number}`, finished_at: at },
    });
  const finished = {
    ...{
      taskId: id,
      attempt,
      title,
      outcome: done ? "done" : "failed",
      errorHeadline: done ? "" : (text ?? "TypeError: total is not a function  cart.ts:41"),
    },
    ...{ files: [text ?? "src/cart.ts"], category: "test_failure", hint: text ?? null },
  };
  await record(tx, { type: "iteration.finished", runId: "run-0123456789", data: finished }, new Date(at));
}
