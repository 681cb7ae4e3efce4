import { parseStrings } from "../../base/json.ts";
import { clip, oneLine } from "../../base/text.ts";
import type { Reader } from "../../store/port/db.ts";
import type { ProjectOrigin } from "../port/hivemind-settings.ts";
import { idOf, signatureHash, tagOf } from "./describe-outcome.ts";
import { contentChars, type SharedMemory } from "./shared-memory.ts";
import { isGeneral, withoutPrivateData } from "./without-private-data.ts";

/** How often a learning must have helped a verified task before it is shared; the index `learnings_helpful` has these. */
const minHelped = 2;
const maxAtOnce = 10;

interface LearningRow {
  readonly id: string;
  readonly lesson: string;
  readonly detail: string;
  readonly category: string;
  readonly tags: string;
  readonly fixes: string;
  readonly files: string;
  readonly citations: string;
}

const select = `SELECT l.id, l.content AS lesson, l.detail, l.category, l.relevance_tags AS tags, l.fixes, l.files,
  l.citations FROM learnings l`;

/** The learnings of this project that may be shared by themselves. */
export const helpfulLearnings: string = `${select} WHERE l.said_helpful >= ${minHelped} AND l.status = 'active'
  AND l.origin IS NULL AND l.source IN ('person','agent','tool')
  AND NOT EXISTS (SELECT 1 FROM hivemind_entries e WHERE e.source = l.id)
  ORDER BY l.created_at, l.id`;

/**
 * Returns the learnings of this project that are shared by themselves, as records: they helped verified tasks twice or
 * more, and name no file, identifier or host of the project. Learnings that came from elsewhere are never among them.
 */
export async function learningsToShare(
  q: Reader,
  origin: ProjectOrigin,
  now: Date,
): Promise<readonly { readonly source: string; readonly memory: SharedMemory }[]> {
  const rows = await q.all<LearningRow>(helpfulLearnings);
  return rows
    .filter((row) => isShareable(row, origin))
    .slice(0, maxAtOnce)
    .map((row) => ({ source: row.id, memory: recordOf(row, origin, now) }));
}

function isShareable({ lesson, files, citations }: LearningRow, origin: ProjectOrigin): boolean {
  return parseStrings(files).length === 0 && citations === "[]" && isGeneral(lesson, origin);
}

/** Returns a learning as a record, for a person who shares it by its id; undefined when it came from elsewhere. */
export async function learningRecord(
  q: Reader,
  id: string,
  { origin, now }: { readonly origin: ProjectOrigin; readonly now: Date },
): Promise<SharedMemory | undefined> {
  const row = await q.get<LearningRow>(
    `${select} WHERE l.id = ? AND l.origin IS NULL AND l.source IN ('person','agent','tool')`,
    [id],
  );
  return row && recordOf(row, origin, now);
}

/** The detail stays: it names what changed in the project. */
function recordOf(row: LearningRow, origin: ProjectOrigin, now: Date): SharedMemory {
  const clean = (text: string): string => oneLine(withoutPrivateData(text, origin));
  const lesson = clip(clean(row.lesson), contentChars);
  const [fix] = parseStrings(row.fixes);
  return {
    id: idOf([origin.id, "learning", row.id]),
    type: "learning",
    title: "",
    content: lesson,
    tags: ["ralph", "learning", tagOf(clean(row.category)), tagOf(origin.name)],
    project: origin.id,
    projectName: origin.name,
    signature: fix === undefined ? null : signatureHash(fix),
    createdAt: now.toISOString(),
  };
}
