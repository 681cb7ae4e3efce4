import { isTooLarge } from "../config-files.ts";
import { isUnchanged, keptBytes, kindOf, snapshotFile } from "../remembered.ts";
import type { GuardedEntry } from "../restore/restore-entries.ts";
import { startTheSame } from "./starting-values.ts";

/** Returns true for a file of git that is as it was, or a configuration by which git starts the same programs. */
export function isEquallySafe({ path, was, isConfig }: GuardedEntry): boolean {
  if (isUnchanged(path, was)) return true;
  if (!isConfig || was.kind !== "file" || kindOf(path) !== "file") return false;
  const now = snapshotFile(path);
  if (now.kind !== "file" || now.mode !== was.mode || isTooLarge(keptBytes(now))) return false;
  const text = (base64: string): string => Buffer.from(base64, "base64").toString("utf8");
  return startTheSame(text(now.base64), text(was.base64));
}
