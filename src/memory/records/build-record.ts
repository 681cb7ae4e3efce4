import { isObject, parseJson } from "../../base/json.ts";
import { type RedactedText, type SafeText, safe } from "../../base/safe-text.ts";
import { firstErrorLine } from "../../outcome/error-line.ts";
import type { Outcome, OutcomeName } from "../../outcome/outcome.ts";
import type { Reader } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { safeLine } from "../../trust/safe-text.ts";
import type { Captured } from "../port/memory-kind.ts";
import { type RecordEntry, type RecordList, type RecordOutcome, recordTextChars } from "../port/record.ts";
import { textsOfLearning } from "../port/skill-evidence.ts";
import type { NewRecord } from "./record-store.ts";

const categoryChars = 60;
const errorChars = 300;
const maxFiles = 50;
/** Maximum missing contexts and wished skills of one attempt each. */
const maxNamed = 10;

const outcomes: Readonly<Record<OutcomeName, RecordOutcome>> = {
  done: "success",
  failed: "failure",
  error: "failure",
  no_sigil: "partial",
};

/** Builds the record of an attempt whose learnings, notes and failure report are stored already. Only reads. */
export async function buildRecord(q: Reader, { outcome, task }: Captured, now: Date): Promise<NewRecord> {
  const error = outcome.name === "done" ? null : (firstErrorLine(outcome.errorExcerpt) ?? outcome.reason);
  return {
    taskId: outcome.taskId,
    attempt: outcome.attempt,
    runId: outcome.runId,
    iterationId: outcome.iterationId,
    recordedAt: now.toISOString(),
    outcome: outcomes[outcome.name],
    verified: outcome.name === "done" && outcome.verification === "passed",
    tokensUsed: tokensUsed(outcome),
    durationSeconds: Math.round(outcome.durationMs / 1000),
    error: error === null ? null : safeLine(error, errorChars),
    tags: task?.tags.map((tag) => safeLine(tag, categoryChars)) ?? [],
    files: filesOf(outcome, task),
    origin: null,
    approved: true,
    entries: [
      ...(await learningEntries(q, outcome, task)),
      ...(await reportEntries(q, outcome, task)),
      ...(await noteEntries(q, outcome, task)),
      ...namedEntries(outcome, "sigil"),
    ],
  };
}

/** Returns the entries that the extraction from the session's log adds to a record. Only reads. */
export async function extractedEntries(
  q: Reader,
  { outcome, task }: Captured,
  known: readonly RecordEntry[],
): Promise<readonly RecordEntry[]> {
  const learnings = (await learningEntries(q, outcome, task)).map(
    (entry): RecordEntry => ({ ...withParts(entry, outcome), statedIn: "extraction" }),
  );
  const ids = new Set(known.map(({ learningId }) => learningId));
  const texts = new Set(known.map(({ list, content }) => `${list} ${content}`));
  return [
    ...learnings.filter(({ learningId }) => !ids.has(learningId)),
    ...namedEntries(outcome, "extraction").filter(({ list, content }) => !texts.has(`${list} ${content}`)),
  ];
}

/** Cache reads are left out: they repeat the same context with each request. */
function tokensUsed({ tokens }: Outcome): number | null {
  return tokens && tokens.input + tokens.output + tokens.cacheWrite;
}

function filesOf({ work }: Outcome, task: Task | undefined): readonly SafeText[] {
  const files = [...new Set([...work.files, ...(task?.files ?? [])])];
  return files.slice(0, maxFiles).map((file) => safeLine(file, 500));
}

interface LearnedRow {
  readonly id: string;
  readonly category: string;
  readonly topic: string | null;
  readonly lesson: RedactedText;
  readonly detail: RedactedText;
  readonly when: RedactedText;
  readonly change: string;
  readonly historyDetail: string;
}

/** Selects what agents of the run stored or repeated since the attempt began: iterations of a run follow each other. */
async function learningEntries(
  q: Reader,
  outcome: Outcome,
  task: Task | undefined,
): Promise<readonly RecordEntry[]> {
  const rows = await q.all<LearnedRow>(
    `SELECT l.id, l.category, l.topic, l.content AS lesson, l.detail, l.applies_when AS "when", h.change, h.detail AS "historyDetail"
     FROM learning_history h JOIN learnings l ON l.id = h.learning_id
     WHERE h.run_id = ? AND h.at >= ? AND h.changed_by = 'agent' AND h.change IN ('captured','stored','strengthened')
     ORDER BY h.at, l.created_at, l.id`,
    [outcome.runId, outcome.startedAt],
  );
  const byId = new Map<string, RecordEntry>();
  for (const row of rows)
    if (!isRestated(row) && !byId.has(row.id)) byId.set(row.id, learningEntry(row, task));
  return [...byId.values()];
}

