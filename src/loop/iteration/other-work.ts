import { nameSome } from "../../base/text.ts";
import type { WorkDone } from "../../outcome/outcome.ts";

interface ComparedWork {
  readonly before: WorkDone;
  /** With what verification changed of other tracked files. */
  readonly after: WorkDone;
  /** The files of the work, or HEAD, that verification changed; null: not compared. */
  readonly rewritten: readonly string[] | null;
}

/** Returns a warning where the finished work is not what verification read; null if it is. */
export function otherWork({ before, after, rewritten }: ComparedWork): string | null {
  if (rewritten === null) return null;
  const known = new Set(before.files);
  const added = after.files.filter((path) => !known.has(path));
  const changed = [...new Set([...rewritten, ...added])];
  return changed.length === 0
    ? null
    : `${nameSome(changed)} changed during verification: the finished work is not what the first command read`;
}
