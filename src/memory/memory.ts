import { messageOf } from "../base/errors.ts";
import { joinSafe, type RedactedText, safe } from "../base/safe-text.ts";
import type { EventInput } from "../events/event.ts";
import type { EventLog } from "../events/event-log.ts";
import { record } from "../events/event-store.ts";
import type { Outcome } from "../outcome/outcome.ts";
import type { Db, Reader, Tx } from "../store/port/db.ts";
import { getTask } from "../tasks/graph/task-store.ts";
import { safeLine } from "../trust/safe-text.ts";
import { withdrawWork } from "./hivemind/withdraw-work.ts";
import { agentJournals } from "./journal/agent-journals.ts";
import { openJournals } from "./journal/journals.ts";
import { loadKinds } from "./kinds.ts";
import { followRenames, type RenamedPaths } from "./learnings/manage/follow-renames.ts";
import { type MaintenanceOptions, maintainMemory } from "./maintain-memory.ts";
import type { HivemindSettings } from "./port/hivemind-settings.ts";
import type { JournalSettings, Journals } from "./port/journal.ts";
import type { Memory } from "./port/memory.ts";
import type {
  MemoryKind,
  OpenedKind,
  Recalled,
  RecallRequest,
  RunLearned,
  Synthesize,
} from "./port/memory-kind.ts";
import type { SkillSettings } from "./port/skill-settings.ts";

interface MemorySetup {
  readonly db: Db;
  readonly log: Pick<EventLog, "publish">;
  /** False (`--no-memory`): nothing is recalled, but everything is still captured. */
  readonly enabled: boolean;
  /** The project's folder: learnings cite its files. */
  readonly root: string;
  readonly now: () => Date;
  /** Maximum number of learnings in a prompt, and the share of iterations without any. */
  readonly learnings: { readonly max: number; readonly holdout: number; readonly asksAgent?: boolean };
  /** The memory that projects share; absent or null: it is not used. */
  readonly hivemind?: HivemindSettings | null;
  /** Where skills are; absent or null: prompts contain none. */
  readonly skills?: SkillSettings | null;
  /** The number of verified tasks after which records are aggregated (SKILL-1); absent: 5. */
  readonly aggregateEvery?: number;
  /** Asks a model to rewrite a drafted skill (SKILL-2); absent or null: the template's words stand. */
  readonly synthesize?: Synthesize | null;
  /** The named session of notes (NOTE-5). */
  readonly session?: RedactedText;
  /** The folder of record files (LEARN-3), relative to `root`; absent: none is written. */
  readonly recordsDir?: string;
  /** True: the structured context is written and shown; absent: not. */
  readonly writesContext?: boolean;
  /** Where journals are; absent or null: nowhere. */
  readonly journal?: JournalSettings | null;
  /** When learnings are merged and archived; absent: never. */
  readonly maintenance?: MaintenanceOptions;
  /** Maximum time for one kind to recall, in milliseconds. */
  readonly deadlineMs?: number;
  /** Used instead of the built-in kinds. */
  readonly kinds?: readonly OpenedKind[];
}

async function openKinds(setup: MemorySetup, journals: Journals | null): Promise<readonly OpenedKind[]> {
  const { root, now, learnings, session = safe`default` } = setup;
  const {
    recordsDir = null,
    skills = null,
    aggregateEvery = 5,
    synthesize = null,
    hivemind = null,
    writesContext = false,
  } = setup;
  const { max: maxLearnings, holdout, asksAgent = false } = learnings;
  const reported = new Set<string>();
  return (await loadKinds()).map((kind) => {
    // Once per process: every prompt would repeat it.
    const onTrouble = (step: string, why: string): void => {
      const key = `${kind.name} ${step}`;
      if (reported.has(key)) return;
      reported.add(key);
      setup.log.publish(failure({ kind, step, taskId: null, runId: null }, why));
    };
    const shown = {
      maxLearnings,
      holdout,
      asksAgent,
      hivemind,
      skills,
      aggregateEvery,
      synthesize,
      journals,
      writesContext,
    };
    return kind.open({ root, now, ...shown, session, recordsDir, onTrouble });
  });
}

const recallDeadlineMs = 2000;