/** A lesson of the prompt that the agent repeated was only linked to the error that it fixed. */
function isRestated({ change, historyDetail }: LearnedRow): boolean {
  const detail = parseJson(historyDetail);
  return change === "strengthened" && isObject(detail) && "fixes" in detail;
}

function learningEntry(row: LearnedRow, task: Task | undefined): RecordEntry {
  const entryOf = (list: RecordList): RecordEntry => ({
    list,
    ...textsOfLearning(list, row.lesson, row.detail),
    category: topicOf(row.topic, task, row.category),
    reusable: list === "successes",
    statedIn: "learning",
    learningId: row.id,
    ...(row.when === "" ? {} : { when: row.when }),
  });
  switch (row.category) {
    case "pitfall":
      return entryOf("failures");
    case "debugging_technique":
    case "other":
      return entryOf("discoveries");
    default:
      return entryOf("successes");
  }
}

/** Separates the lesson or source that the extraction stated from the learning's text, which contains both. */
function withParts(entry: RecordEntry, { claims }: Outcome): RecordEntry {
  if (entry.list === "successes") return entry;
  for (const { text, supplement } of claims.memory.learnings) {
    if (supplement === undefined || supplement === "") continue;
    const [whole, rest] = [safeLine(text), safeLine(supplement, recordTextChars)];
    const ending = `: ${rest}`;
    const full = entry.supplement === "agent" ? entry.content : `${entry.content} ${entry.supplement}`.trim();
    if (whole !== full || !whole.endsWith(ending)) continue;
    return { ...entry, content: whole.slice(0, whole.length - ending.length), supplement: rest };
  }
  return entry.list === "discoveries" ? { ...entry, supplement: safe`session log` } : entry;
}

/** Adds the attempt's failure report: what was tried, and why it failed with the suggestion for the next attempt. */
async function reportEntries(
  q: Reader,
  { taskId, attempt, claims, name }: Outcome,
  task: Task | undefined,
): Promise<readonly RecordEntry[]> {
  if (name === "done") return [];
  const row = await q.get<Record<"tried" | "why" | "category", string> & { suggestion: string | null }>(
    `SELECT what_was_tried AS tried, why_it_failed AS why, error_category AS category, retry_suggestion AS suggestion
     FROM failure_reports WHERE task_id = ? AND attempt_number = ?`,
    [taskId, attempt],
  );
  if (!row) return [];
  return [
    {
      list: "failures",
      // The stored text begins with the changed files.
      content: safeLine(claims.report?.whatTried ?? row.tried, recordTextChars),
      category: topicOf(null, task, row.category),
      supplement: safeLine(asSentences(row.why, row.suggestion ?? ""), recordTextChars),
      reusable: false,
      statedIn: claims.report ? "report" : "facts",
      learningId: null,
    },
  ];
}

function asSentences(first: string, second: string): string {
  const end = /[.!?:;]\s*$/.test(first) ? "" : ".";
  return second === "" ? first : `${first.trimEnd()}${end} ${second}`;
}

const listOfNote: Readonly<Record<string, RecordList>> = { learning: "successes", stuck: "failures" };

async function noteEntries(
  q: Reader,
  { iterationId }: Outcome,
  task: Task | undefined,
): Promise<readonly RecordEntry[]> {
  const rows = await q.all<{ type: string; content: string }>(
    `SELECT n.type, c.content FROM notes n JOIN note_contents c ON c.hash = n.content_hash
     WHERE n.iteration_id = ? ORDER BY n.created_at, n.id`,
    [iterationId],
  );
  return rows.map(({ type, content }): RecordEntry => {
    const list = listOfNote[type] ?? "discoveries";
    return {
      list,
      content: safeLine(content, recordTextChars),
      category: topicOf(null, task, "notes"),
      supplement: list === "discoveries" ? safeLine(`note (${type})`) : safe``,
      reusable: false,
      statedIn: "note",
      learningId: null,
    };
  });
}

/** A learning's topic, else the task's first tag. */
function topicOf(topic: string | null, task: Task | undefined, otherwise: string): SafeText {
  return safeLine(topic ?? task?.tags[0] ?? otherwise, categoryChars);
}

/** The context that was missing and the skills that were wished for. */
function namedEntries(
  { claims: { memory } }: Outcome,
  statedIn: "sigil" | "extraction",
): readonly RecordEntry[] {
  const common = { category: safe``, supplement: safe``, reusable: false, statedIn, learningId: null };
  const each = (list: RecordList, texts: readonly string[]): readonly RecordEntry[] =>
    [...new Set(texts.map((text) => safeLine(text, recordTextChars)))]
      .filter((text) => text !== "")
      .slice(0, maxNamed)
      .map((content) => ({ ...common, list, content }));
  return [
    ...each("missing_context", memory.missingContext),
    ...each("wished_for_skills", memory.wishedSkills),
  ];
}
