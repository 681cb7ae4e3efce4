import type { Reader } from "../../store/db.ts";
import type { KindCommands, KindStatistics, NamedMemory, PurgePlan } from "../port/kind-commands.ts";
import { pruneOldLearnings, summarizeLearnings } from "./maintain-learnings.ts";
import { requireLearning } from "./manage/change-learnings.ts";
import { applyPurge, planPurge, storedByRun } from "./manage/purge-learnings.ts";
import { exportLines } from "./manage/transfer-learnings.ts";
import { recallForSession, recordSessionUse } from "./session-learnings.ts";
import { countByStatus, getLearning } from "./store/read-learnings.ts";

const label = "learning";

/** The parts of learnings that the commands of `ralph memory` use. */
export const learningCommands: KindCommands = {
  session: { recall: recallForSession, recordUse: recordSessionUse },
  statistics: learningStatistics,
  export: { label, field: "learnings", lines: exportLines },
  purge: {
    label,
    toJson: ({ erased, restored }) => ({
      purged: erased.map(({ id }) => id),
      restored: restored.map(({ id }) => id),
    }),
    planRun: async (q, runId) => asPlan(await planPurge(q, await storedByRun(q, runId))),
    byId: {
      owns: async (q, id) => (await getLearning(q, id)) !== undefined,
      plan: async (q, ids) => {
        for (const id of ids) await requireLearning(q, id);
        return asPlan(await planPurge(q, ids));
      },
    },
    erase: async (tx, { erased }, occasion) => {
      const ids = erased.map(({ id }) => id);
      return asPlan(await applyPurge(tx, ids, occasion));
    },
  },
  prune: { label, field: "learnings", run: pruneOldLearnings },
  summarize: summarizeLearnings,
};

async function learningStatistics(q: Reader): Promise<KindStatistics> {
  const byStatus = await countByStatus(q);
  const memories = Object.values(byStatus).reduce((sum, n) => sum + n, 0);
  const usable = byStatus.active + byStatus.stale;
  const stored = Object.entries(byStatus).filter(([, n]) => n > 0);
  return {
    json: { memories, usable, byStatus },
    lines: [
      `learnings        ${memories} (${usable} available for prompts)`,
      ...stored.map(([status, n]) => `  ${status.padEnd(14)} ${n}`),
    ],
  };
}

function asPlan(purge: Readonly<Record<"erased" | "restored", readonly NamedMemory[]>>): PurgePlan {
  return { count: purge.erased.length, ...purge };
}
