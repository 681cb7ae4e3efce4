import { openTurns } from "../../../base/clock.ts";
import { RalphError } from "../../../base/errors.ts";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../../../base/json.ts";
import { cleanText, count } from "../../../base/text.ts";
import type { ImportedFile, ImportedTask, ImportFormat, Marks, SourceText } from "../source/imported-task.ts";
import {
  idField,
  integerField,
  type JsonDocument,
  type JsonEntry,
  parseJsonSource,
  setMember,
  textField,
  textsField,
  wrongField,
} from "../source/json-source.ts";
import type { JsonNode } from "../source/json-tree.ts";
import { listItems } from "../source/list-items.ts";
import { settleParents, type WithParents } from "../source/settle-parents.ts";
import { applyEdits, type TextEdit } from "../source/text-edit.ts";

/**
 * The issues of beads (`.beads/issues.jsonl`), one object per line. `status: closed` is done; `blocks` links are
 * dependencies, `parent-child` links make children, other links are ignored. Tombstones (deleted issues) and records that are no work are skipped.
 */
export const beads: ImportFormat = { name: "beads", endings: [".jsonl"], holds, parse, mark };

function holds({ text }: SourceText): boolean {
  const first = parseJson(lines(text).next().value?.text ?? "");
  return isObject(first) && typeof first["id"] === "string" && typeof first["title"] === "string";
}

async function parse({ path, text }: SourceText): Promise<ImportedFile> {
  const turn = openTurns();
  const all: WithParents[] = [];
  const skipped = { deleted: 0, noWork: 0 };
  for (const line of lines(text)) {
    const bead = readBead({ path, text: line.text, line: line.number, ...issueIn(path, line) });
    if (typeof bead === "string") skipped[bead]++;
    else all.push(bead);
    await turn();
  }
  if (all.length === 0) {
    throw new RalphError("RALPH_IMPORT_EMPTY", `${path} contains no issues`, {
      hint: "Import .beads/issues.jsonl, where beads stores one JSON object per line.",
    });
  }
  const skippedWarnings = [
    ...(skipped.deleted > 0 ? [`${path}: ${count(skipped.deleted, "deleted issue")} skipped`] : []),
    ...(skipped.noWork > 0
      ? [`${path}: ${count(skipped.noWork, "record")} of agents and messages skipped`]
      : []),
  ];
  const { tasks, warnings } = settleParents(path, all);
  return { tasks, warnings: [...skippedWarnings, ...warnings] };
}

function mark({ path, text }: SourceText, marks: Marks): string | undefined {
  const left = new Map(marks);
  const edits: TextEdit[] = [];
  for (const line of lines(text)) {
    if (left.size === 0) break;
    const fields = parseJson(line.text) ?? issueIn(path, line).value;
    const id = isObject(fields) ? fields["id"] : undefined;
    if (!isObject(fields) || typeof id !== "string") continue;
    const key = cleanText(id).trim();
    const closed = left.get(key);
    if (closed === undefined) continue;
    left.delete(key);
    if ((fields["status"] === "closed") !== closed) edits.push(...setStatus(path, line, closed));
  }
  return left.size < marks.size ? applyEdits(text, edits) : undefined;
}

function setStatus(path: string, line: Line, closed: boolean): TextEdit[] {
  const value = closed ? '"closed"' : '"open"';
  const { root } = issueIn(path, line);
  return setMember(line.text, root, { key: "status", value, after: "id" }).map(({ start, end, text }) => {
    return { start: line.start + start, end: line.start + end, text };
  });
}

interface Line {
  /** From 1. */
  readonly number: number;
  readonly start: number;
  readonly text: string;
}

/** Yields the lines that are not blank, without a byte order mark. */
function* lines(text: string): Generator<Line, undefined> {
  let start = text.startsWith("\uFEFF") ? 1 : 0;
  for (let number = 1; start < text.length; number++) {
    const lineFeed = text.indexOf("\n", start);
    const end = lineFeed < 0 ? text.length : lineFeed;
    const line = text.slice(start, end);
    if (line.trim() !== "") yield { number, start, text: line };
    start = end + 1;
  }
  return undefined;
}

