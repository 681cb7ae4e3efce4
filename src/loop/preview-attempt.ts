import type { Agent, AgentCommand } from "../agents/port/agent.ts";
import { planAttempt } from "../strategy/plan-attempt.ts";
import type { Task } from "../tasks/graph/task.ts";
import { agentRequest } from "./iteration/agent-request.ts";
import { type PromptSource, preparePrompt } from "./iteration/prepare-prompt.ts";
import type { AttemptPrompt, Plan } from "./rows/iteration.ts";
import type { LoopSetup, RunOptions } from "./rows/loop.ts";

interface PreviewSource extends PromptSource {
  readonly options: PromptSource["options"] &
    Pick<RunOptions, "limits" | "strategy" | "flagModel" | "usualUsd" | "taskValueUsd">;
}

interface Preview extends Plan, AttemptPrompt {
  readonly runId: string;
  readonly task: Task;
}

/** Returns agent, model and prompt of the task's next attempt, as iteration `number`. Changes nothing. */
export async function previewAttempt(
  source: PreviewSource,
  { task, agent, number }: { readonly task: Task; readonly agent: Agent; readonly number: number },
): Promise<Preview> {
  const available = () => ({ choice: { agent, tiers: agent.tiers }, insteadOf: null, wait: null }) as const;
  const planned = await planAttempt<Agent, never>(source.db, {
    ...source.options,
    ...{ task, available },
    iteration: number,
  });
  if (!("plan" in planned)) return planned.wait;
  const { plan } = planned;
  const prompt = await preparePrompt(source, { task, plan, number, seed: "preview" });
  return { runId: source.runId, task, ...plan, ...prompt };
}

type CommandSource = Pick<LoopSetup, "root" | "isolation" | "sandbox" | "options">;

/** Returns the command that the agent would be started with, its temporary folder being `tmpDir`. */
export function plannedCommand(loop: CommandSource, attempt: Preview, tmpDir: string): AgentCommand {
  const request = { ...attempt, taskId: attempt.task.id };
  return attempt.agent.command(agentRequest(loop, request, { marker: attempt.runId, tmpDir, logFile: "" }));
}
