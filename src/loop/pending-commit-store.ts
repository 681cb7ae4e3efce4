import { isObject, type JsonObject, parseJson } from "../base/json.ts";
import { redactObject } from "../events/redact-json.ts";
import type { Reader, Tx } from "../store/db.ts";
import type { Verdict } from "./iteration/record-verdict.ts";

/** A commit that is owed: recorded with the outcome, made right after, finished by recovery if ralph died between. */
export interface PendingCommit {
  readonly iterationId: string;
  readonly taskId: string;
  /** HEAD when the task's work began: where recovery starts to look for the commit, and undo ends. */
  readonly base: string;
  readonly paths: readonly string[];
  /** Tasks that this work finished: to be ticked in their source files. */
  readonly finished: readonly string[];
  readonly message: string;
  /** False: tick only (`commit.enabled: false`). */
  readonly wanted: boolean;
  /** False: the work changed the project's own git hooks, so they must not run on it. */
  readonly hooks: boolean;
  /** What there is to tell of it once it is committed. */
  readonly story: {
    readonly title: string;
    readonly files: readonly string[];
    readonly summary: string;
    readonly durationMs: number;
  };
  /** What is recorded once git has answered; null: it is recorded already, and the task is done without the commit. */
  readonly verdict: Verdict | null;
}

type Owed = Pick<PendingCommit, "paths" | "finished" | "wanted" | "hooks" | "story" | "verdict">;

/** Without secrets: what an agent said is not yet redacted in a verdict. */
function columnOf({ paths, finished, wanted, hooks, story, verdict }: Owed): string {
  const safe = verdict && redactObject(verdict as unknown as JsonObject);
  return JSON.stringify({ paths, finished, wanted, hooks, story, ...(safe ? { verdict: safe } : {}) });
}

export async function insertPendingCommit(tx: Tx, commit: PendingCommit, now: Date): Promise<void> {
  await tx.run(
    "INSERT INTO pending_commits (iteration_id, task_id, base, paths, message, created_at) VALUES (?, ?, ?, ?, ?, ?)",
    [commit.iterationId, commit.taskId, commit.base, columnOf(commit), commit.message, now.toISOString()],
  );
}

/** `hash` is null when there was nothing left to commit, or a hook refused it. The verdict is kept no longer. */
export async function finishPendingCommit(
  tx: Tx,
  commit: PendingCommit,
  hash: string | null,
  now: Date,
): Promise<void> {
  await tx.run(
    "UPDATE pending_commits SET commit_hash = ?, finished_at = ?, paths = ? WHERE iteration_id = ?",
    [hash, now.toISOString(), columnOf({ ...commit, verdict: null }), commit.iterationId],
  );
}

export async function pendingCommits(db: Reader): Promise<readonly PendingCommit[]> {
  const rows = await db.all<Omit<PendingCommit, keyof Owed> & { paths: string }>(
    `SELECT iteration_id AS "iterationId", task_id AS "taskId", base, paths, message FROM pending_commits
     WHERE finished_at IS NULL ORDER BY created_at`,
  );
  return rows.map((row) => {
    const owed = parseJson(row.paths);
    if (!isObject(owed)) throw new Error(`pending commit ${row.iterationId} has no readable paths`);
    const story = { title: "", files: [], summary: "", durationMs: 0 };
    const older = { story, verdict: null };
    return { ...row, ...older, ...(owed as unknown as Partial<Owed> & Omit<Owed, keyof typeof older>) };
  });
}

/** The task's commits, oldest first. */
export async function commitsOf(db: Reader, taskId: string): Promise<readonly string[]> {
  const rows = await db.all<{ hash: string }>(
    `SELECT commit_hash AS hash FROM pending_commits WHERE task_id = ? AND commit_hash IS NOT NULL ORDER BY created_at`,
    [taskId],
  );
  return rows.map((row) => row.hash);
}

/** The commits of one run's work, oldest first. */
export async function commitsOfRun(
  db: Reader,
  runId: string,
): Promise<readonly { readonly taskId: string; readonly hash: string; readonly message: string }[]> {
  return db.all(
    `SELECT p.task_id AS "taskId", p.commit_hash AS hash, p.message FROM pending_commits p
     JOIN iterations i ON i.id = p.iteration_id
     WHERE i.run_id = ? AND p.commit_hash IS NOT NULL ORDER BY p.created_at`,
    [runId],
  );
}

/** The task's commits that are made, newest first, each with where HEAD stood when its work began. */
export async function finishedCommits(
  db: Reader,
  taskId: string,
): Promise<readonly { readonly base: string; readonly hash: string }[]> {
  return db.all<{ base: string; hash: string }>(
    `SELECT base, commit_hash AS hash FROM pending_commits
     WHERE task_id = ? AND commit_hash IS NOT NULL ORDER BY created_at DESC`,
    [taskId],
  );
}

/** The tasks that these commits were made for, by ralph's own commits; each once. */
export async function tasksOfCommits(db: Reader, hashes: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const hash of hashes) {
    const row = await db.get<{ id: string }>(
      `SELECT task_id AS id FROM pending_commits WHERE commit_hash = ?`,
      [hash],
    );
    if (row) found.add(row.id);
  }
  return [...found];
}
