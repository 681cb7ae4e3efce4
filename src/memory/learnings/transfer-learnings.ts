import { RalphError } from "../../base/errors.ts";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../../base/json.ts";
import { clip } from "../../base/text.ts";
import { redactObject } from "../../events/redact-json.ts";
import type { Reader, Row, Tx } from "../../store/db.ts";
import {
  categoryChars,
  detailChars,
  type Learning,
  learningSources,
  learningStatuses,
  lessonChars,
  type UseCounts,
} from "./learning.ts";
import { fromRow, toRow } from "./learning-row.ts";
import { freeId, type LearningChange, putHistory, putLearnings, takeOver } from "./learning-store.ts";
import { kept } from "./learning-text.ts";
import { getLearning, getLearnings } from "./read-learnings.ts";

const format = "ralph-memory";
const version = 1;
const pageSize = 500;
const scopeForm = /^[\w.-]{1,64}$/;
const idForm = /^l-[0-9a-f]{6,64}$/;

/** The whole memory of learnings, a JSON object a line: a header, then each learning with its history, oldest first. */
export async function* exportLines(q: Reader): AsyncGenerator<string> {
  yield JSON.stringify({ format, version });
  const ids = await q.all<{ id: string }>("SELECT id FROM learnings ORDER BY created_at, id");
  for (let at = 0; at < ids.length; at += pageSize) {
    const page = await getLearnings(
      q,
      ids.slice(at, at + pageSize).map(({ id }) => id),
    );
    const histories = await historyRows(
      q,
      page.map(({ id }) => id),
    );
    for (const learning of page) {
      const row = toRow(learning, learning.provenance.task);
      yield JSON.stringify({ learning: row, history: histories.get(learning.id) ?? [] });
    }
  }
}

async function historyRows(q: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, readonly Row[]>> {
  if (ids.length === 0) return new Map();
  const rows = await q.all<Row>(
    `SELECT * FROM learning_history WHERE learning_id IN (${ids.map(() => "?").join(", ")}) ORDER BY number`,
    ids,
  );
  const byId = new Map<string, Row[]>();
  for (const row of rows) {
    const id = String(row["learning_id"]);
    const own = byId.get(id);
    if (own) own.push(row);
    else byId.set(id, [row]);
  }
  return byId;
}

/** A line of an export that was read. */
interface Entry {
  readonly learning: Learning;
  readonly history: readonly Row[];
}

export interface ImportReport {
  readonly imported: number;
  /** There already, with the same words. */
  readonly unchanged: number;
  /** Ids that another learning had: they came in under a new one. */
  readonly renamed: number;
  readonly quarantined: number;
  /** Lines that hold no learning, with why; at most 20. */
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
}

/**
 * Takes over what an export holds: whole, its history included. Unless `approved`, all of it waits in quarantine until
 * a person approves it, wherever it says that it comes from.
 */
export async function importLines(
  tx: Tx,
  text: string,
  { approved, origin, now }: { readonly approved: boolean; readonly origin: string; readonly now: Date },
): Promise<ImportReport> {
  const { entries, problems } = readEntries(text);
  const { fresh, names, unchanged } = await nameEntries(tx, entries);
  const named = (id: string): string => names.get(id) ?? id;
  const all = fresh.map(({ id, entry: { learning, history } }): Entry => {
    const quarantine = !approved && learning.status !== "quarantined";
    const renamed: Learning = {
      ...learning,
      id,
      derivedFrom: learning.derivedFrom.map(named),
      supersededBy: null,
      ...(quarantine ? { status: "quarantined", statusBefore: learning.status } : {}),
    };
    return { learning: renamed, history: history.map((row) => ({ ...row, learning_id: renamed.id })) };
  });
  // First all of them, then who superseded whom: a row can refer to one that comes later.
  await takeOver(
    tx,
    all.map(({ learning }) => learning),
    now,
  );
  const superseded: Learning[] = [];
  for (const [at, { learning }] of all.entries()) {
    const by = fresh[at]?.entry.learning.supersededBy;
    if (by && named(by) !== learning.id && (await getLearning(tx, named(by))))
      superseded.push({ ...learning, supersededBy: named(by) });
  }
  await takeOver(tx, superseded, now);
  await putHistory(
    tx,
    all.flatMap(({ history }) => history),
    now,
  );
  if (!approved) await putLearnings(tx, await arrivals(tx, all, clip(origin, 200)), { runId: null, now });
  return {
    imported: all.length,
    unchanged,
    renamed: fresh.filter(({ id, entry }) => id !== entry.learning.id).length,
    quarantined: all.filter(({ learning }) => learning.status === "quarantined").length,
    problems: problems.slice(0, 20),
  };
}

interface Named {
  /** Those that are not there yet, each with the id that it comes in under. */
  readonly fresh: readonly { readonly id: string; readonly entry: Entry }[];
  /** What the others of the file mean by an id. */
  readonly names: ReadonlyMap<string, string>;
  readonly unchanged: number;
}

/** An id for each: its own, unless the store or an earlier line of the file has other words under it. */
async function nameEntries(tx: Tx, entries: readonly Entry[]): Promise<Named> {
  const names = new Map<string, string>();
  const earlier = new Map<string, Learning>();
  const used = new Set(entries.map(({ learning }) => learning.id));
  const fresh: { id: string; entry: Entry }[] = [];
  for (const entry of entries) {
    const { learning } = entry;
    const valid = idForm.test(learning.id);
    const there = earlier.get(learning.id) ?? (valid ? await getLearning(tx, learning.id) : undefined);
    if (there?.lesson === learning.lesson && there.detail === learning.detail) continue;
    let { id } = learning;
    if (there || !valid)
      do id = await freeId(tx);
      while (used.has(id));
    used.add(id);
    if (!earlier.has(learning.id)) {
      earlier.set(learning.id, learning);
      names.set(learning.id, id);
    }
    fresh.push({ id, entry });
  }
  return { fresh, names, unchanged: entries.length - fresh.length };
}

/** Where they came from, as a line of each one's history. */
async function arrivals(tx: Tx, all: readonly Entry[], from: string): Promise<readonly LearningChange[]> {
  const learnings = await getLearnings(
    tx,
    all.map(({ learning }) => learning.id),
  );
  return learnings.map((learning) => ({ learning, change: "imported", by: "person", detail: { from } }));
}

interface Read {
  readonly entries: readonly Entry[];
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
}

function readEntries(text: string): Read {
  const entries: Entry[] = [];
  const problems: { line: number; problem: string }[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const value = parseJson(line);
    if (isObject(value) && value["format"] === format) {
      refuseNewer(value["version"]);
      continue;
    }
    const entry = isObject(value) ? readEntry(value) : "is no JSON object";
    if (typeof entry === "string") problems.push({ line: at + 1, problem: entry });
    else entries.push(entry);
  }
  return { entries, problems };
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
function readEntry(value: JsonObject): Entry | string {
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
  const text = (value: string, max: number): string => clip(kept(value), max);
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
  return words && time && typeof row["detail"] === "string" && Number.isInteger(row["number"]);
}
