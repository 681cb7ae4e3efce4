import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { systemCode } from "../base/errors.ts";
import { sha256 } from "../base/hash.ts";
import { isObject, parseJson } from "../base/json.ts";

/** The end of a project's event log as a process of ralph last left it. */
export interface LogHead {
  readonly seq: number;
  /** The chain value of its last line. */
  readonly chain: string;
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
  readHead(): LogHead | null;
  /** Not synced to the disk: a power failure may leave an older head, which the log then continues. */
  writeHead(head: LogHead): void;
}

const keyPattern = /^[0-9a-f]{64}\n$/;
const codeLength = 22;

/** Returns the key of `project`, a folder; `state` is ralph's folder in the user's state folder. Created with its first use. */
export function openProjectKey(state: string, project: string): ProjectKey {
  const folder = join(state, "projects", folderName(project));
  const file = join(folder, "key");
  const headFile = join(folder, "head.json");
  let loaded: LoadedKey | null | undefined;
  const key = (): LoadedKey | null => {
    if (loaded === undefined) loaded = loadKey(file);
    return loaded;
  };
  return {
    get keyId() {
      return key()?.id ?? null;
    },
    seal: (text) => {
      const known = key();
      return known && `${known.id}.${codeOf(known.secret, text)}`;
    },
    restoreFile: () => loaded != null && readKey(file) !== loaded.text && replaceFile(file, loaded.text),
    readHead: () => readHead(headFile),
    writeHead: (head) => void replaceFile(headFile, `${JSON.stringify(head)}\n`),
  };
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
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
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

function readHead(file: string): LogHead | null {
  const value = parseJson(read(file) ?? "");
  if (!isObject(value)) return null;
  const { seq, chain } = value;
  return Number.isSafeInteger(seq) && typeof chain === "string" ? { seq: Number(seq), chain } : null;
}

function read(file: string): string | null {
  try {
    const handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      return readFileSync(handle, "utf8");
    } finally {
      closeSync(handle);
    }
  } catch {
    return null;
  }
}

function replaceFile(file: string, content: string): boolean {
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, content, { flag: "wx", mode: 0o600 });
    renameSync(temporary, file);
    return true;
  } catch {
    remove(temporary);
    return false;
  }
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It was renamed, or never created.
  }
}
