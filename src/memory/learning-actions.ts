import type { AttemptRef } from "../base/attempt-ref.ts";
import { newId } from "../base/ids.ts";
import type { SafeText } from "../base/safe-text.ts";
import type { Db, Reader } from "../store/port/db.ts";
import { measureForeign } from "./hivemind/foreign-use-store.ts";
import { replacementOf } from "./learnings/find-learnings.ts";
import { learningJson, type LearningView as View, viewOf } from "./learnings/learning-view.ts";
import {
  countJudged,
  type LearningRecord,
  type Lift as Measured,
  measureLift,
  recordsOfShown,
} from "./learnings/lift.ts";
import { type Merge, summarizeLearnings } from "./learnings/maintain-learnings.ts";
import {
  approveLearning,
  editLearning,
  type LearningEdit,
  removeLearning,
  requireLearning,
  restoreLearning,
  type StoreRequest,
  storeLearning,
  validateLearning,
} from "./learnings/manage/change-learnings.ts";
import { type ProposedWhen, readWhen, whenPrompt } from "./learnings/manage/propose-when.ts";
import { readEntries } from "./learnings/manage/read-export.ts";
import { type ImportReport, importLines } from "./learnings/manage/transfer-learnings.ts";
import { asOfNow } from "./learnings/store/cite-files.ts";
import {
  type Impression,
  impressionsOf,
  judgeMemory,
  openTrial,
  type ShownLearning,
  shownInRun,
  type Verdict,
} from "./learnings/store/injection-store.ts";
import { type LearningStatus, learningStatuses } from "./learnings/store/learning.ts";
import {
  categoriesOf,
  countLearnings,
  type HistoryLine,
  historyOf,
  type LearningFilter,
  listLearnings,
} from "./learnings/store/read-learnings.ts";
import type { Comparison, TrialCounts } from "./port/compare-trials.ts";
import type { MeasuredSkill } from "./skills/measure-skills.ts";

export const learningStatusNames: readonly LearningStatus[] = learningStatuses;

/** A learning as people and other rooms see it. */
export type LearningView = View;

/** Returns a learning as JSON: the fields of `swarm memory` and all of our own. */
export function memoryJson(learning: LearningView): object {
  return learningJson(learning);
}

/** All that is known of a learning's life. */
export interface LearningHistory {
  readonly learning: LearningView;
  readonly history: readonly HistoryLine[];
  readonly showings: readonly Impression[];
}

/** The actions of people and agents on learnings. Each change is one transaction, with its event. */
export interface LearningActions {
  store(request: StoreRequest): Promise<{ readonly learning: LearningView; readonly isNew: boolean }>;
  edit(id: string, edit: LearningEdit): Promise<LearningView>;
  /** `isNew`: false if it was archived before. */
  remove(
    id: string,
    by: "person" | "agent",
  ): Promise<{ readonly learning: LearningView; readonly isNew: boolean }>;
  restore(id: string): Promise<LearningView>;
  approve(ids: readonly string[]): Promise<readonly LearningView[]>;
  validate(id: string, by: "person" | "agent"): Promise<LearningView>;
  get(id: string): Promise<LearningView>;
  /** Returns the learning that counts in place of one that states an earlier value; null: it counts itself (LEARN-14). */
  replacement(id: string): Promise<LearningView | null>;
  /** Records the verdict of an iteration's agent on a memory from its prompt. */
  judge(iteration: Pick<Iteration, "iterationId" | "runId">, id: string, verdict: Verdict): Promise<void>;
  /** Returns true if a running iteration is a hold-out (gets no memory). */
  isHeldOut(iterationId: string): Promise<boolean>;
  history(id: string): Promise<LearningHistory>;
  list(filter: LearningFilter): Promise<readonly LearningView[]>;
  count(filter: LearningFilter): Promise<number>;
  /** All that there are. */
  categories(): Promise<readonly string[]>;
  /** Merges similar learnings (LEARN-8). */
  summarize(options: { readonly dryRun: boolean }): Promise<readonly Merge[]>;
  /** Returns the prompt that asks a model when these learnings apply, and reads its answer (LEARN-13). */
  whenPrompt(learnings: readonly LearningView[]): SafeText;
  readWhen(answer: string, learnings: readonly LearningView[]): readonly ProposedWhen[];
  import(text: string, from: { readonly approved: boolean; readonly origin: string }): Promise<ImportReport>;
}

