import { RalphError } from "../../../base/errors.ts";
import { sha256 } from "../../../base/hash.ts";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../../../base/json.ts";
import type { RedactedText, SafeText } from "../../../base/safe-text.ts";
import { clip } from "../../../base/text.ts";
import { redactObject } from "../../../events/redact-json.ts";
import type { Row } from "../../../store/port/db.ts";
import { redactedText } from "../../../trust/safe-text.ts";
import {
  categoryChars,
  detailChars,
  type Learning,
  learningSources,
  learningStatuses,
  lessonChars,
  type UseCounts,
} from "../store/learning.ts";
import { fromRow } from "../store/learning-row.ts";
import { splitLesson, storableText, storableWhen, tidyTags } from "../store/learning-text.ts";

/** The first line of an export. */
export const exportHeader = { format: "ralph-memory", version: 1 };

export const idForm: RegExp = /^l-[0-9a-f]{6,64}$/;
const scopeForm = /^[\w.-]{1,64}$/;
/** As many as ralph itself stores: each prompt that might show a learning reads all files that it cites. */
const maxCitations = 5;
const signatureChars = 80;
/** Tolerance for clocks that are fast. A learning from further in the future would stay the newest until then. */
const clockToleranceMs = 86_400_000;

/** One learning of an export. */
export interface ExportEntry {
  readonly learning: Learning;
  readonly history: readonly Row[];
}

/** The content of an export. */
export interface ReadExport {
  readonly entries: readonly ExportEntry[];
  /** Number of entries with times in the future, which were replaced by `now`. */
  readonly redated: number;
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
}

/** Reads an export, or lines that `swarm` exported. RALPH_MEMORY_FILE when a newer version of ralph wrote it. */
export function readEntries(text: string, now: Date): ReadExport {
  const entries: ExportEntry[] = [];
  let redated = 0;
  const problems: { line: number; problem: string }[] = [];
  for (const [at, line] of text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .entries()) {
    if (line.trim() === "") continue;
    const value = parseJson(line);
    if (isObject(value) && value["format"] === exportHeader.format) {
      refuseNewer(value["version"]);
      continue;
    }
    const entry = isObject(value) ? readEntry(fromSwarm(value) ?? value) : "is not a JSON object";
    if (typeof entry === "string") problems.push({ line: at + 1, problem: entry });
    else {
      const limited = limitTimes(entry, now);
      if (limited.redated) redated += 1;
      entries.push(limited.entry);
    }
  }
  return { entries, problems, redated };
}

/** Replaces times in the future by `now`. */
function limitTimes(
  { learning, history }: ExportEntry,
  now: Date,
): { readonly entry: ExportEntry; readonly redated: boolean } {
  const latest = new Date(now.getTime() + clockToleranceMs).toISOString();
  let redated = false;
  const bounded = <T extends string | null>(time: T): T | string => {
    if (time === null || time <= latest) return time;
    redated = true;
    return now.toISOString();
  };
  const entry = {
    learning: {
      ...learning,
      createdAt: bounded(learning.createdAt),
      updatedAt: bounded(learning.updatedAt),
      validatedAt: bounded(learning.validatedAt),
      lastUsedAt: bounded(learning.lastUsedAt),
      prunedAt: bounded(learning.prunedAt),
    },
    history: history.map((line) => ({ ...line, at: bounded(String(line["at"])) })),
  };
  return { entry, redated };
}

/** Refuses an export of a newer version, which may have content that this version would drop. */
function refuseNewer(found: JsonValue | undefined): void {
  if (typeof found !== "number" || found <= exportHeader.version) return;
  throw new RalphError(
    "RALPH_MEMORY_FILE",
    `unsupported export: a newer ralph wrote it in format ${found}, and this version reads up to ${exportHeader.version}`,
    { hint: "update ralph, then import it again" },
  );
}

/** Returns the columns of a learning that hold text. */
function textColumns(row: Row) {
  const text = (name: string): SafeText => storableText(`${row[name] ?? ""}`);
  const list = (name: string): RedactedText => redactedText(`${row[name] ?? "[]"}`);
  return {
    category: text("category"),
    content: text("content"),
    detail: text("detail"),
    applies_when: storableWhen(`${row["applies_when"] ?? ""}`),
    topic: text("topic") || null,
    relevance_tags: list("relevance_tags"),
    files: list("files"),
    fixes: list("fixes"),
  };
}

/**
 * Returns a line of `.hive/memories.jsonl`, which `swarm` exports, as an entry of ralph's; undefined for another line. Its id
 * is made of the line's id, so that a second import finds it.
 */
