import type { DocumentSource, SearchDocument } from "../../src/search/document.ts";
import type { Db, Tx } from "../../src/store/port/db.ts";

// The first design's table with its indexes, so that a learning's own row counts towards the space on disk.
const ddl = [
  `CREATE TABLE bench_learnings (id TEXT PRIMARY KEY, task_id TEXT, category TEXT NOT NULL, content TEXT NOT NULL,
     relevance_tags TEXT NOT NULL, created_at TEXT NOT NULL, pruned_at TEXT, superseded_by TEXT)`,
  ...["task_id", "created_at", "pruned_at", "category"].map(
    (column) => `CREATE INDEX idx_bench_learnings_${column} ON bench_learnings(${column})`,
  ),
];

interface LearningRow {
  readonly id: string;
  readonly task_id: string;
  readonly content: string;
  readonly created_at: string;
}

export async function makeTable(db: Db): Promise<void> {
  await db.transaction(async (tx) => {
    for (const sql of ddl) await tx.run(sql);
  });
}

/** One every ten minutes, five a task. */
export async function insertLearning(tx: Tx, content: string, at: number): Promise<SearchDocument> {
  const row: LearningRow = {
    id: `l-${at.toString(16).padStart(6, "0")}`,
    task_id: `t-${Math.floor(at / 5)
      .toString(16)
      .padStart(6, "0")}`,
    content,
    created_at: new Date(Date.UTC(2026, 0, 1) - 1e9 + at * 600_000).toISOString(),
  };
  await tx.run(
    "INSERT INTO bench_learnings (id, task_id, category, content, relevance_tags, created_at) VALUES (?, ?, 'pitfall', ?, '[]', ?)",
    [row.id, row.task_id, row.content, row.created_at],
  );
  return documentOf(row);
}

export const learnings: DocumentSource = {
  kind: "learning",
  read: async (q, ids) => {
    const rows = await q.all<LearningRow>(
      `SELECT id, task_id, content, created_at FROM bench_learnings WHERE id IN (${ids.map(() => "?").join(", ")})`,
      ids,
    );
    return rows.map(documentOf);
  },
  count: async () => 0,
  readAll: async function* () {
    yield [];
  },
};

function documentOf({ id, task_id: taskId, content, created_at: createdAt }: LearningRow): SearchDocument {
  const none = { tags: [], files: [], errorSignature: null };
  return { kind: "learning", id, scope: "", title: "", body: content, taskId, createdAt, ...none };
}
