import { messageOf } from "../../base/errors.ts";
import type { Journal, Journals } from "../port/journal.ts";
import type { AgentJournals } from "../port/memory.ts";

/** Serves `journals`; null: none. `report` gets each problem once, because every prompt would repeat it. */
export function agentJournals(
  journals: Journals | null,
  report: (step: string, error: unknown) => void,
): AgentJournals {
  const reported = new Set<string>();
  const unlessRefused = async (
    step: string,
    work: (open: Journals) => Promise<Journal | null>,
  ): Promise<Journal | null> => {
    if (!journals) return null;
    try {
      return await work(journals);
    } catch (error) {
      const problem = `${step} ${messageOf(error)}`;
      if (!reported.has(problem)) report(step, error);
      reported.add(problem);
      return null;
    }
  };
  return {
    journalOf: (task) =>
      unlessRefused("open", async (open) => {
        const journal = await open.of(task);
        await open.check(journal);
        return journal;
      }),
    createJournal: (journal) =>
      unlessRefused("create", async (open) => {
        if (journal) await open.create(journal);
        return journal;
      }),
  };
}
