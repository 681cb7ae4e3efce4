import type { Reader } from "../../store/port/db.ts";
import type { KindPurge, KindStatistics, NamedMemory, PurgePlan } from "../port/kind-commands.ts";
import { requireLearning } from "./manage/change-learnings.ts";
import { applyPurge, planPurge, storedByRun } from "./manage/purge-learnings.ts";
import { countByStatus } from "./store/read-learnings.ts";

export const learningPurge: KindPurge = {
  label: "learning",
  isNamed: true,
  toJson: ({ erased, restored }) => ({
    purged: erased.map(({ id }) => id),
    restored: restored.map(({ id }) => id),
  }),
  plan: async (q, { runId, ids }) => {
    for (const id of ids) await requireLearning(q, id);
    return asPlan(await planPurge(q, runId === null ? ids : await storedByRun(q, runId)));
  },
  erase: async (tx, { erased }, occasion) => {
    const ids = erased.map(({ id }) => id);
    return asPlan(await applyPurge(tx, ids, occasion));
  },
};

export async function learningStatistics(q: Reader): Promise<KindStatistics> {
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
