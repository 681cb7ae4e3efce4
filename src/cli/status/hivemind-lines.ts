import { type SafeText, safe } from "../../base/safe-text.ts";
import { count } from "../../base/text.ts";
import type { HivemindStatus } from "../../memory/hivemind-actions.ts";
import { storedText } from "../../trust/stored-text.ts";

/** Describes the memory that projects share: what it holds, and why it is missing. Empty while nobody has used it. */
export function hivemindLines(status: HivemindStatus): readonly SafeText[] {
  const { records, projects, problem, pending, error, failedAt, succeededAt, skippedUntil } = status;
  const waiting = pending > 0 ? safe`, ${count(pending, "record")} waiting` : "";
  const failedLast = error !== null && failedAt !== null && failedAt > (succeededAt ?? "");
  const until = skippedUntil === null ? "" : safe`, skipped until ${time(skippedUntil)}`;
  return [
    ...(problem !== null ? [safe`hivemind ${storedText(problem)}${waiting}`] : []),
    ...(problem === null && ((records ?? 0) > 0 || pending > 0)
      ? [safe`hivemind ${count(records ?? 0, "record")} of ${count(projects ?? 0, "project")}${waiting}`]
      : []),
    ...(failedLast ? [safe`hivemind last call failed ${time(failedAt)}: ${storedText(error)}${until}`] : []),
  ];
}

function time(iso: string): SafeText {
  return storedText(`${iso.slice(0, 16).replace("T", " ")} UTC`);
}
