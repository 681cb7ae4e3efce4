import { startTheSame } from "../config/starting-values.ts";
import { isTooLarge } from "../config-files.ts";
import { isUnchanged, keptBytes, kindOf, snapshotFile } from "../remembered.ts";
import type { GuardedEntry } from "./restore-entries.ts";

/** Returns true for an unchanged entry, and for a configuration of git that starts the same programs as before. */
export function isEquallySafe({ path, was, isConfig }: GuardedEntry): boolean {
  if (isUnchanged(path, was)) return true;
  if (!isConfig || was.kind !== "file" || kindOf(path) !== "file") return false;
  const now = snapshotFile(path);
  if (now.kind !== "file" || now.mode !== was.mode || isTooLarge(keptBytes(now))) return false;
  const text = (base64: string): string => Buffer.from(base64, "base64").toString("utf8");
  return startTheSame(text(now.base64), text(was.base64));
}
