import { RalphError } from "../../../base/errors.ts";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../../../base/json.ts";
import { clip } from "../../../base/text.ts";
import { redactObject } from "../../../events/redact-json.ts";
import type { Row } from "../../../store/db.ts";
import { storableText } from "../capture/learning-text.ts";
import {
  categoryChars,
  detailChars,
  type Learning,
  learningSources,
  learningStatuses,
  lessonChars,
  type UseCounts,
} from "../learning.ts";
import { fromRow } from "../store/learning-row.ts";

export const format = "ralph-memory";
export const version = 1;
export const idForm: RegExp = /^l-[0-9a-f]{6,64}$/;
const scopeForm = /^[\w.-]{1,64}$/;
/** More of them no learning has; each is read for every prompt that might show it. */
const maxCitations = 5;
/** A time further ahead is no clock that is a little fast. It would stay the newest, or in use, for as long as it says. */
const clockToleranceMs = 86_400_000;

/** A line of an export that was read. */
export interface ExportEntry {
  readonly learning: Learning;
  readonly history: readonly Row[];
}

/** What an export holds. */
export interface ReadExport {
  readonly entries: readonly ExportEntry[];
  /** How many of them say that they were made or used in the future: these times are `now` instead. */
  readonly redated: number;
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
}

/** What a file of exported learnings holds. RALPH_MEMORY_FILE where a newer ralph wrote it. */
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
    if (isObject(value) && value["format"] === format) {
      refuseNewer(value["version"]);
      continue;
    }
    const entry = isObject(value) ? readEntry(value) : "is no JSON object";
    if (typeof entry === "string") problems.push({ line: at + 1, problem: entry });
    else {
      const bounded = within(entry, now);
      if (bounded.redated) redated += 1;
      entries.push(bounded.entry);
    }
  }
  return { entries, problems, redated };
}

/** With no time that is ahead of `now`. */
function within(
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

/** What a newer ralph wrote may mean what this one would leave out: half of it is not taken. */
function refuseNewer(found: JsonValue | undefined): void {
  if (typeof found !== "number" || found <= version) return;
  throw new RalphError(
    "RALPH_MEMORY_FILE",
    `it was written by a newer ralph: its format is ${found}, this one reads ${version}`,
    { hint: "update ralph, then import it again" },
  );
}

/** An entry that can be trusted to be one, or what is wrong with it. */
function readEntry(value: JsonObject): ExportEntry | string {
  const given = value["learning"];
  if (!isObject(given)) return "has no `learning`";
  const row = flat(given);
  for (const name of ["id", "content", "category"]) {
    if (typeof row[name] !== "string" || row[name] === "") return `its learning has no \`${name}\``;
  }
  const one = fromRow({ ...blank, ...row });
  if (!learningStatuses.includes(one.status)) return `knows no status ${JSON.stringify(one.status)}`;
  if (!learningSources.includes(one.provenance.source))
    return `knows no source ${JSON.stringify(one.provenance.source)}`;
  if (Number.isNaN(Date.parse(one.createdAt))) return "has no time of creation";
  const text = (value: string, max: number): string => clip(storableText(value), max);
  if (text(one.lesson, lessonChars) === "") return "says nothing";
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
  };
  const lines = value["history"];
  const history = (Array.isArray(lines) ? lines : []).flatMap((line: JsonValue) =>
    isObject(line) ? [flat(line)] : [],
  );
  return { learning, history: history.filter(isHistory) };
}

/** What it becomes when it is approved: anything but what waits. */
function quarantinedStatus(status: Learning["statusBefore"]): Learning["statusBefore"] {
  return learningStatuses.includes(status ?? "quarantined") && status !== "quarantined" ? status : null;
}

function timeOf(text: string | null): string | null {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** Its counters, 0 for what counts nothing: ranking and merging reckon with them. */
function counted(one: Learning): UseCounts {
  const count = (n: number): number => (Number.isSafeInteger(n) && n >= 0 ? n : 0);
  return {
    timesSeen: Math.max(1, count(one.timesSeen)),
    timesShown: count(one.timesShown),
    shownPassed: count(one.shownPassed),
    shownFailed: count(one.shownFailed),
    saidHelpful: count(one.saidHelpful),
    saidHarmful: count(one.saidHarmful),
  };
}

/** What an older export may lack. */
const blank: Row = {
  relevance_tags: "[]",
  created_at: "",
  detail: "",
  files: "[]",
  scope: "project",
  status: "active",
  source: "import",
  times_seen: 1,
  task_id: null,
  pruned_at: null,
  superseded_by: null,
  topic: null,
  status_before: null,
  origin: null,
  origin_task: null,
  run_id: null,
  iteration_id: null,
  agent: null,
  model: null,
  updated_at: null,
  validated_at: null,
  last_used_at: null,
};

/** Only what a row can hold, secrets taken out. */
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