/** Opens the project's memory over its database. */
export function openMemory(setup: MemorySetup): Memory {
  let opened: Promise<readonly OpenedKind[]> | undefined;
  const journals = setup.journal ? openJournals(setup.db, setup.journal) : null;
  const all = async (): Promise<readonly OpenedKind[]> => {
    opened ??= setup.kinds ? Promise.resolve(setup.kinds) : openKinds(setup, journals);
    return opened;
  };
  return {
    journals,
    ...agentJournals(setup.enabled ? journals : null, (step, error) =>
      setup.log.publish(failure({ kind: { name: "journal" }, step, taskId: null, runId: null }, error)),
    ),
    capture: async (tx, outcome, now) => captureAll(await all(), tx, outcome, now),
    captureExtracted: async (tx, outcome, now) => {
      const { taskId, runId } = outcome;
      const captured = { outcome, task: await getTask(tx, taskId) };
      for (const kind of await all()) {
        await inSavepoint(tx, { kind, step: "extract", taskId, runId, now }, async () =>
          kind.captureExtracted?.(tx, captured, now),
        );
      }
    },
    withdraw: async (tx, taskId, now) => {
      const place = { kind: { name: "hivemind" }, step: "withdraw", taskId, runId: null, now };
      await inSavepoint(tx, place, async () => {
        // Without the hivemind, its records are deleted once it is used again.
        const origin = (await setup.hivemind?.project()) ?? null;
        await withdrawWork(tx, taskId, { origin, now });
      });
    },
    finishCapture: async (end) => {
      for (const kind of await all()) {
        const failed = (error: unknown): void =>
          setup.log.publish(failure({ kind, step: "write", taskId: null, runId: null }, error));
        await kind.finishCapture?.(setup.db, end).catch(failed);
      }
    },
    recall: async (request) => {
      if (!setup.enabled) return [];
      const found = await Promise.all((await all()).map((kind) => recallKind(setup, kind, request)));
      return found.flat();
    },
    prefetch: async (task) => {
      if (!setup.enabled) return;
      // An error here repeats in `recall`, which reports it.
      for (const kind of await all()) await kind.prefetch?.(setup.db, task).catch(() => undefined);
    },
    askWhich: async (task) => {
      if (!setup.enabled) return null;
      for (const kind of await all()) {
        const asked = await kind.askWhich?.(setup.db, task).catch(() => null);
        if (asked) return asked;
      }
      return null;
    },
    recordShown: async (tx, shown, now) => {
      const { taskId, runId } = shown;
      await togetherOrEach(tx, await all(), {
        work: async (kind) => kind.recordShown?.(tx, shown, now),
        place: { step: "shown", taskId, runId, now },
      });
    },
    maintain: async (db, runId, pacer) => {
      const { root, now, maintenance } = setup;
      if (maintenance) await maintainMemory({ ...maintenance, db, root, runId, now: now(), pacer });
    },
    followRenames: (runId, renamedPaths) => followInLearnings(setup, runId, renamedPaths),
    instructions: async (recalled) =>
      joinSafe(
        (await all())
          .map(({ instructions }) =>
            (typeof instructions === "string" ? instructions : instructions(recalled)).trim(),
          )
          .filter(Boolean),
        "\n",
      ),
  };
}

async function followInLearnings(
  { db, root, now, enabled, log }: MemorySetup,
  runId: string,
  renamedPaths: RenamedPaths,
): Promise<void> {
  if (!enabled) return;
  const place = { kind: { name: "learnings" }, step: "renames", taskId: null, runId };
  const failed = (error: unknown): void => log.publish(failure(place, error));
  await followRenames(db, root, renamedPaths, { runId, now: now() }).catch(failed);
}

async function captureAll(kinds: readonly OpenedKind[], tx: Tx, outcome: Outcome, now: Date): Promise<void> {
  const { taskId, runId } = outcome;
  const captured = { outcome, task: await getTask(tx, taskId) };
  await togetherOrEach(tx, kinds, {
    work: (kind) => kind.capture(tx, captured, now),
    place: { step: "capture", taskId, runId, now },
  });
}

interface KindsWork {
  readonly work: (kind: OpenedKind) => Promise<void>;
  readonly place: Omit<Place, "kind"> & { readonly now: Date };
}

/** Does the work of all kinds; where one fails, all is undone and repeated without it. */
async function togetherOrEach(
  tx: Tx,
  kinds: readonly OpenedKind[],
  { work, place }: KindsWork,
): Promise<void> {
  const together = async (): Promise<true> => {
    for (const kind of kinds) await work(kind);
    return true;
  };
  if (await tx.savepoint(together).catch(() => false)) return;
  for (const kind of kinds) await inSavepoint(tx, { kind, ...place }, () => work(kind));
}

/** Returns what a run learned and which memory helped it (LOOP-17), without kinds that fail. */
export async function reportRun(
  db: Reader,
  runId: string,
  kinds?: readonly MemoryKind[],
): Promise<RunLearned> {
  const reports = await Promise.all(
    (kinds ?? (await loadKinds())).map(async (kind) => kind.report?.(db, runId).catch(() => undefined)),
  );
  return {
    captured: reports.flatMap((report) => report?.captured ?? []),
    shown: reports.flatMap((report) => report?.shown ?? []),
    missingContext: reports.flatMap((report) => report?.missingContext ?? []),
    wishedSkills: reports.flatMap((report) => report?.wishedSkills ?? []),
    proposals: reports.flatMap((report) => report?.proposals ?? []),
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
  kind: OpenedKind,
  request: RecallRequest,
): Promise<readonly Recalled[]> {
  try {
    return await within(setup.deadlineMs ?? recallDeadlineMs, kind.recall(setup.db, request));
  } catch (error) {
    const place = { kind, step: "recall", taskId: request.task.id, runId: request.runId };
    setup.log.publish(failure(place, error));
    return [];
  }
}

interface Place {
  readonly kind: Pick<MemoryKind, "name">;
  readonly step: string;
  readonly taskId: string | null;
  readonly runId: string | null;
}

function failure({ kind, step, taskId, runId }: Place, error: unknown): EventInput {
  const message = safeLine(messageOf(error), 500);
  return { type: "memory.failed", runId, data: { kind: kind.name, step, taskId, error: message } };
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
