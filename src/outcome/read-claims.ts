import type { RedactedText } from "../base/safe-text.ts";
import { cleanText, firstChars } from "../base/text.ts";
import { findSigils, type Sigil } from "../sigils/find-sigils.ts";
import { redactedText, safeLine } from "../trust/safe-text.ts";
import type {
  Claims,
  Difficulty,
  MemorySigils,
  MemoryVerdict,
  NoteType,
  ReportedFailure,
  StatedLearning,
  StatedNote,
} from "./outcome.ts";

const modelName = /^[A-Za-z0-9][\w.:/-]{0,63}$/;
const difficulties: ReadonlySet<string> = new Set<Difficulty>([
  "trivial",
  "easy",
  "moderate",
  "hard",
  "blocked",
]);

/**
 * Returns the claims of an agent's final message about the task `taskId`. If a sigil may occur only once, the first valid
 * one counts. A done sigil counts only on the last non-empty line and with this task's id; done and failed together count as
 * failed. Texts are redacted. Never throws.
 */
export function readClaims(finalMessage: string, taskId: string): Claims {
  const sigils = findSigils(cleanText(finalMessage));
  const kept = sigils.map((sigil) => ({ ...sigil, body: redactedText(sigil.body) }));
  const failed = says(sigils, "task-failed", taskId);
  const lastLine = sigils.filter((sigil) => sigil.onLastLine);
  const done = saysDone(lastLine, taskId);
  return {
    done: done && !failed,
    ignoredSigil: done || failed ? null : ignoredSigil(sigils, taskId),
    failed,
    noChangeNeeded: firstOf(kept, "no-change-needed", (text) => safeLine(text, maxWhyChars) || null),
    nextModel: firstOf(kept, "next-model", (text) => (modelName.test(text) ? text : null)),
    difficulty: firstOf(kept, "difficulty-estimate", (text) => (isDifficulty(text) ? text : null)),
    report: firstOf(kept, "failure-report", readFailureReport),
    retrySuggestion: firstOf(kept, "retry-suggestion", (text) => text || null),
    memory: readMemorySigils(kept),
  };
}

function says(sigils: readonly Sigil[], name: Sigil["name"], body: string): boolean {
  return sigils.some((sigil) => sigil.name === name && sigil.body.trim() === body);
}

function saysDone(sigils: readonly Sigil[], taskId: string): boolean {
  return says(sigils, "task-done", taskId) || says(sigils, "promise", "COMPLETE");
}

const maxIdChars = 60;
const maxWhyChars = 300;

/** Names the last done or else failed sigil, which does not count: it names another task, or text follows it. */
function ignoredSigil(sigils: readonly Sigil[], taskId: string): string | null {
  const done = sigils.findLast((sigil) => sigil.name === "task-done" || saysDone([sigil], taskId));
  const claim = done ?? sigils.findLast(({ name }) => name === "task-failed");
  if (!claim) return null;
  const kind = claim === done ? "done" : "failed";
  const id = safeLine(claim.body, maxIdChars);
  const why = saysDone([claim], taskId)
    ? "it is not the last line of the final message"
    : `it names "${id}", not "${taskId}"`;
  return `the agent's ${kind} sigil does not count: ${why}`;
}

function firstOf<T>(
  sigils: readonly (Pick<Sigil, "name"> & { readonly body: RedactedText })[],
  name: Sigil["name"],
  read: (text: RedactedText) => T | null,
): T | null {
  for (const sigil of sigils) {
    const value = sigil.name === name ? read(sigil.body.trim()) : null;
    if (value !== null) return value;
  }
  return null;
}

function isDifficulty(text: string): text is Difficulty {
  return difficulties.has(text);
}

const keys = ["what_tried", "why_failed", "error_category", "relevant_files", "stack_trace"] as const;
type Key = (typeof keys)[number];

const keyLine = new RegExp(`^[ \\t]*(${keys.join("|")})[ \\t]*:(.*)$`);
/** The size of the column. The full trace is in the verification output. */
const maxStackTrace = 500;

/**
 * Parses the body of a `<failure-report>`: one `key: value` per line. Only `stack_trace` continues over the following lines,
 * up to the next known key. The first value of each key counts. Returns null without `what_tried` or `why_failed`.
 */
