import { type SafeText, safe } from "../../../base/safe-text.ts";
import type { Task } from "../../../tasks/graph/task.ts";
import { storedText } from "../../../trust/stored-text.ts";
import type { Project, Session } from "../../shell/command.ts";
import { needsApproval, projectApprovals } from "../../trust/approval.ts";

/** Returns the next command for a person whose run would refuse this task's own verification; undefined: it would not, or an agent asks. */
export async function approvalStep(
  { iteration }: Session,
  { root }: Pick<Project, "root">,
  task: Task,
): Promise<SafeText | undefined> {
  if (task.verification.length === 0 || iteration !== null) return undefined;
  if (!needsApproval(task, projectApprovals(root))) return undefined;
  return safe`run \`ralph trust approve\`: the verification of ${storedText(task.id)} is executed only after you approved it`;
}
