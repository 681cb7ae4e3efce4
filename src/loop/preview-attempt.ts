import type { Agent, AgentCommand } from "../agents/port/agent.ts";
import type { Task } from "../tasks/graph/task.ts";
import { agentRequest } from "./iteration/agent-request.ts";
import { type IterationPlan, type PlanSource, planIteration } from "./iteration/plan-iteration.ts";
import type { LoopSetup } from "./rows/loop.ts";

/** Returns the plan of the task's next attempt as iteration `number`, with its prompt. Changes nothing. */
export async function previewAttempt(
  source: PlanSource,
  attempt: { readonly task: Task; readonly agent: Agent; readonly number: number },
): Promise<IterationPlan> {
  return planIteration(source, { ...attempt, seed: "preview" });
}

type CommandSource = Pick<LoopSetup, "root" | "isolation" | "sandbox" | "options">;

/** Returns the command that the plan's agent would be started with, its temporary folder being `tmpDir`. */
export function plannedCommand(loop: CommandSource, plan: IterationPlan, tmpDir: string): AgentCommand {
  return plan.agent.command(agentRequest(loop, plan, { marker: plan.runId, tmpDir, logFile: "" }));
}
