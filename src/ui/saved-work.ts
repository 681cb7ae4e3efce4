import { type SafeText, safe } from "../base/safe-text.ts";
import { clip, count, nameSome } from "../base/text.ts";
import type { SavedWork } from "../events/run-summary.ts";
import { storedLine, storedText } from "../trust/stored-text.ts";

/** Names what left the tree, and the command that brings it back. Nobody knows whether the agent or a person made it. */
export function savedLines({ taskId, ref, files, paths }: SavedWork): readonly [SafeText, SafeText] {
  const others = Array.from({ length: files - paths.length }, () => "");
  const names = clip(storedText(nameSome([...paths, ...others])), 120);
  return [
    safe`${storedLine(taskId, 40)}: ${count(files, "file")} changed during the session left the tree: ${names}`,
    safe`to bring back: git cherry-pick -n -m1 ${storedLine(ref, 200)}`,
  ];
}
