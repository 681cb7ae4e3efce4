import { join } from "node:path";
import { RalphError } from "../../../base/errors.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import { directories } from "../../../config/directories.ts";
import type { Hunk } from "./hunk.ts";
import { type FileChange, readPersonFile, writeOwn } from "./person-file.ts";

/** Everything that `ralph connect` wrote for one agent: enough to undo it, without the content of a person's files. */
export interface Connection {
  /** Files that ralph created, by their content. */
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
  /** The change to a person's file; null: there was none. */
  readonly entry: (Hunk & { readonly path: string }) | null;
  /** Folders that ralph created. */
  readonly folders: readonly string[];
}

/** The changes that connect or disconnect an agent. */
export interface ConnectionPlan {
  readonly changes: readonly FileChange[];
  /** The connection afterwards; null: none. */
  readonly connection: Connection | null;
  /** For people, after it was written. */
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
