import { strategyNames } from "../../config/settings.ts";
import type { OptionSpec, OptionValue } from "../shell/command.ts";

/** The flags of `ralph run` (LOOP-19). */
export const runFlags: readonly OptionSpec[] = [
  {
    flags: "--agent <name>",
    description: "agent to use; a comma-separated list falls back from left to right",
  },
  { flags: "--model <name>", description: "use this model, whatever the strategy says" },
  {
    flags: "--strategy <name>",
    description: "fixed, cost-optimized, escalate or plan-then-execute",
    choices: strategyNames,
  },
  { flags: "--spec <file>", description: "its text is the prompt's context, its checklist the tasks" },
  { flags: "--change <name>", description: "work on openspec/changes/<name>/tasks.md" },
  { flags: "--name <session>", description: "name this run in ralph log" },
  { flags: "--once", description: "one iteration" },
  { flags: "--max-iterations <n>", description: "stop after n iterations (0: no limit)" },
  { flags: "--max-attempts <n>", description: "attempts per task before a person is needed (0: no limit)" },
  { flags: "--budget-usd <amount>", description: "stop when this much is spent" },
  { flags: "--max-duration <time>", description: "stop after this time, such as 8h" },
  { flags: "--task-timeout <time>", description: "end an attempt, verification included, after this time" },
  { flags: "--idle-timeout <time>", description: "end an agent that is silent for this time" },
  { flags: "--no-memory", description: "put no memory into prompts (it is still recorded)" },
  { flags: "--holdout <p>", description: "leave learnings out of this share of iterations, to measure them" },
  { flags: "--branch <name>", description: "work on a new branch" },
  {
    flags: "--allow-dirty",
    description: "run although tracked files have uncommitted changes; ralph leaves those alone",
  },
  {
    flags: "--ignore-limits",
    description: "call agents at once that an earlier run left as limited until later",
  },
  { flags: "--dry-run", description: "print the exact prompt and command for the next task; run nothing" },
  { flags: "--yes", description: "ask nothing (it approves nothing either)" },
];

/** Flag (camel case) → the setting that it overrides. */
const settings: Readonly<Record<string, string>> = {
  agent: "agent",
  model: "model",
  strategy: "strategy",
  maxIterations: "limits.maxIterations",
  maxAttempts: "limits.maxAttempts",
  budgetUsd: "limits.budgetUsd",
  maxDuration: "limits.maxDuration",
  taskTimeout: "limits.taskTimeout",
  idleTimeout: "limits.idleTimeout",
  holdout: "memory.holdout",
};

/** The settings that these options override, as typed. */
export function settingFlags(
  options: Readonly<Record<string, OptionValue>>,
): Readonly<Record<string, string>> {
  const flags: Record<string, string> = {};
  for (const [option, key] of Object.entries(settings)) {
    const value = options[option];
    if (typeof value === "string") flags[key] = value;
  }
  if (options["memory"] === false) flags["memory.enabled"] = "false";
  if (options["once"] === true) flags["limits.maxIterations"] = "1";
  return flags;
}
