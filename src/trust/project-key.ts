import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { linkSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { makeFolders } from "../base/careful-files.ts";
import { systemCode } from "../base/errors.ts";
import { sha256 } from "../base/hash.ts";
import { isObject, type JsonObject, parseJson } from "../base/json.ts";
import type { Owner } from "../base/owner.ts";
import { type InputsNote, readNote, sealedNote } from "./project-key/inputs-note.ts";
import { padded, read, remove, replaceFile, write } from "./project-key/state-files.ts";

/** The end of a project's event log as a process of ralph last left it. */
export interface LogHead {
  readonly seq: number;
  /** The chain value of its last line. */
  readonly chain: string;
}

/** A run and its process. */
export interface Holder {
  readonly runId: string;
  readonly owner: Owner;
}

/**
 * A project's secret key and the head of its event log. Both are in the user's state folder, so that text inside the project
 * can neither forge a code nor replace the log by an older one unnoticed. Nothing here throws: without a usable state folder
 * there is no key, and events carry no codes.
 */
export interface ProjectKey {
  /** Names the key without revealing it; null without a key. */
  readonly keyId: string | null;
  /** Returns `<key id>.<code>` for `text`, an HMAC-SHA-256 of 132 bits; null without a key. */
  seal(text: string): string | null;
  /** Writes the key's file again if it was changed or removed since this process read it. Returns true when that was needed. */
  restoreFile(): boolean;
  /** Returns the run that last held the project; null: it is not known. */
  readHolder(): Holder | null;
  /** Not synced to the disk. */
  writeHolder(holder: Holder): void;
  /** The path of the copy of the project's event log. */
  readonly logCopy: string;
  readHead(): LogHead | null;
  /** Not synced to the disk: a power failure may leave an older head, which the log then continues. */
  writeHead(head: LogHead): void;
  /** Returns what `writeStore` stored; null: nothing. */
  readStore(): string | null;
  /** Stores which file the project's store is, once there is a key. Not synced to the disk. */
  writeStore(name: string): void;
  /** Returns what `writeInputs` stored; `mark` is what its last call returned. */
  readInputs(mark: string | null): InputsNote;
  /**
   * Not synced to the disk. `changes` are those to what verification reads that nobody accepted, `before` is the mark until now.
   * Returns the mark by which a later reader recognizes them; null for none.
   */
  writeInputs(changes: readonly JsonObject[], before: string | null): string | null;
  /** Returns the id of the iteration whose agent works, or worked when ralph was killed; null: none. */
  readWork(): string | null;
  /** Returns what was stored with that iteration; null: nothing that can be read. */
  readWorkDetails(): JsonObject | null;
  /** Returns the process for which it works; null: the run that holds the project. */
  readWorkOwner(): Owner | null;
  /** Not synced to the disk. `details` are what its agent must not change, as they were before it began. */
  writeWork(iterationId: string | null, details?: JsonObject): void;
}

const keyPattern = /^[0-9a-f]{64}\n$/;
const codeLength = 22;

/** Returns the key of `project`, a folder; `state` is ralph's folder in the user's state folder. Created with its first use. */
export function openProjectKey(state: string, project: string): ProjectKey {
  const folder = join(state, "projects", folderName(project));
  const file = join(folder, "key");
  const headFile = join(folder, "head.json");
  const workFile = join(folder, "work.json");
  const holderFile = join(folder, "run.json");
  const detailsFile = join(folder, "work-details.json");
  const inputsFile = join(folder, "inputs.json");
  const storeFile = join(folder, "store.json");
  let loaded: LoadedKey | null | undefined;
  const key = (): LoadedKey | null => {
    if (loaded === undefined) loaded = loadKey(file);
    return loaded;
  };
  const seal = (text: string): string | null => {
    const known = key();
    return known && `${known.id}.${codeOf(known.secret, text)}`;
  };
  return {
    get keyId() {
      return key()?.id ?? null;
    },
    seal,
    restoreFile: () => loaded != null && readKey(file) !== loaded.text && replaceFile(file, loaded.text),
    readHolder: () => readHolder(holderFile),
    writeHolder: ({ runId, owner }) =>
      write(holderFile, padded({ runId, owner: { ...owner } }, holderLength)),
    logCopy: join(folder, "events.jsonl"),
    readHead: () => readHead(headFile),
    writeHead: (head) => write(headFile, headText(head)),
    readStore: () => readString(storeFile, "store"),
    writeStore: (name) => {
      if (readKey(file) !== null) write(storeFile, padded({ store: name }, holderLength));
    },
    readInputs: (mark) => readNote(read(inputsFile), mark, seal),
    writeInputs: (changes, before) => {
      if (changes.length === 0 && before === null) {
        remove(inputsFile);
        return null;
      }
      const { note, mark } = sealedNote(changes, before, seal);
      write(inputsFile, padded(note, detailsLength));
      return changes.length === 0 ? null : mark;
    },
    readWork: () => readString(workFile, "iteration"),
    readWorkDetails: () => readDetails(detailsFile, readString(workFile, "iteration")),
    readWorkOwner: () => ownerOf(readDetails(detailsFile, readString(workFile, "iteration"))?.["owner"]),
    writeWork: (iteration, details) => {
      // First: a kill in between leaves no work whose details are another's.
      if (details) write(detailsFile, padded({ iteration, details }, detailsLength));
      write(workFile, padded({ iteration }));
    },
  };
}

/** Returns true if a process of this user has used the project's key; creates none. */
export function hasProjectKey(state: string, project: string): boolean {
  return readKey(join(state, "projects", folderName(project), "key")) !== null;
}

interface LoadedKey {
  readonly secret: KeyObject;
  readonly id: string;
  /** The content of its file. */
  readonly text: string;
}

/** The last part of the project's name for people; the hash of its real path, so that another folder has another key. */
function folderName(project: string): string {
  const path = realPath(project);
  const name = basename(path)
    .replace(/[^\w.-]/g, "_")
    .slice(0, 40);
  return `${name}-${sha256(path).slice(0, 16)}`;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function loadKey(file: string): LoadedKey | null {
  const text = readKey(file) ?? createKey(file);
  if (text === null) return null;
  const secret = createSecretKey(text.trim(), "hex");
  return { secret, id: codeOf(secret, "key id").slice(0, 8), text };
}

function codeOf(secret: KeyObject, text: string): string {
  return createHmac("sha256", secret).update(text).digest("base64url").slice(0, codeLength);
}

/** Creates the key unless another process does so at the same moment; null when the folder cannot be written. */
function createKey(file: string): string | null {
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    makeFolders(dirname(file));
    writeFileSync(temporary, `${randomBytes(32).toString("hex")}\n`, { flag: "wx", mode: 0o600 });
    try {
      // Unlike a rename, a link never replaces the key of another process.
      linkSync(temporary, file);
    } catch (error) {
      if (systemCode(error) !== "EEXIST") renameSync(temporary, file);
    }
  } catch {
    // By contract there is no key then.
  }
  remove(temporary);
  return readKey(file);
}

function readKey(file: string): string | null {
  const text = read(file);
  return text !== null && keyPattern.test(text) ? text : null;
}

/** Bytes of a step in the length of a file (see `padded`). */
const detailsLength = 8192;
const holderLength = 512;

function readString(file: string, field: string): string | null {
  const value = parseJson(read(file) ?? "");
  const text = isObject(value) ? value[field] : null;
  return typeof text === "string" ? text : null;
}

function readDetails(file: string, work: string | null): JsonObject | null {
  const value = work === null ? undefined : parseJson(read(file) ?? "");
  if (!isObject(value) || value["iteration"] !== work) return null;
  return isObject(value["details"]) ? value["details"] : null;
}

function readHolder(file: string): Holder | null {
  const value = parseJson(read(file) ?? "");
  const owner = isObject(value) ? ownerOf(value["owner"]) : null;
  if (!isObject(value) || owner === null || typeof value["runId"] !== "string") return null;
  return { runId: value["runId"], owner };
}

function ownerOf(value: unknown): Owner | null {
  if (!isObject(value)) return null;
  const { pid, startTime, bootId, host } = value;
  if (typeof pid !== "number" || typeof startTime !== "string") return null;
  return typeof bootId === "string" && typeof host === "string" ? { pid, startTime, bootId, host } : null;
}

/** The number stands at both ends: a reader sees when it read during a write. */
function headText({ seq, chain }: LogHead): string {
  return padded({ seq, chain, end: seq });
}

function readHead(file: string): LogHead | null {
  for (let attempt = 0; attempt < 3; attempt++) {
    const value = parseJson(read(file) ?? "");
    if (!isObject(value)) return null;
    const { seq, chain, end = seq } = value;
    if (seq !== end) continue;
    return Number.isSafeInteger(seq) && typeof chain === "string" ? { seq: Number(seq), chain } : null;
  }
  return null;
}
