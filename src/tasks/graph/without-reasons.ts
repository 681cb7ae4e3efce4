import type { RedactedText } from "../../base/safe-text.ts";
import { oneLine } from "../../base/text.ts";
import { columnText } from "../../trust/safe-text.ts";

/** The text in the place of a purged reason. */
const erased = "purged";

/**
 * Returns a function that replaces reasons of a run's attempts in a text, or returns undefined where it has none. A line of
 * a task's history that names another run keeps its reason: both runs can have failed alike.
 */
export function withoutReasons(
  runId: string,
  reasons: readonly string[],
): (text: string) => RedactedText | undefined {
  const texts = [...new Set(reasons.flatMap((reason) => [reason, oneLine(reason)]))]
    .filter((text) => text.trim() !== "")
    // A reason can contain a shorter one.
    .sort((a, b) => b.length - a.length);
  return (text) => {
    const run = /^[^:]*by run ([^\s:]+)/.exec(text)?.[1];
    if (run !== undefined && run !== runId) return undefined;
    const changed = texts.reduce((rest, stated) => rest.replaceAll(stated, erased), text);
    return changed === text ? undefined : columnText(changed);
  };
}
