import { type SafeText, safe } from "../../../base/safe-text.ts";
import { count, wrapLine } from "../../../base/text.ts";
import type { HivemindStatus } from "../../../memory/hivemind-actions.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { healthText } from "../../project/health-lines.ts";

/**
 * Describes the memory that projects share: what it holds, why it is missing, and its last success and error. Empty while
 * nobody has used it. Wraps to `width`, because the longest label is not recognized by its spaces.
 */
export function hivemindLines(status: HivemindStatus, width: number): readonly SafeText[] {
  return linesOf(status).flatMap((line) => wrapLine(line, width, "hivemind ".length));
}

function linesOf(status: HivemindStatus): readonly SafeText[] {
  const { records, projects, problem, pending } = status;
  const waiting = pending > 0 ? safe`, ${count(pending, "record")} waiting` : "";
  const health = healthText(status);
  return [
    ...(problem !== null ? [safe`hivemind ${storedText(problem)}${waiting}`] : []),
    ...(problem === null && records === null
      ? [safe`hivemind kept by ${storedText(status.store)}${waiting}`]
      : []),
    ...(problem === null && records !== null && ((records ?? 0) > 0 || pending > 0)
      ? [safe`hivemind ${count(records ?? 0, "record")} of ${count(projects ?? 0, "project")}${waiting}`]
      : []),
    ...(health === "" ? [] : [safe`hivemind ${health}`]),
  ];
}
