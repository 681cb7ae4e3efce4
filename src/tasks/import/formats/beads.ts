import { RalphError } from "../../../base/errors.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import { cleanText, count } from "../../../base/text.ts";
import type { ImportedFile, ImportFormat, Marks, SourceText } from "../imported-task.ts";
import { type JsonDocument, parseJsonSource, setMember } from "../json-source.ts";
import { applyEdits, type TextEdit } from "../text-edit.ts";
import { type Bead, parentsFirst, readBead } from "./beads/read-bead.ts";

/**
 * The issues of beads (`.beads/issues.jsonl`), one object per line. `status: closed` is done; `blocks` links are
 * dependencies, `parent-child` links make children, other links are ignored. Tombstones (deleted issues) are skipped.
 */
export const beads: ImportFormat = { name: "beads", endings: [".jsonl"], holds, parse, mark };

function holds({ text }: SourceText): boolean {
  const first = parseJson(lines(text).next().value?.text ?? "");
  return isObject(first) && typeof first["id"] === "string" && typeof first["title"] === "string";
}

function parse({ path, text }: SourceText): ImportedFile {
  const all: Bead[] = [];
  let deleted = 0;
  for (const line of lines(text)) {
    const bead = readBead({ path, text: line.text, line: line.number, ...issueIn(path, line) });
    if (bead) all.push(bead);
    else deleted++;
  }
  if (all.length === 0) {
    throw new RalphError("RALPH_IMPORT_EMPTY", `${path} contains no issues`, {
      hint: "Import .beads/issues.jsonl, where beads stores one JSON object per line.",
    });
  }
  const skipped = deleted > 0 ? [`${path}: ${count(deleted, "deleted issue")} skipped`] : [];
  const { tasks, warnings } = parentsFirst(path, all);
  return { tasks, warnings: [...skipped, ...warnings] };
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
