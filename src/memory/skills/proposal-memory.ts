import { safe } from "../../base/safe-text.ts";
import type { Reader } from "../../store/port/db.ts";
import type { KindSetup, MemoryKind, OpenedKind, RunLearned } from "../port/memory-kind.ts";
import { aggregationDue } from "./learn/aggregation-due.ts";
import { learnSkills, rewriteProposals } from "./learn/learn-skills.ts";
import { rewriteWith } from "./learn/rewrite-draft.ts";
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

function openProposals(setup: KindSetup): OpenedKind {
  const { root, recordsDir, now, aggregateEvery, synthesize, onTrouble } = setup;
  const folder = recordsDir === null ? null : { root, dir: recordsDir };
  let runId: string | null = null;
  // A verified attempt may have made an aggregation due.
  let isCaptured = false;
  const proposed: string[] = [];
  return {
    name: "skill proposals",
    instructions: safe``,
    capture: async (_, { outcome }) => {
      ({ runId } = outcome);
      isCaptured ||= outcome.name === "done" && outcome.verification === "passed";
    },
    recall: async () => [],
    finishCapture: async (db, end) => {
      if (isCaptured && (await aggregationDue(db, aggregateEvery))) {
        const request = { db, folder, runId, now: now(), forced: false, rewrite: null };
        const { proposals } = await learnSkills(request);
        for (const { id } of proposals) proposed.push(id);
      }
      isCaptured = false;
      // A model takes minutes: beside an agent it would keep other work waiting.
      const rewriting = end && { ...end, synthesize, onTrouble: (why: string) => onTrouble("rewrite", why) };
      const rewrite = rewriting ? rewriteWith(rewriting) : null;
      if (rewrite) await rewriteProposals({ db, runId, now: now() }, proposed.splice(0), rewrite);
    },
  };
}
