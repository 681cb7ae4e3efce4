import { join } from "node:path";
import { RalphError } from "../../../base/errors.ts";
import { sha256 } from "../../../base/hash.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import { directories } from "../../../config/directories.ts";
import { type FileChange, readPersonFile, writeOwn } from "./person-file.ts";

/** Everything that `ralph connect` wrote for one agent: enough to undo it, without the content of a person's files. */
export interface Connection {
  /** Files that ralph created, by their content. */
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
  /** The change to a person's file; null: there was none. */
  readonly entry: (Hunk & { readonly path: string }) | null;
  readonly folders: readonly string[];
}

/** The changes that connect or disconnect an agent. */
export interface ConnectionPlan {
  readonly changes: readonly FileChange[];
  /** The connection afterwards; null: none. */
  readonly connection: Connection | null;
  readonly note?: string;
}

/** An agent whose interactive sessions can be connected. */
export interface ConnectTarget {
  /** For people: `Claude Code`. */
  readonly title: string;
  /** Plans the connection of this installation. Throws `RALPH_CONNECT_*`. */
  connect(known: Connection | null): ConnectionPlan;
  /** Plans its removal. Throws `RALPH_CONNECT_*`. */
  disconnect(known: Connection | null): ConnectionPlan;
}

function recordFile(): string {
  return join(directories().state, "ralph", "connections.json");
}

/** Returns the recorded connection of an agent. Throws `RALPH_CONNECT_RECORD` when the record is damaged. */
export function readConnection(agent: string): Connection | null {
  const connection = readRecord()[agent];
  if (connection === undefined) return null;
  if (!isConnection(connection)) throw damaged("a connection is incomplete");
  return connection;
}

/** Records an agent's connection; null removes it. */
export async function writeConnection(agent: string, connection: Connection | null): Promise<void> {
  const { [agent]: _, ...others } = readRecord();
  const connections = connection === null ? others : { ...others, [agent]: connection };
  await writeOwn(recordFile(), `${JSON.stringify({ version: 1, connections }, null, 2)}\n`);
}

function readRecord(): Readonly<Record<string, unknown>> {
  const { text } = readPersonFile(recordFile());
  if (text === null) return {};
  const record = parseJson(text);
  if (!isObject(record) || record["version"] !== 1 || !isObject(record["connections"]))
    throw damaged("it is not a record of this version");
  return record["connections"];
}

function damaged(why: string): RalphError {
  return new RalphError("RALPH_CONNECT_RECORD", `invalid ${recordFile()}: ${why}`, {
    hint: "move it elsewhere and run the command again",
  });
}

function isConnection(value: unknown): value is Connection {
  if (!isObject(value) || !Array.isArray(value["files"]) || !Array.isArray(value["folders"])) return false;
  const entry = value["entry"];
  return entry === null || (isObject(entry) && typeof entry["path"] === "string");
}

/** A change at one place of a text: `before` was replaced by `after`. Stored to undo the change. */
interface Hunk {
  readonly before: string;
  readonly after: string;
}

/** Returns the smallest change that makes `after` of `before`. */
export function hunkOf(before: string, after: string): Hunk {
  const least = Math.min(before.length, after.length);
  let start = 0;
  while (start < least && before[start] === after[start]) start++;
  let end = 0;
  while (end < least - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { before: before.slice(start, before.length - end), after: after.slice(start, after.length - end) };
}

/** Replaces the only occurrence of `hunk.after`; undefined if there is none, or more than one. */
export function undoHunk(text: string, { before, after }: Hunk): string | undefined {
  const at = text.indexOf(after);
  if (after === "" || at === -1 || text.includes(after, at + 1)) return undefined;
  return text.slice(0, at) + before + text.slice(at + after.length);
}

/** Returns what turns the files of `known` into `wanted`. Throws when a person changed one of them. */
export function changesOf(
  known: Pick<Connection, "files"> | null,
  wanted: readonly { readonly path: string; readonly text: string }[],
): readonly FileChange[] {
  const written = known?.files ?? [];
  const isWritten = (path: string, text: string): boolean =>
    written.some((file) => file.path === path && file.sha256 === sha256(text));
  const paths = new Set([...wanted, ...written].map(({ path }) => path));
  return [...paths].flatMap((path): readonly FileChange[] => {
    const { path: real, text: before } = readPersonFile(path);
    const after = wanted.find((file) => file.path === path)?.text ?? null;
    if (before === after) return [];
    if (before !== null && !isWritten(path, before))
      throw written.some((file) => file.path === path) ? edited(path) : foreign(path);
    return [{ path: real, before, after }];
  });
}

function edited(path: string): RalphError {
  return new RalphError("RALPH_CONNECT_EDITED", `${path} was changed since ralph wrote it`, {
    hint: "move it elsewhere, then run the command again",
  });
}

export function foreign(path: string): RalphError {
  return new RalphError("RALPH_CONNECT_EXISTS", `${path} exists, and ralph did not write it`, {
    hint: "move it elsewhere, then run the command again",
  });
}