/** Opens the learnings of a project for management. */
export function openLearningActions({
  db,
  root,
  now,
}: {
  readonly db: Db;
  readonly root: string;
  readonly now: () => Date;
}): LearningActions {
  const at = (): { readonly root: string; readonly now: Date } => ({ root, now: now() });
  return {
    store: async (request) => {
      const { learning, isNew } = await db.transaction((tx) => storeLearning(tx, request, at()));
      return { learning: viewOf(learning), isNew };
    },
    edit: async (id, edit) => viewOf(await db.transaction((tx) => editLearning(tx, id, edit, at()))),
    remove: async (id, by) => {
      const { learning, isNew } = await db.transaction((tx) => removeLearning(tx, id, by, now()));
      return { learning: viewOf(learning), isNew };
    },
    restore: async (id) => viewOf(await db.transaction((tx) => restoreLearning(tx, id, now()))),
    approve: (ids) =>
      db.transaction(async (tx) => {
        const approved: LearningView[] = [];
        for (const id of ids) approved.push(viewOf(await approveLearning(tx, id, now())));
        return approved;
      }),
    validate: async (id, by) =>
      viewOf(await db.transaction((tx) => validateLearning(tx, id, { ...at(), by }))),
    get: async (id) => viewOf(await asOfNow(root, await requireLearning(db, id))),
    replacement: async (id) => {
      const found = await replacementOf(db, await requireLearning(db, id), now());
      return found ? viewOf(found) : null;
    },
    judge: ({ iterationId, runId }, memoryId, verdict) =>
      db.transaction((tx) => judgeMemory(tx, { iterationId, runId, memoryId, verdict }, now())),
    isHeldOut: async (iterationId) => (await openTrial(db, iterationId))?.heldOut ?? false,
    history: async (id) => ({
      learning: viewOf(await requireLearning(db, id)),
      history: await historyOf(db, id),
      showings: await impressionsOf(db, id),
    }),
    list: async (filter) => {
      const views: LearningView[] = [];
      for (const learning of await listLearnings(db, filter))
        views.push(viewOf(await asOfNow(root, learning)));
      return views;
    },
    count: (filter) => countLearnings(db, filter),
    categories: () => categoriesOf(db),
    summarize: (options) => summarizeLearnings({ db, runId: null, now: now() }, options),
    whenPrompt: (learnings) => whenPrompt(learnings, newId("seed", 16)),
    readWhen,
    import: async (text, { approved, origin }) => {
      // Read before: nobody else can write while the transaction is open.
      const read = readEntries(text, now());
      return db.transaction((tx) => importLines(tx, read, { approved, origin, now: now() }));
    },
  };
}

/** Returns the learnings that the iterations of a run were shown, by iteration. */
export async function learningsShownInRun(
  q: Reader,
  runId: string,
): Promise<ReadonlyMap<string, readonly ShownLearning[]>> {
  const byIteration = new Map<string, ShownLearning[]>();
  for (const one of await shownInRun(q, runId)) {
    const known = byIteration.get(one.iterationId);
    if (known) known.push(one);
    else byIteration.set(one.iterationId, [one]);
  }
  return byIteration;
}

/** Counts the learnings that wait for a person's approval. */
export async function countQuarantined(q: Reader): Promise<number> {
  return countLearnings(q, { status: ["quarantined"] });
}

/** The benefit of learnings, of what other projects learned, and of each skill. */
export interface Lift extends Measured {
  readonly hivemind: Comparison;
  readonly skills: readonly MeasuredSkill[];
  /** The learnings that were shown most often. */
  readonly learnings: readonly LearningRecord[];
}

/** Counts the attempts that the hold-outs of learnings compare. */
export async function countTrials(q: Reader): Promise<TrialCounts> {
  return countJudged(q);
}

/** Measures the benefit of memory by its hold-outs; `since` an ISO 8601 time. */
export async function liftOf(q: Reader, since: string | null): Promise<Lift> {
  // Not with the rest: searching memory needs nothing of skills.
  const { measureSkills } = await import("./skills/measure-skills.ts");
  return {
    ...(await measureLift(q, since)),
    hivemind: await measureForeign(q, since),
    skills: await measureSkills(q, since),
    learnings: await recordsOfShown(q),
  };
}

/** Measures the benefit of learnings alone, over all time. */
export async function learningLift(q: Reader): Promise<Measured> {
  return measureLift(q, null);
}

/** An iteration under way, whose agent uses ralph. */
export interface Iteration extends Pick<AttemptRef, "taskId" | "iterationId" | "runId"> {
  readonly model: string;
  /** ISO 8601. */
  readonly startedAt: string;
}

/** Where something comes from, as far as it is known. */
type Origin = Pick<Iteration, "taskId"> & { readonly runId: string | null } & Partial<
    Pick<Iteration, "iterationId" | "model">
  >;

/** Who types a command: a person, or the agent of an iteration. */
export function byCommand(iteration: Origin | null): StoreRequest["provenance"] {
  return { ...from(iteration), source: iteration ? "agent" : "person" };
}

/** Who stores something through a tool: never a person, in an iteration or not. */
export function byTool(iteration: Origin | null, agent: string | null): StoreRequest["provenance"] {
  return { ...from(iteration), source: "tool", agent };
}

function from(iteration: Origin | null): Omit<StoreRequest["provenance"], "source"> {
  const { taskId = null, runId = null, iterationId = null, model = null } = iteration ?? {};
  return { origin: null, task: taskId, runId, iterationId, agent: null, model };
}
