import { messageOf } from "../../base/errors.ts";
import { safe } from "../../base/safe-text.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import type { SearchQuery } from "../../search/query.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import { isHeldOut } from "../port/compare-trials.ts";
import { putHealth, type UseResult, useResult } from "../port/health-store.ts";
import type { HivemindSettings } from "../port/hivemind-settings.ts";
import type {
  KindSetup,
  MemoryKind,
  OpenedKind,
  Recalled,
  RecallRequest,
  ShownMemory,
} from "../port/memory-kind.ts";
import { backendOf } from "./backend-of.ts";
import { deliverEntries } from "./deliver-entries.ts";
import { describeOutcome } from "./describe-outcome.ts";
import { putPending } from "./entry-store.ts";
import { type ForeignHit, foreignQuery } from "./find-foreign.ts";
import { countShownForeign, decisionsOn, insertUses, putDecision, settleUses } from "./foreign-use-store.ts";
import { connectHivemind } from "./hivemind-connection.ts";
import { isTimeout } from "./open-hivemind.ts";
import { hivemindPurge } from "./purge-hivemind.ts";
import { foreignSection, renderForeign } from "./render-foreign.ts";
import { learningsToShare } from "./share-learnings.ts";

/** How long a prompt waits for the hivemind; `memory.ts` allows two seconds for all of it. */
const promptMs = 1500;
/** How long a call beside other work waits; HIVE-4 allows 15 s, but a run that ends waits for it. */
const fileMs = 5000;
/** As `fileMs`, for a program that may have to load a model. */
const programMs = 15_000;
/** How long the hivemind is skipped after a time-out (HIVE-4). */
const skipMs = 600_000;

/** The memory that projects share (HIVE-1 to HIVE-4, HIVE-6). */
export const hivemindKind: MemoryKind = {
  name: "hivemind",
  open: (setup) => (setup.hivemind === null ? disabled : openHivemind(setup, setup.hivemind)),
  report: async (q, runId) => {
    const count = await countShownForeign(q, runId);
    return {
      captured: [],
      shown: count > 0 ? [{ what: "hivemind record", count }] : [],
      helped: [],
    };
  },
  purge: hivemindPurge,
};

const disabled: OpenedKind = {
  name: "hivemind",
  instructions: safe``,
  capture: async () => undefined,
  recall: async () => [],
};

/** Quick iterations deliver their records together, after this time at the latest. */
const deliverEveryMs = 10_000;

interface Lookup {
  readonly key: string;
  readonly found: Promise<readonly ForeignHit[]>;
}

function openHivemind(
  { holdout, now, onTrouble }: Pick<KindSetup, "holdout" | "now" | "onTrouble">,
  hivemind: HivemindSettings,
): OpenedKind {
  const { project } = hivemind;
  const connection = connectHivemind(hivemind.path);
  const backend = backendOf(hivemind, connection);
  const besideMs = hivemind.swarm ? programMs : fileMs;
  let ahead: Lookup | undefined;
  let skippedUntil = 0;
  const isDue = atMostEvery(deliverEveryMs);
  /** The end of the last call, until a transaction records it. */
  let result: UseResult | undefined;
  /** The records of other projects that the current prompt could show. */
  let offered: readonly ForeignHit[] = [];

  const failed = (error: unknown): void => {
    if (isTimeout(error)) skippedUntil = now().getTime() + skipMs;
    const until = skippedUntil > now().getTime() ? new Date(skippedUntil).toISOString() : null;
    result = { ...useResult(error), skippedUntil: until };
  };
  const isSkipped = (): boolean => now().getTime() < skippedUntil;

  const lookUp = async (query: SearchQuery, deadlineMs: number): Promise<readonly ForeignHit[]> => {
    if (isSkipped()) return [];
    try {
      const own = (await project()).id;
      const found = await backend.forTask(query, { own, now: now() }, deadlineMs);
      result = useResult(null);
      return found;
    } catch (error) {
      failed(error);
      onTrouble("recall", messageOf(error));
      return [];
    }
  };

  return {
    name: "hivemind",
    instructions: safe``,
    capture: async (tx, captured, time) => {
      const { outcome } = captured;
      const shown = await settle(tx, outcome, { offered, now: time });
      const origin = await project();
      // After a kill, the texts that the prompt showed are not known.
      const isKnown = shown.every((id) => offered.some(({ memory }) => memory.id === id));
      const foreign = isKnown ? offered.map(({ memory }) => memory.content) : null;
      const memory = await describeOutcome(tx, captured, { origin, foreign, now: time });
      const { runId, taskId } = outcome;
      if (memory) await putPending(tx, memory, { source: "attempt", taskId, runId, now: time });
      for (const { source, memory: shared } of await learningsToShare(tx, origin, time))
        await putPending(tx, shared, { source, taskId: null, runId, now: time });
    },
    finishCapture: async (db, end) => {
      try {
        if ((end || isDue()) && !isSkipped())
          await deliverEntries(db, { hivemind, deadlineMs: besideMs, now: now(), connection });
      } catch (error) {
        failed(error);
        onTrouble("store", messageOf(error));
      }
      if (end) await connection.close();
    },
    prefetch: async (db, task) => {
      const query = await foreignQuery(db, task);
      ahead = { key: JSON.stringify(query), found: lookUp(query, besideMs) };
      await ahead.found;
    },
    recall: async (db, request) => {
      const query = await foreignQuery(db, request.task, request.attempt);
      const known = ahead?.key === JSON.stringify(query) ? ahead : undefined;
      ahead = undefined;
      // A program that takes longer than a prompt may wait has not timed out.
      const started = known?.found ?? (hivemind.swarm ? lookUp(query, besideMs) : undefined);
      offered = started ? await withinPrompt(started) : await lookUp(query, promptMs);
      return recalled(db, request, { hits: offered, holdout, now: now() });
    },
    recordShown: async (tx, shown, time) => {
      await recordUses(tx, shown, time);
      if (result) await putHealth(tx, "hivemind", result, { runId: shown.runId, now: time });
      result = undefined;
    },
  };
}

