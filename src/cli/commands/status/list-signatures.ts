import { resolve } from "node:path";
import { lookThrough } from "../../../base/careful-files.ts";
import { isObject, type JsonValue } from "../../../base/json.ts";

/** The size and times of each list by its path, which a changed file no longer has; null for a missing file. */
export type ListSignatures = Readonly<Record<string, string | null>>;

/** Reads the signatures of imported lists. Comparing them costs one system call for each list. */
export function listSignatures(root: string, paths: readonly string[]): ListSignatures {
  return Object.fromEntries(paths.map((path) => [path, signatureOf(resolve(root, path))]));
}

function signatureOf(path: string): string | null {
  const found = lookThrough(path);
  return found ? `${found.size} ${found.mtimeMs} ${found.ctimeMs}` : null;
}

export function isSignatures(value: JsonValue | undefined): value is Record<string, string | null> {
  return isObject(value) && Object.values(value).every((text) => text === null || typeof text === "string");
}

export function sameSignatures(a: ListSignatures, b: ListSignatures): boolean {
  const paths = Object.keys(a);
  return paths.length === Object.keys(b).length && paths.every((path) => a[path] === b[path]);
}
