import type { Agent } from "../../../../agents/port/agent.ts";
import { usualPrices } from "../../../../agents/usual-price.ts";
import { decimal, joinSafe, type SafeText, safe } from "../../../../base/safe-text.ts";
import { count } from "../../../../base/text.ts";
import type { DraftTask } from "../../../../tasks/check-list.ts";
import { safeLine, safeText } from "../../../../trust/safe-text.ts";
import type { Session } from "../../../shell/command.ts";
import { painterOf, statusMark } from "../describe-task.ts";
import { taskTree } from "../task-tree.ts";

export function renderTree(session: Session, tasks: readonly DraftTask[]): SafeText {
  const paint = painterOf(session);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const status = { open: "pending", done: "done", blocked: "blocked" } as const;
  const lines = taskTree(
    tasks.map(({ id, parentId, title, state }) => ({
      ...{ id, parentId, title, status: status[state], statusReason: null, blockCause: null, priority: 2 },
    })),
  );
  return joinSafe(
    lines.map(({ task, branch }) => {
      const waits = byId.get(task.id)?.dependsOn ?? [];
      const after = waits.length === 0 ? "" : paint("dim", safe` ← ${safeLine(waits.join(", "), 60)}`);
      const title = safeLine(task.title, 100);
      return safe`${safeText(branch)}${statusMark(paint, task.status)} ${safeText(task.id)} ${title}${after}`;
    }),
    "\n",
  );
}

/** Dollars if each open task passes at its first attempt, by the list prices of a usual session. */
interface Estimate {
  readonly tasks: number;
  readonly models: readonly { readonly model: string; readonly usd: number }[];
}

/** Counts the tasks that get an attempt: those without sub-tasks. */
export async function estimateOf(
  agent: Agent,
  tasks: readonly DraftTask[],
  at: Parameters<typeof usualPrices>[1],
): Promise<Estimate> {
  const parents = new Set(tasks.map(({ parentId }) => parentId));
  const open = tasks.filter(({ id, state }) => state === "open" && !parents.has(id)).length;
  const prices = [...(await usualPrices(agent, at))];
  return { tasks: open, models: prices.map(([model, usd]) => ({ model, usd: usd * open })) };
}

export function summaryOf(
  tasks: readonly DraftTask[],
  {
    path,
    estimate,
    costUsd,
  }: { readonly path: string; readonly estimate: Estimate; readonly costUsd: number | null },
): SafeText {
  const prices = estimate.models.map(({ model, usd }) => safe`$${decimal(usd, 2)} with ${safeLine(model)}`);
  const price = prices.length === 0 ? "" : safe`; one attempt at each: about ${joinSafe(prices, ", ")}`;
  const cost = costUsd === null ? "" : safe` The plan cost $${decimal(costUsd, 2)}.`;
  return safe`wrote ${safeText(path)}: ${count(tasks.length, "task")}${price}.${cost}`;
}
