import { safe } from "../../base/safe-text.ts";
import type { Reader } from "../../store/db.ts";
import type { KindSetup, MemoryKind, OpenedKind, RunLearned } from "../memory-kind.ts";
import { aggregationDue } from "./aggregation-due.ts";
import { rewriteWith } from "./generate/rewrite-draft.ts";
import { learnSkills } from "./learn-skills.ts";
import { skillPurge } from "./purge-skills.ts";
import { listProposals } from "./store/skill-store.ts";

/** Proposals of skills, made of the records of attempts (SKILL-1, SKILL-2). Prompts show none of them. */
export const proposalKind: MemoryKind = {
  name: "skill proposals",
  open: openProposals,
  purge: skillPurge,
  report: proposedIn,
};

async function proposedIn(q: Reader, runId: string): Promise<RunLearned> {
  const proposals = await listProposals(q, { runId, status: "pending" });
  return { captured: [], helped: [], proposals: proposals.map(({ id, name, kind }) => ({ id, name, kind })) };
}

function openProposals({ root, recordsDir, now, aggregateEvery, synthesize }: KindSetup): OpenedKind {
  const folder = recordsDir === null ? null : { root, dir: recordsDir };
  const rewrite = synthesize && rewriteWith(synthesize);
  // The run whose verified attempt may have made an aggregation due.
  let runId: string | null = null;
  return {
    name: "skill proposals",
    instructions: safe``,
    capture: async (_, outcome) => {
      if (outcome.name === "done" && outcome.verification === "passed") runId = outcome.runId;
    },
    recall: async () => [],
    finishCapture: async (db) => {
      if (runId === null) return;
      const by = runId;
      runId = null;
      if (await aggregationDue(db, aggregateEvery))
        await learnSkills({ db, folder, runId: by, now: now(), forced: false, rewrite });
    },
  };
}