function readFailureReport(body: string): ReportedFailure | null {
  const values = readValues(body);
  const whatTried = values.get("what_tried");
  const whyFailed = values.get("why_failed");
  if (!whatTried || !whyFailed) return null;
  const files = (values.get("relevant_files") ?? "").split(",").map((file) => file.trim());
  return {
    whatTried,
    whyFailed,
    errorCategory: values.get("error_category") ?? "unknown",
    relevantFiles: [...new Set(files)].filter((file) => file !== ""),
    stackTrace: cleanText(firstChars(values.get("stack_trace") ?? "", maxStackTrace)),
  };
}

function readValues(body: string): ReadonlyMap<Key, string> {
  const values = new Map<Key, string>();
  let trace: string[] | null = null;
  const endTrace = (): void => {
    const text = trace?.join("\n").trim();
    if (text && !values.has("stack_trace")) values.set("stack_trace", text);
    trace = null;
  };
  for (const line of body.split("\n")) {
    const [, key, value = ""] = keyLine.exec(line.trimEnd()) ?? [];
    if (key === undefined) {
      trace?.push(line.trimEnd());
      continue;
    }
    endTrace();
    if (key === "stack_trace") trace = [value];
    else if (value.trim() !== "" && !values.has(key as Key)) values.set(key as Key, value.trim());
  }
  endTrace();
  return values;
}

const noteTypes: ReadonlySet<string> = new Set<NoteType>(["learning", "stuck", "tip", "decision"]);
const checklistItem = /^[ \t]*[-*+] \[[ xX]\] +\S/;

/** Extracts the sigils for memory. A malformed sigil is skipped and does not affect the others. */
function readMemorySigils(sigils: readonly Sigil[]): MemorySigils {
  const each = <T>(name: Sigil["name"], read: (sigil: Sigil) => T | null): readonly T[] =>
    sigils
      .filter((sigil) => sigil.name === name)
      .map(read)
      .filter((value) => value !== null);
  return {
    learnings: each("learning", readLearning),
    notes: each("note", readNote),
    verdicts: firstPerId(each("memory-used", readVerdict)),
    subtasks: each("subtasks", readChecklist)[0] ?? null,
    missingContext: each("missing-context", readText),
    wishedSkills: each("wished-skill", readText),
  };
}

/** Tags may be missing; a missing category is `other`, an unknown one is kept unchanged. */
function readLearning(sigil: Sigil): StatedLearning | null {
  const { category, tags = "", topic, when } = sigil.attributes;
  const text = readText(sigil);
  if (!text) return null;
  const tagList = tags.split(",").flatMap((tag) => tag.trim() || []);
  return {
    category: category?.trim() || "other",
    tags: [...new Set(tagList)],
    topic: topic?.trim() || tagList[0] || null,
    text,
    ...(when?.trim() ? { when: when.trim() } : {}),
  };
}

function readNote(sigil: Sigil): StatedNote | null {
  const { type } = sigil.attributes;
  const text = readText(sigil);
  return text && isNoteType(type) ? { type, text } : null;
}

function isNoteType(type: string | undefined): type is NoteType {
  return type !== undefined && noteTypes.has(type);
}

function readVerdict({ attributes }: Sigil): MemoryVerdict | null {
  const id = attributes["id"]?.trim();
  const verdict = attributes["verdict"];
  if (!id || (verdict !== "helpful" && verdict !== "harmful")) return null;
  return { id, helpful: verdict === "helpful" };
}

function firstPerId(verdicts: readonly MemoryVerdict[]): readonly MemoryVerdict[] {
  const first = new Map<string, MemoryVerdict>();
  for (const verdict of verdicts) if (!first.has(verdict.id)) first.set(verdict.id, verdict);
  return [...first.values()];
}

function readChecklist(sigil: Sigil): string | null {
  const text = sigil.body.replace(/^(?:[ \t\r]*\n)+/, "").trimEnd();
  return text.split("\n").some((line) => checklistItem.test(line)) ? text : null;
}

function readText(sigil: Sigil): string | null {
  return sigil.body.trim() || null;
}
