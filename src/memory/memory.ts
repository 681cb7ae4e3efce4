import { setTimeout as after } from "node:timers/promises";
import { messageOf } from "../base/errors.ts";
import { clip, oneLine } from "../base/text.ts";
import type { EventInput } from "../events/event.ts";
import type { EventLog } from "../events/event-log.ts";
import { record } from "../events/outbox-store.ts";
import type { Outcome } from "../outcome/outcome.ts";
import type { EmbeddingEndpoint } from "../search/embeddings.ts";
import type { Db, Reader, Tx } from "../store/db.ts";
import type { Task } from "../tasks/task.ts";
import { redact } from "../trust/redact.ts";
import { failureMemory } from "./failures/failure-memory.ts";
import { learningMemory } from "./learnings/learning-memory.ts";
import { type MaintenanceOptions, maintainMemory } from "./maintain-memory.ts";
import type { MemoryKind, Recalled, RecallRequest, RunLearned, ShownMemory } from "./memory-kind.ts";

/** All that outlives an iteration. Nothing in here breaks the loop: what fails becomes a `memory.failed` event. */
export interface Memory {
  /** Writes what the outcome teaches, each kind in a savepoint of its own within `tx`. */
  capture(tx: Tx, outcome: Outcome, now: Date): Promise<void>;
  /** Writes what a model made of the session's log, given as the learnings of `outcome`; nothing else of it is taken. */
  captureExtracted(tx: Tx, outcome: Outcome, now: Date): Promise<void>;
  /** What the next prompt should know; a kind that fails or takes too long is left out. Changes nothing. */
  recall(request: RecallRequest): Promise<readonly Recalled[]>;
  /** Looks ahead for what the next prompt of `task` will ask for, while nothing else is to be done. Never throws. */
  prefetch(task: Task): Promise<void>;
  /** The sigils that memory listens to where a prompt has these sections, as it tells them. */
  instructions(recalled: readonly Recalled[]): string;
  /** Writes down what the prompt of a beginning iteration shows of it, each kind in a savepoint of its own. */
  recordShown(tx: Tx, shown: ShownMemory, now: Date): Promise<void>;
  /** Keeps what is remembered in order, while an agent works or a run ends: marks, merges, puts away. Bounded; never throws. */
  maintain(db: Db, runId: string): Promise<void>;
}

interface MemorySetup {
  readonly db: Reader;
  readonly log: Pick<EventLog, "publish">;
  /** False (`--no-memory`): nothing is recalled, but all is still captured. */
  readonly enabled: boolean;
  /** The project's folder: learnings cite its files. */
  readonly root: string;
  readonly now: () => Date;
  /** Learnings in a prompt at most, and the share of iterations that get none. */
  readonly learnings: { readonly max: number; readonly holdout: number };
  /** An OpenAI-compatible endpoint that ranks learnings by meaning too; absent or null: none is asked. */
  readonly embeddings?: EmbeddingEndpoint | null;
  /** When learnings are merged and put away; absent: nothing is. */
  readonly maintenance?: MaintenanceOptions;
  /** Milliseconds that one kind may take to recall. */
  readonly deadlineMs?: number;
  /** Instead of the built-in kinds. */
  readonly kinds?: readonly MemoryKind[];
}

function builtInKinds(setup: MemorySetup): readonly MemoryKind[] {
  const { root, now, embeddings = null, learnings } = setup;
  const { max: maxLearnings, holdout } = learnings;
  let isTold = false;
  // Once: it would be the same at each prompt.
  const onTrouble = (why: string): void => {
    if (isTold) return;
    isTold = true;
    const place = { kind: { name: "learnings" }, step: "embeddings", taskId: null, runId: null };
    setup.log.publish(failure(place, `not ranked by meaning: ${why}`));
  };
  return [failureMemory, learningMemory({ root, now, maxLearnings, holdout, embeddings, onTrouble })];
}

const recallDeadlineMs = 2000;