function fromSwarm({ id, information, tags, created_at: at }: JsonObject): JsonObject | undefined {
  if (typeof id !== "string" || typeof information !== "string" || information.trim() === "")
    return undefined;
  const { lesson, detail } = splitLesson(storableText(information));
  const named = (typeof tags === "string" ? tags.split(",") : Array.isArray(tags) ? tags : []).map(String);
  return {
    learning: {
      id: `l-${sha256(id).slice(0, 12)}`,
      content: lesson,
      detail,
      category: "other",
      relevance_tags: JSON.stringify(tidyTags(named)),
      created_at: typeof at === "string" ? at : "",
    },
  };
}

/** Validates an entry; returns it, or the problem. */
function readEntry(value: JsonObject): ExportEntry | string {
  const given = value["learning"];
  if (!isObject(given)) return "has neither `learning` nor `information`";
  const row = flat(given);
  for (const name of ["id", "content", "category"]) {
    if (typeof row[name] !== "string" || row[name] === "") return `has a learning without \`${name}\``;
  }
  const one = fromRow({ ...blank, ...row, ...textColumns(row) });
  if (!learningStatuses.includes(one.status)) return `has an unknown status ${JSON.stringify(one.status)}`;
  if (!learningSources.includes(one.provenance.source))
    return `has an unknown source ${JSON.stringify(one.provenance.source)}`;
  if (Number.isNaN(Date.parse(one.createdAt))) return "has no valid creation time";
  const text = (value: string, max: number): SafeText => clip(storableText(value), max);
  if (text(one.lesson, lessonChars) === "") return "has an empty lesson";
  const learning: Learning = {
    ...one,
    ...counted(one),
    createdAt: new Date(one.createdAt).toISOString(),
    updatedAt: timeOf(one.updatedAt),
    validatedAt: timeOf(one.validatedAt),
    lastUsedAt: timeOf(one.lastUsedAt),
    prunedAt: timeOf(one.prunedAt),
    scope: scopeForm.test(one.scope) ? one.scope : "project",
    statusBefore: quarantinedStatus(one.statusBefore),
    citations: one.citations.slice(0, maxCitations),
    derivedFrom: one.derivedFrom.filter((id) => idForm.test(id)),
    lesson: text(one.lesson, lessonChars),
    detail: text(one.detail, detailChars),
    category: text(one.category, categoryChars),
    topic: one.topic === null ? null : text(one.topic, categoryChars),
    tags: one.tags.map((tag) => text(tag, 120)),
    files: one.files.map((file) => text(file, 500)),
    fixes: one.fixes.map((signature) => text(signature, signatureChars)),
  };
  const lines = value["history"];
  const history = (Array.isArray(lines) ? lines : []).flatMap((line: JsonValue) =>
    isObject(line) ? [flat(line)] : [],
  );
  return { learning, history: history.filter(isHistory) };
}

/** Returns the status after approval: any valid one but `quarantined`; null for others. */
function quarantinedStatus(status: Learning["statusBefore"]): Learning["statusBefore"] {
  return learningStatuses.includes(status ?? "quarantined") && status !== "quarantined" ? status : null;
}

function timeOf(text: string | null): string | null {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** Returns the counters, with 0 for invalid ones: ranking and merging compute with them. */
function counted(one: Learning): UseCounts {
  const count = (n: number): number => (Number.isSafeInteger(n) && n >= 0 ? n : 0);
  return {
    timesSeen: Math.max(1, count(one.timesSeen)),
    timesShown: count(one.timesShown),
    shownPassed: count(one.shownPassed),
    shownFailed: count(one.shownFailed),
    saidHelpful: count(one.saidHelpful),
    saidHarmful: count(one.saidHarmful),
    tasksPassed: count(one.tasksPassed),
    tasksFailed: count(one.tasksFailed),
  };
}

/** Default values of columns that a line of `swarm` lacks. */
const blank: Row = { created_at: "", scope: "project", status: "active", source: "import", times_seen: 1 };

/** Returns the values that a row can hold, without secrets. */
function flat(object: JsonObject): Row {
  const cells = Object.entries(redactObject(object)).filter(
    ([, cell]) => cell === null || typeof cell === "string" || typeof cell === "number",
  );
  return Object.fromEntries(cells) as Row;
}

function isHistory(row: Row): boolean {
  const words = ["change", "changed_by"].every((name) => /^[a-z-]{1,40}$/.test(String(row[name])));
  const time = typeof row["at"] === "string" && !Number.isNaN(Date.parse(row["at"]));
  const number = Number.isInteger(row["number"]) && Number(row["number"]) > 0 && Number(row["number"]) < 1e9;
  return words && time && typeof row["detail"] === "string" && number;
}
