import { safeHash } from "../../base/hash.ts";
import { newId } from "../../base/ids.ts";
import { isObject, type JsonObject, parseJson } from "../../base/json.ts";
import { lastEvents } from "../../events/event-store.ts";
import { lastErrorOf } from "../../outcome/outcome-store.ts";
import { type SearchQuery, taskQuery } from "../../search/query.ts";
import { search } from "../../search/search.ts";
import type { Reader } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { safeLine } from "../../trust/safe-text.ts";
import type { LeftOut, MemoryChoice } from "../port/memory-kind.ts";
import { type Chosen, choicePrompt, lineOf, readChoice } from "./agent-choice.ts";
import type { Candidate, RankedLearnings, SearchedLearnings } from "./rank-learnings.ts";
import { isSummary, isUsable, type Learning } from "./store/learning.ts";
import { learningSource } from "./store/learning-index.ts";
import { getLearnings, listLearnings } from "./store/read-learnings.ts";

/** Maximum number of lessons to choose from: all, or of more those that the task's words find first. */
const maxOffered = { all: 150, byWords: 40 };
/** The number of past choices to look through for that of a task. */
const maxRead = 300;

/** Returns the question which learnings `task` needs; null: it was asked with these, or there are none (LEARN-16). */
export async function askWhich(db: Reader, task: Task, now: Date): Promise<MemoryChoice | null> {
  const error = await lastErrorOf(db, task.id);
  const query = taskQuery(task, { lastError: error?.output ?? "" });
  const offered = await offeredTo(db, query, now);
  if (offered.length === 0) return null;
  const lessons = safeHash(offered.map(lineOf).toSorted().join("\n"), 12);
  const subject = { task: nameOf(query), lessons };
  const before = await lastChoice(db, task.id);
  if (before?.["task"] === subject.task && before["lessons"] === lessons) return null;
  return {
    prompt: choicePrompt(query, offered, newId("seed", 16)),
    read: (answer) => {
      const chosen = readChoice(answer, offered);
      const facts = { ...subject, askedAt: now.toISOString(), offered: offered.length };
      return { ...facts, chosen: chosen?.map(({ id, why }) => ({ id, why })) ?? null };
    },
  };
}

async function offeredTo(db: Reader, query: SearchQuery, now: Date): Promise<readonly Learning[]> {
  const filter = { status: ["active", "stale"] as const, limit: maxOffered.all + 1 };
  const all = await listLearnings(db, filter);
  if (all.length <= maxOffered.all) return all.filter((one) => !isSummary(one));
  const { hits } = await search(db, {
    ...{ query, sources: [learningSource], limit: maxOffered.byWords, now, abstain: false, recency: false },
  });
  const ids = hits.map(({ document }) => document.id);
  return (await getLearnings(db, ids)).filter((one) => isUsable(one) && !isSummary(one));
}

function nameOf({ title, description, lastError }: SearchQuery): string {
  return safeHash(JSON.stringify([title, description, lastError]), 12);
}

/** Returns the data of the last event that says what a model chose for a task. */
async function lastChoice(db: Reader, taskId: string): Promise<JsonObject | undefined> {
  const events = await lastEvents(db, "learning.selected", maxRead);
  return events
    .map(({ data }) => parseJson(data))
    .filter(isObject)
    .findLast((data) => data["taskId"] === taskId);
}

/**
 * Replaces what words found by what a model chose for the task as it is now. Words decide where it chose nothing valid, and on what it did
 * not see: newer lessons and summaries. Known fixes of the task's error stay first.
 */
export async function withChoice(
  db: Reader,
  { query }: SearchedLearnings,
  { found, taskId }: { readonly found: RankedLearnings; readonly taskId: string },
): Promise<RankedLearnings> {
  const data = await lastChoice(db, taskId);
  const chosen = data?.["task"] === nameOf(query) ? chosenIn(data) : null;
  if (chosen === null) return found;
  const askedAt = String(data?.["askedAt"]);
  const isSeen = ({ learning, fix }: Candidate): boolean =>
    !fix && !isSummary(learning) && learning.createdAt <= askedAt;
  const byId = new Map(found.candidates.map((one) => [one.learning.id, one]));
  const fixes = found.candidates.filter(({ fix }) => fix);
  const ids = chosen.map(({ id }) => id).filter((id) => byId.get(id)?.fix !== true);
  const learnings = new Map((await getLearnings(db, ids)).filter(isUsable).map((one) => [one.id, one]));
  const picked = chosen.flatMap(({ id, why }, at): readonly Candidate[] => {
    const learning = learnings.get(id);
    if (!learning) return [];
    const parts = { ...(byId.get(id)?.parts ?? {}), choice: chosen.length - at };
    return [{ learning, score: total(parts), parts, fix: false, why }];
  });
  const unseen = found.candidates.filter(
    (one) => !one.fix && !isSeen(one) && !learnings.has(one.learning.id),
  );
  const passed = found.candidates.filter((one) => isSeen(one) && !learnings.has(one.learning.id));
  const leftOut = found.leftOut.filter(({ id }) => !learnings.has(id));
  return {
    candidates: [...fixes, ...picked, ...unseen],
    leftOut: [...passed.map(passedOver), ...leftOut],
  };
}

function chosenIn(data: JsonObject): readonly Chosen[] | null {
  const { chosen } = data;
  if (!Array.isArray(chosen)) return null;
  return chosen
    .filter(isObject)
    .map(({ id, why }) => ({ id: String(id), why: safeLine(String(why ?? ""), 60) }));
}

function passedOver({ learning: { id, lesson }, score }: Candidate): LeftOut {
  return {
    id,
    reason: `words would show it, the agent did not choose it (score ${score.toFixed(1)}): ${lesson}`,
  };
}

const total = (parts: Readonly<Record<string, number>>): number =>
  Object.values(parts).reduce((sum, part) => sum + part, 0);
