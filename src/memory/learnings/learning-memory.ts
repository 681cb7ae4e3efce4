import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { safe } from "../../base/safe-text.ts";
import type { Reader } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import type { MemoryKind, OpenedKind, Recalled, ShownMemory } from "../port/memory-kind.ts";
import { archiveRefuted, captureLearnings } from "./capture-learnings.ts";
import { askWhich, withChoice } from "./choose-by-agent.ts";
import instructions from "./instructions.md";
import { learnedIn } from "./learned-in-run.ts";
import { learningPurge, learningStatistics } from "./learning-commands.ts";
import { learningMaintenance } from "./maintain-learnings.ts";
import { orderLearnings, type SearchedLearnings, searchLearnings } from "./rank-learnings.ts";
import { type RecallSetup, recallLearnings } from "./recall-learnings.ts";
import { recordShownLearnings } from "./record-shown.ts";
import { refreshCitations } from "./refresh-citations.ts";
import { scoreLearnings } from "./score-learnings.ts";
import { normalised } from "./store/learning-text.ts";
import verdictInstructions from "./verdict-instructions.md";

/** The learnings of agents: captured, shown where it fits a task, and scored by the outcome. */
export const learningKind: MemoryKind = {
  name: "learnings",
  open: (setup) => learningMemory(setup),
  maintenance: learningMaintenance,
  report: learnedIn,
  statistics: learningStatistics,
  purge: learningPurge,
};

/** Returns whether the prompt of an iteration had its learnings; undefined for iterations that take no part in the measurement. */
export async function trialOf(q: Reader, iterationId: string): Promise<"shown" | "held-out" | undefined> {
  const trial = await q.get<{ held: number }>(
    "SELECT held_out AS held FROM memory_trials WHERE iteration_id = ?",
    [iterationId],
  );
  return trial && (Number(trial.held) === 1 ? "held-out" : "shown");
}

/** Opens the learnings for one process. */
export function learningMemory(setup: RecallSetup): OpenedKind {
  /** The prompt of the current iteration: a lesson that it contains is not captured again. */
  let current: ShownMemory | undefined;
  let ahead: Prefetched | undefined;
  return {
    name: "learnings",
    instructions: (recalled) => {
      const shown = recalled.some(
        (one) => one.section === "learnings" && !one.withheld && one.items.length > 0,
      );
      return shown ? safe`${instructions.trim()}\n${verdictInstructions.trim()}` : instructions;
    },
    capture: async (tx, attempt, now) => {
      const { outcome } = attempt;
      const prefetched = ahead;
      ahead = undefined;
      const own = current?.iterationId === outcome.iterationId ? current.prompt : "";
      await scoreLearnings(tx, outcome, now);
      const place = { root: setup.root, prompt: normalised(own) };
      const captured = await captureLearnings(tx, attempt, place, now);
      await archiveRefuted(tx, outcome, now);
      await refreshCitations(tx, attempt, setup.root, now);
      // The search ran while git committed. Scoring changes a prior by one attempt at most, so the result stays valid.
      const { learnings, verdicts } = outcome.claims.memory;
      if (captured.length + learnings.length + verdicts.length === 0) ahead = prefetched;
    },
    captureExtracted: async (tx, attempt, now) => {
      ahead = undefined;
      const own = current?.iterationId === attempt.outcome.iterationId ? current.prompt : "";
      await captureLearnings(tx, attempt, { root: setup.root, prompt: normalised(own) }, now);
      await archiveRefuted(tx, attempt.outcome, now);
    },
    prefetch: async (db, task) => {
      if (setup.maxLearnings <= 0) return;
      const found = db.dialect.changeStamp().then(async (version) => ({
        version,
        found: await searchLearnings(db, task, { ...setup, pause }),
      }));
      ahead = { task, found };
      await found;
    },
    askWhich: async (db, task) =>
      setup.asksAgent && setup.maxLearnings > 0 ? askWhich(db, task, setup.now()) : null,
    recall: async (db, request): Promise<readonly Recalled[]> => {
      if (setup.maxLearnings <= 0) return [];
      const known = ahead;
      ahead = undefined;
      const isSame = known !== undefined && isDeepStrictEqual(known.task, request.task);
      const before = isSame ? await known.found.catch(() => undefined) : undefined;
      const holds = before !== undefined && before.version === (await db.dialect.changeStamp());
      const searched = holds ? before.found : await searchLearnings(db, request.task, setup);
      const byWords = orderLearnings(searched);
      const choice = { found: byWords, taskId: request.task.id };
      const found = setup.asksAgent ? await withChoice(db, searched, choice) : byWords;
      return recallLearnings(db, request, { setup, found });
    },
    recordShown: async (tx, shown, now) => {
      ahead = undefined;
      current = shown;
      await recordShownLearnings(tx, shown, { root: setup.root, now });
    },
  };
}

/** The search result for a task, found before its prompt is built. */
interface Prefetched {
  readonly task: Task;
  readonly found: Promise<{ readonly version: number; readonly found: SearchedLearnings }>;
}

/** Lets other work of this process run first. */
async function pause(): Promise<void> {
  await setImmediate();
}