function issueIn(path: string, { number, text }: Line): JsonDocument {
  if (/^(?:<{7}|={7}|>{7})/.test(text)) {
    const hint = "Resolve the merge conflict first.";
    throw new RalphError("RALPH_JSON_INVALID", `${path}:${number}: unresolved merge conflict`, { hint });
  }
  return parseJsonSource(path, text, number);
}

const medium = 2;
/** Types of issues that beads keeps as records of its own. */
const recordTypes = ["agent", "role", "rig", "message", "event", "convoy", "slot"];

interface BeadLine {
  readonly path: string;
  readonly text: string;
  readonly line: number;
  readonly value: JsonValue;
  readonly root: JsonNode;
}

/** Reads one line as a task; returns why it is skipped instead. Throws RALPH_IMPORT_INVALID at an invalid field. */
function readBead({ path, text, line, value, root }: BeadLine): WithParents | "deleted" | "noWork" {
  const unnamed: JsonEntry = { path, text, line, node: root, fields: isObject(value) ? value : {} };
  if (!isObject(value)) throw wrongField(unnamed, null, "an object with `id` and `title`");
  const id = idField(unnamed, "id");
  if (id === "") throw wrongField(unnamed, "id", "given");
  const entry = { ...unnamed, name: `issue ${id}` };
  const status = textField(entry, "status") || "open";
  if (status === "tombstone") return "deleted";
  const type = textField(entry, "issue_type");
  if (recordTypes.includes(type)) return "noWork";
  const title = textField(entry, "title");
  if (title === "") throw wrongField(entry, "title", "given");
  const links = linksOf(entry);
  const parent = textField(entry, "parent");
  return {
    key: id,
    id,
    line,
    title,
    description: descriptionOf(entry),
    ...stateOf(status),
    priority: integerField(entry, "priority", medium),
    tags: [...new Set([...(type === "" || type === "task" ? [] : [type]), ...textsField(entry, "labels")])],
    acceptance: listItems(textField(entry, "acceptance_criteria")),
    dependsOn: [],
    dependsOnIfKnown: links.filter(({ type }) => type === "blocks").map(({ to }) => to),
    parents: [...(parent === "" ? [] : [parent]), ...links.filter(isParent).map(({ to }) => to)],
  };
}

function isParent({ type }: Link): boolean {
  return type === "parent-child";
}

/** An issue that beads would not list as ready is blocked. An issue in progress there is open here. */
function stateOf(status: string): Pick<ImportedTask, "state" | "reason"> {
  if (status === "closed") return { state: "done", reason: null };
  if (["open", "in_progress", "hooked"].includes(status)) return { state: "open", reason: null };
  return { state: "blocked", reason: `${status} in its file` };
}

function descriptionOf(entry: JsonEntry): string {
  const part = (name: string, text: string): string => (text === "" ? "" : `## ${name}\n\n${text}`);
  const parts = [
    textField(entry, "description"),
    part("Design", textField(entry, "design")),
    part("Notes", textField(entry, "notes")),
  ];
  return parts.filter((text) => text !== "").join("\n\n");
}

interface Link {
  readonly type: string;
  readonly to: string;
}

/** Returns the outgoing links of the issue. A link without a type blocks, as in beads. */
function linksOf(entry: JsonEntry): readonly Link[] {
  const list = entry.fields["dependencies"] ?? [];
  if (!Array.isArray(list)) throw wrongField(entry, "dependencies", "a list");
  return list.map((link: unknown): Link => {
    const to = isObject(link) ? link["depends_on_id"] : undefined;
    const type = isObject(link) ? ((link as JsonObject)["type"] ?? "blocks") : undefined;
    if (typeof to === "string" && typeof type === "string") return { to, type };
    throw wrongField(entry, "dependencies", "a list of objects with `depends_on_id` and `type`");
  });
}