/** Opens the project's memory over its database. */
export function openMemory(setup: MemorySetup): Memory {
  const kinds = setup.kinds ?? builtInKinds(setup);
  return {
    capture: async (tx, outcome, now) => {
      const { taskId, runId } = outcome;
      for (const kind of kinds) {
        await inSavepoint(tx, { kind, step: "capture", taskId, runId, now }, () =>
          kind.capture(tx, outcome, now),
        );
      }
    },
    captureExtracted: async (tx, outcome, now) => {
      const { taskId, runId } = outcome;
      for (const kind of kinds) {
        await inSavepoint(tx, { kind, step: "extract", taskId, runId, now }, async () =>
          kind.captureExtracted?.(tx, outcome, now),
        );
      }
    },
    recall: async (request) => {
      if (!setup.enabled) return [];
      const found = await Promise.all(kinds.map((kind) => recallKind(setup, kind, request)));
      return found.flat();
    },
    prefetch: async (task) => {
      if (!setup.enabled) return;
      // What fails here fails again when it is asked for, and is told then.
      for (const kind of kinds) await kind.prefetch?.(setup.db, task).catch(() => undefined);
    },
    recordShown: async (tx, shown, now) => {
      const { taskId, runId } = shown;
      for (const kind of kinds) {
        await inSavepoint(tx, { kind, step: "shown", taskId, runId, now }, async () =>
          kind.recordShown?.(tx, shown, now),
        );
      }
    },
    maintain: async (db, runId) => {
      const { root, now, maintenance: tend } = setup;
      if (tend) await maintainMemory({ ...tend, db, root, runId, now: now() });
    },
    instructions: (recalled) =>
      kinds
        .map(({ instructions }) =>
          (typeof instructions === "string" ? instructions : instructions(recalled)).trim(),
        )
        .filter(Boolean)
        .join("\n\n"),
  };
}

/** The kinds as they report: what they would put into prompts does not matter. */
const reportingKinds: readonly MemoryKind[] = [
  failureMemory,
  learningMemory({ root: "", now: () => new Date(0), maxLearnings: 0, holdout: 0 }),
];

/** What a run learned and which memory helped it (LOOP-17); a kind that fails is left out. */
export async function reportRun(
  db: Reader,
  runId: string,
  kinds: readonly MemoryKind[] = reportingKinds,
): Promise<RunLearned> {
  const reports = await Promise.all(
    kinds.map(async (kind) => kind.report?.(db, runId).catch(() => undefined)),
  );
  return {
    captured: reports.flatMap((report) => report?.captured ?? []),
    helped: reports.flatMap((report) => report?.helped ?? []),
  };
}

async function inSavepoint(
  tx: Tx,
  { now, ...place }: Place & { readonly now: Date },
  work: () => Promise<void>,
): Promise<void> {
  try {
    await tx.savepoint(work);
  } catch (error) {
    await record(tx, failure(place, error), now);
  }
}

async function recallKind(
  setup: MemorySetup,
  kind: MemoryKind,
  request: RecallRequest,
): Promise<readonly Recalled[]> {
  try {
    return await within(deadlineOf(setup), kind.recall(setup.db, request));
  } catch (error) {
    const place = { kind, step: "recall", taskId: request.task.id, runId: request.runId };
    setup.log.publish(failure(place, error));
    return [];
  }
}

/** A slow endpoint must not cost the learnings themselves. */
function deadlineOf({ deadlineMs = recallDeadlineMs, embeddings }: MemorySetup): number {
  return deadlineMs + (embeddings?.timeoutMs ?? 0);
}

interface Place {
  readonly kind: Pick<MemoryKind, "name">;
  readonly step: string;
  readonly taskId: string | null;
  readonly runId: string | null;
}

function failure({ kind, step, taskId, runId }: Place, error: unknown): EventInput {
  const message = clip(oneLine(redact(messageOf(error))), 500);
  return { type: "memory.failed", runId, data: { kind: kind.name, step, taskId, error: message } };
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = after(ms, undefined, { signal: over.signal }).then((): never => {
    throw new Error(`took longer than ${ms} ms`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}
