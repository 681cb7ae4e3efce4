import { sha256 } from "../../base/hash.ts";
import { clip, oneLine } from "../../base/text.ts";
import { firstErrorLine } from "../../outcome/error-line.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import { lastErrorOf } from "../../outcome/outcome-store.ts";
import type { Reader } from "../../store/port/db.ts";
import type { ProjectOrigin } from "../port/hivemind-settings.ts";
import type { Captured } from "../port/memory-kind.ts";
import { contentChars, type SharedMemory } from "./shared-memory.ts";
import { withoutPrivateData } from "./without-private-data.ts";

const maxFiles = 10;
const summaryLines = 4;

/** The error of the attempt before, which this one no longer has. */
interface SolvedError {
  readonly signature: string;
  readonly output: string | null;
}

interface Description {
  readonly origin: ProjectOrigin;
  /**
   * The records of other projects that the attempt's prompt showed: a summary that repeats one is left out. Null: they are not
   * known, so any summary is.
   */
  readonly foreign: readonly string[] | null;
  readonly now: Date;
}

/**
 * Returns the record of a judged attempt for other projects (HIVE-2): of a verified success, or a failed verification.
 * Undefined where nothing is known beyond the title.
 */
export async function describeOutcome(
  q: Reader,
  { outcome, task }: Captured,
  { origin, foreign, now }: Description,
): Promise<SharedMemory | undefined> {
  const { taskId, name, verification } = outcome;
  const isSuccess = name === "done" && verification === "passed";
  if (!isSuccess && verification !== "failed") return undefined;
  if (!task) return undefined;
  const clean = (text: string): string => oneLine(withoutPrivateData(text, origin));
  const title = clean(task.title);
  const files = outcome.work.files.slice(0, maxFiles).map(clean).join(", ") || "none";
  const about = isSuccess
    ? success(outcome, await solvedError(q, outcome), { origin, foreign, clean })
    : failure(outcome, { origin, clean });
  if (about.rest === "") return undefined;
  const content = `${about.opening}: ${title}. Files: ${files}. ${about.rest}`;
  return {
    // The same failure again replaces its record.
    id: idOf([origin.id, about.type, taskId, title, about.key]),
    type: about.type,
    title,
    content: clip(content, contentChars),
    tags: about.tags,
    project: origin.id,
    projectName: origin.name,
    signature: about.signature === null ? null : signatureHash(about.signature),
    createdAt: now.toISOString(),
  };
}

/** The parts of a record that differ between successes and failures. */
interface About extends Pick<SharedMemory, "type" | "tags"> {
  readonly opening: string;
  readonly rest: string;
  readonly signature: string | null;
  readonly key: string;
}

interface Cleaning extends Pick<Description, "origin"> {
  readonly clean: (text: string) => string;
}

function success(
  { finalMessage, iterationId }: Outcome,
  solved: SolvedError | undefined,
  { origin, foreign, clean }: Cleaning & Pick<Description, "foreign">,
): About {
  const error = clean(firstErrorLine(solved?.output ?? "") ?? "");
  const summary = summaryOf(finalMessage);
  const parts = [
    error && `It solved this error of the attempt before: ${clip(error, 250)}.`,
    foreign === null || foreign.some((text) => repeats(summary, text)) ? "" : clean(summary),
  ];
  return {
    type: "success",
    opening: "Ralph completed",
    rest: stated("Summary", parts.filter(Boolean).join(" ")),
    tags: ["ralph", "learning", tagOf(origin.name)],
    signature: solved?.signature ?? null,
    key: iterationId,
  };
}

function failure(
  { category, signature, errorExcerpt, iterationId }: Outcome,
  { origin, clean }: Cleaning,
): About {
  const known = category ?? "unknown";
  return {
    type: "failure",
    opening: `Ralph failure [${known}]`,
    rest: stated("Error", clean(errorExcerpt)),
    tags: ["ralph", "failure", known, tagOf(origin.name)],
    signature,
    key: signature ?? iterationId,
  };
}

function stated(label: string, text: string): string {
  return text === "" ? "" : `${label}: ${text}`;
}

/** Returns the id of the record of a verified success; `title` is that of the task. */
export function successId(
  origin: ProjectOrigin,
  {
    taskId,
    title,
    iterationId,
  }: { readonly taskId: string; readonly title: string; readonly iterationId: string },
): string {
  return idOf([origin.id, "success", taskId, oneLine(withoutPrivateData(title, origin)), iterationId]);
}

/** Returns a record's id: the same for the same parts. */
export function idOf(parts: readonly string[]): string {
  return `h-${sha256(JSON.stringify(parts)).slice(0, 12)}`;
}

/** Signatures contain text of the project's errors; their hashes compare as well. */
export function signatureHash(signature: string): string {
  return sha256(signature).slice(0, 32);
}

/** Returns a tag without quotes and commas, which separate tags. */
export function tagOf(text: string): string {
  return text.replace(/["'`,]/g, "").trim();
}

/** Returns the error of the failed attempt just before a success; undefined when there was none. */
async function solvedError(
  q: Reader,
  { taskId, attempt, signature }: Outcome,
): Promise<SolvedError | undefined> {
  const error = await lastErrorOf(q, taskId, attempt);
  if (!error || error.signature === null || error.signature === signature) return undefined;
  return { signature: error.signature, output: error.output };
}

/** Returns the first lines of a final message, without sigils. */
function summaryOf(message: string): string {
  const lines = message.replace(/<([a-z-]+)\b[^>]*>[\s\S]*?<\/\1>|<[a-z-]+\b[^>]*\/>/g, "").split("\n");
  return oneLine(
    lines
      .map((line) => line.trim())
      .filter(Boolean)
      .slice(0, summaryLines)
      .join(" "),
  );
}

/** Words in a row that make a text a repetition of another. */
const repeatedWords = 8;

/** Reports whether a text contains words of another in their order, so many that it is not chance. */
function repeats(text: string, of: string): boolean {
  const words = wordsOf(of);
  const own = ` ${wordsOf(text).join(" ")} `;
  for (let at = 0; at + repeatedWords <= words.length; at += 1) {
    if (own.includes(` ${words.slice(at, at + repeatedWords).join(" ")} `)) return true;
  }
  return false;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
