import type { Tx } from "../../store/port/db.ts";
import type { Captured } from "../port/memory-kind.ts";
import { freshnessOf, rehashCitations } from "./store/cite-files.ts";
import { fromRow, type LearningRow } from "./store/learning-row.ts";
import { type LearningChange, putLearnings } from "./store/learning-store.ts";

/**
 * Updates the citations of a done task's own lessons when that task's work, or the tick in its list, changed the cited
 * file: its own work does not make a lesson stale (LEARN-7), also not one that a prompt found stale between two of its
 * attempts. Changes by others still do.
 */
export async function refreshCitations(
  tx: Tx,
  { outcome, task }: Captured,
  root: string,
  now: Date,
): Promise<void> {
  if (outcome.name !== "done") return;
  const rows = await tx.all<LearningRow>(
    "SELECT * FROM learnings WHERE task_id = ? AND status IN ('active','stale') AND citations <> '[]'",
    [outcome.taskId],
  );
  if (rows.length === 0) return;
  const list = task?.source?.path;
  const own = new Set([...outcome.work.files, ...(list === undefined ? [] : [list])]);
  const changes: LearningChange[] = [];
  for (const learning of rows.map(fromRow)) {
    const changed: string[] = [];
    for (const citation of learning.citations) {
      if (!own.has(citation.path) || (await freshnessOf(root, [citation])) !== "changed") continue;
      changed.push(citation.path);
    }
    if (changed.length === 0) continue;
    const fresh = await rehashCitations(
      root,
      learning.citations.filter(({ path }) => changed.includes(path)),
    );
    const citations = learning.citations.map((old) => fresh.find(({ path }) => path === old.path) ?? old);
    const detail = { files: changed };
    const status = (await freshnessOf(root, citations)) === "same" ? "active" : learning.status;
    changes.push({ learning: { ...learning, citations, status }, change: "recited", by: "ralph", detail });
  }
  await putLearnings(tx, changes, { runId: outcome.runId, now });
}
