import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAgent } from "../../agents/agents.ts";
import type { Agent, AgentRequest, AgentResult, AgentSetup } from "../../agents/port/agent.ts";
import { pricedAgent, type UnpricedSession } from "../../agents/priced-agent.ts";
import { usualPrices } from "../../agents/usual-price.ts";
import { makeFolders } from "../../base/careful-files.ts";
import { RalphError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { childEnvironment } from "../../config/environment.ts";
import type { Settings } from "../../config/settings.ts";
import type { PlanSettings } from "../../strategy/plan-attempt.ts";
import { priceKey } from "../../strategy/plan-by-price.ts";

type DefaultPermission = AgentSetup["defaultPermission"];

interface AgentChoice {
  readonly defaultPermission?: DefaultPermission;
  /** Receives the sessions whose cost is unknown. */
  readonly onUnpriced?: (session: UnpricedSession) => void;
}

/** Returns the agents that the settings name, in their order. Throws `RALPH_AGENT_*`. */
export function chooseAgents(settings: Settings, choice: AgentChoice = {}): readonly [Agent, ...Agent[]] {
  const [first, ...rest] = settings.agent.map((name) => configuredAgent(settings, name, choice));
  if (!first) {
    throw new RalphError("RALPH_AGENT_UNKNOWN", "no agent is configured", {
      hint: "run `ralph run --agent claude`",
    });
  }
  return [first, ...rest];
}

/** Returns the agent called `name`, configured by its settings. Throws `RALPH_AGENT_*`. */
export function configuredAgent(
  settings: Settings,
  name: string,
  { defaultPermission = "edit", onUnpriced }: AgentChoice = {},
): Agent {
  const tools = settings.mcp.enabled ? ownServer(settings, name) : null;
  const setup = { tools, readOnly: false, env: childEnvironment(), defaultPermission };
  const agent = createAgent(name, settings.agents, setup);
  return pricedAgent(agent, settings.prices, onUnpriced);
}

/**
 * Returns the agent called `name`, read-only and without ralph's tools: for sessions that only answer untrusted text.
 * `mayRead`: it reads the files of its folder.
 */
export function readOnlyAgent(
  settings: Settings,
  name: string,
  { mayRead = false }: Pick<AgentSetup, "mayRead"> = {},
): Agent {
  const agent = createAgent(name, settings.agents, {
    ...{ tools: null, readOnly: true, env: childEnvironment(), defaultPermission: "edit" as const, mayRead },
  });
  return pricedAgent(agent, settings.prices);
}

/** Returns the command of `ralph mcp` for the agent called `name`, run by this installation. */
function ownServer({ memory }: Settings, name: string): readonly [string, ...string[]] {
  // Relative to dist/, where the bundle runs, not to this file.
  const program = fileURLToPath(new URL("../bin/ralph.js", import.meta.url));
  return [process.execPath, program, "mcp", "--agent", name, ...(memory.enabled ? [] : ["--no-memory"])];
}

interface Question
  extends Pick<AgentRequest, "prompt" | "model" | "signal" | "isolation" | "sandbox" | "taskId"> {
  readonly root: string;
  /** Where the agent works; absent: an empty folder. */
  readonly cwd?: string;
  readonly timeoutMs: number;
  readonly idleTimeoutMs?: number | null;
}

/** Runs one session outside of a run, in a temporary folder that is removed, without ralph's tools. */
export async function askAgent(agent: Agent, { root, cwd, ...question }: Question): Promise<AgentResult> {
  const marker = newId(question.taskId, 5);
  const tmpDir = join(root, ".ralph", "tmp", marker);
  makeFolders(tmpDir);
  try {
    return await agent.run({
      ...{ runId: marker, attempt: 1, iteration: 1, marker, tmpDir, logFile: join(tmpDir, "session.log") },
      ...{ cwd: cwd ?? tmpDir, allowedCommands: [], journal: null, service: null },
      idleTimeoutMs: question.timeoutMs,
      onActivity: () => undefined,
      ...question,
    });
  } finally {
    await rm(tmpDir, { recursive: true, force: true });
  }
}

type Chosen = Pick<PlanSettings, "strategy" | "flagModel" | "usualUsd" | "taskValueUsd">;

/** Returns the strategy in force: `adaptive` becomes `escalate` where no agent has two models with known prices (STRAT-2). */
export async function strategyOf(settings: Settings, agents: readonly Agent[], now: Date): Promise<Chosen> {
  const { strategy, taskValueUsd, model: flagModel } = settings;
  const usualUsd = new Map<string, number>();
  const none = { strategy, flagModel, taskValueUsd, usualUsd };
  if (strategy !== "adaptive" || flagModel !== null) return none;
  let known = 0;
  for (const agent of agents) {
    const prices = await usualPrices(agent, { now, own: settings.prices });
    for (const [tier, usd] of prices) usualUsd.set(priceKey(agent.name, tier), usd);
    known = Math.max(known, prices.size);
  }
  return known < 2 ? { ...none, strategy: "escalate" } : none;
}