/** Returns a function that returns true at most once in `ms` milliseconds. */
function atMostEvery(ms: number): () => boolean {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const isDue = performance.now() - last >= ms;
    if (isDue) last = performance.now();
    return isDue;
  };
}

/** Waits for a search that began beside other work, as long as a prompt may wait. */
async function withinPrompt(found: Promise<readonly ForeignHit[]>): Promise<readonly ForeignHit[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly ForeignHit[]>((resolve) => {
    timer = setTimeout(() => resolve([]), promptMs);
  });
  try {
    return await Promise.race([found, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface Found {
  readonly hits: readonly ForeignHit[];
  readonly holdout: number;
  readonly now: Date;
}

async function recalled(
  db: Reader,
  { runId, iteration }: RecallRequest,
  { hits, holdout, now }: Found,
): Promise<readonly Recalled[]> {
  if (hits.length === 0) return [];
  const decisions = await decisionsOn(
    db,
    hits.map(({ memory }) => memory),
  );
  // A draw of its own, so that its effect is not mixed with that of learnings or skills.
  const held = isHeldOut(holdout, `${runId} hivemind`, iteration);
  const withheld = held ? `held out: a share of ${holdout} of all iterations gets none` : undefined;
  return renderForeign({ hits, decisions, now, withheld });
}

async function recordUses(tx: Tx, shown: ShownMemory, now: Date): Promise<void> {
  const { iterationId, runId, taskId, attempt } = shown;
  const idsIn = (items: readonly { readonly section: string; readonly id: string }[]): readonly string[] =>
    items.flatMap(({ section, id }) => (section === foreignSection ? [id] : []));
  const items = idsIn(shown.items);
  const withheld = idsIn(shown.withheld);
  const memoryIds = items.length > 0 ? items : withheld;
  if (memoryIds.length === 0) return;
  await insertUses(tx, { iterationId, runId, taskId, attempt, heldOut: items.length === 0, memoryIds }, now);
}

interface Settling {
  /** The records that the prompt could show; after a kill they are not known, and nothing is decided. */
  readonly offered: readonly ForeignHit[];
  readonly now: Date;
}

/**
 * Records what came of the prompt's records of other projects: a verified success with a change confirms them, unless its
 * agent called one harmful, which rejects it (HIVE-6). What a person approved stays approved. Returns the ids of those that it showed.
 */
async function settle(tx: Tx, outcome: Outcome, { offered, now }: Settling): Promise<readonly string[]> {
  const { iterationId, runId, name, verification, work } = outcome;
  const ids = await settleUses(tx, { iterationId, outcome: name, verification });
  const records = offered.flatMap(({ memory }) => (ids.includes(memory.id) ? [memory] : []));
  if (records.length === 0) return ids;
  const before = await decisionsOn(tx, records);
  const harmful = new Set(outcome.claims.memory.verdicts.flatMap(({ id, helpful }) => (helpful ? [] : [id])));
  const passed = name === "done" && verification === "passed" && work.changed;
  for (const shown of records) {
    const decision = harmful.has(shown.id) ? "rejected" : passed ? "confirmed" : undefined;
    const known = before.get(shown.id);
    if (decision === undefined || known === decision || known === "approved") continue;
    await putDecision(tx, { record: shown, decision }, { runId, now });
  }
  return ids;
}
