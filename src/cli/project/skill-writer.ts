import type { Confinement } from "../../agents/port/confinement.ts";
import type { Settings } from "../../config/settings.ts";
import type { Synthesize } from "../../memory/port/memory-kind.ts";
import { askAgent, readOnlyAgent } from "./choose-agents.ts";

/** Maximum cost per process. */
const maxUsd = 0.5;
/** Maximum number of sessions per process that report no cost. */
const maxUnpriced = 5;
const timeoutMs = 180_000;

/**
 * Returns what asks the configured agent's cheapest model to rewrite a skill (SKILL-2), within its budget;
 * null: the template's words stand. The session runs in an empty folder, without ralph's tools and with the least
 * permission that the agent has. The agent must be approved.
 */
export function skillWriter(
  settings: Settings,
  { root, isolation, sandbox }: Confinement & { readonly root: string },
): Synthesize | null {
  const [name] = settings.agent;
  const { writer } = settings.skills;
  if (writer === "template" || name === undefined) return null;
  const agent = readOnlyAgent(settings, name);
  const spent = { usd: 0, unpriced: 0 };
  return async (prompt, signal) => {
    if (signal.aborted || spent.usd >= maxUsd || spent.unpriced >= maxUnpriced) return null;
    const model = agent.tiers[0];
    const question = { root, taskId: "skills", model, prompt, signal, isolation, sandbox, timeoutMs };
    const result = await askAgent(agent, question);
    if (result.costUsd === null) spent.unpriced += 1;
    else spent.usd += result.costUsd;
    if (result.error) throw new Error(result.error.message);
    return result.finalMessage;
  };
}
