import type { MemoryKind, Recalled, Shown } from "../memory-kind.ts";
import { captureLearnings } from "./capture-learnings.ts";
import { creditLearnings } from "./credit-learnings.ts";
import instructions from "./instructions.md";
import { learnedIn } from "./learned-in-run.ts";
import { normalised } from "./learning-text.ts";
import { type RecallSetup, recallLearnings } from "./recall-learnings.ts";
import { showLearnings } from "./show-learnings.ts";
import verdictInstructions from "./verdict-instructions.md";

/** What agents learn is kept, what fits a task is told to it, and what came of that is counted. */
export function learningMemory(setup: RecallSetup): MemoryKind {
  /** The prompt of the iteration under way: what it says is no news when an agent says it back. */
  let current: Shown | undefined;
  return {
    name: "learnings",
    instructions: (recalled) => {
      const shown = recalled.some(
        (one) => one.section === "learnings" && !one.withheld && one.items.length > 0,
      );
      return shown ? `${instructions.trim()}\n\n${verdictInstructions.trim()}` : instructions;
    },
    capture: async (tx, outcome, now) => {
      const own = current?.iterationId === outcome.iterationId ? current.prompt : "";
      await creditLearnings(tx, outcome, now);
      await captureLearnings(tx, outcome, { root: setup.root, prompt: normalised(own) }, now);
    },
    extracted: async (tx, outcome, now) => {
      const own = current?.iterationId === outcome.iterationId ? current.prompt : "";
      await captureLearnings(tx, outcome, { root: setup.root, prompt: normalised(own) }, now);
    },
    recall: (db, request): Promise<readonly Recalled[]> => recallLearnings(db, request, setup),
    learned: learnedIn,
    shown: async (tx, shown, now) => {
      current = shown;
      await showLearnings(tx, shown, { root: setup.root, now });
    },
  };
}
