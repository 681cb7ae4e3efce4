import { join } from "node:path";
import { lookAt } from "../../../base/careful-files.ts";
import type { RedactedText } from "../../../base/safe-text.ts";
import type { Db } from "../../../store/port/db.ts";
import { redactedText } from "../../../trust/safe-text.ts";
import { freshnessOf } from "../store/cite-files.ts";
import { detailChars, type Learning, lessonChars, whenChars } from "../store/learning.ts";
import type { LearningChange } from "../store/learning-store.ts";
import { getLearnings } from "../store/read-learnings.ts";
import { markCitations } from "./prune-learnings.ts";

/** Returns where missing files of the project are now, by their old paths, as git knows it. */
export type RenamedPaths = (missing: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** Learnings whose citations are followed, the most recently used first. */
const maxLearnings = 200;

/** Gives the new paths of renamed files to the learnings that cite or name them (LEARN-14). Asks git only when a cited file is missing. */
export async function followRenames(
  db: Db,
  root: string,
  renamedPaths: RenamedPaths,
  occasion: { readonly runId: string; readonly now: Date },
): Promise<void> {
  const rows = await db.all<{ id: string }>(
    `SELECT id FROM learnings WHERE citations <> '[]' AND status IN ('active','stale')
     ORDER BY COALESCE(last_used_at, created_at) DESC LIMIT ?`,
    [maxLearnings],
  );
  const learnings = await getLearnings(
    db,
    rows.map(({ id }) => id),
  );
  const cited = new Set(learnings.flatMap(({ citations }) => citations.map(({ path }) => path)));
  const missing = [...cited].filter((path) => lookAt(join(root, path)) === undefined);
  if (missing.length === 0) return;
  const renamed = await renamedPaths(missing);
  const changes = await Promise.all(
    learnings
      .filter(({ citations }) => citations.some(({ path }) => renamed.has(path)))
      .map(async (before): Promise<LearningChange & { readonly before: Learning }> => {
        const moved = withPaths(before, renamed);
        const status = (await freshnessOf(root, moved.citations)) === "same" ? "active" : before.status;
        const detail = { renamed: Object.fromEntries(renamed) };
        return { before, learning: { ...moved, status }, change: "recited", by: "ralph", detail };
      }),
  );
  await db.transaction((tx) => markCitations(tx, changes, occasion));
}

function withPaths(learning: Learning, renamed: ReadonlyMap<string, string>): Learning {
  const text = (old: RedactedText, maxChars: number): RedactedText => {
    let now: string = old;
    for (const [from, to] of renamed) now = now.replaceAll(mentionOf(from), () => to);
    return now === old || now.length > maxChars ? old : redactedText(now);
  };
  const path = (old: RedactedText): RedactedText => redactedText(renamed.get(old) ?? old);
  return {
    ...learning,
    lesson: text(learning.lesson, lessonChars),
    detail: text(learning.detail, detailChars),
    when: text(learning.when, whenChars),
    files: learning.files.map(path),
    tags: learning.tags.map(path),
    citations: learning.citations.map((one) => ({ ...one, path: renamed.get(one.path) ?? one.path })),
  };
}

/** Matches a path that is not a part of a longer one. */
function mentionOf(path: string): RegExp {
  return new RegExp(`(?<![\\w/@-])${path.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?![\\w/-])`, "g");
}
