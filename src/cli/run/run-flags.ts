import { strategyNames } from "../../config/settings.ts";
import type { OptionSpec, OptionValue } from "../shell/command.ts";

const flags: readonly OptionSpec[] = [
  { flags: "--agent <name>", description: "agent, or a comma-separated list in order of preference" },
  { flags: "--model <name>", description: "use this model instead of the strategy's choice" },
  { flags: "--strategy <name>", description: "how to choose the model", choices: strategyNames },
  { flags: "--spec <file>", description: "put this file into prompts and import its checklist" },
  {
    flags: "--change <name>",
    description: "import openspec/changes/<name>/tasks.md (other tasks run too); all use its journal",
  },
  { flags: "--name <session>", description: "session of notes, and the name in `ralph log`" },
  { flags: "--once", description: "run one iteration" },
  { flags: "--max-iterations <n>", description: "stop after n iterations (0: no limit)" },
  { flags: "--max-attempts <n>", description: "block a task after n failed attempts (0: no limit)" },
  { flags: "--budget-usd <amount>", description: "stop when the run has cost this much" },
  { flags: "--max-duration <time>", description: "stop after this time, such as 8h" },
  { flags: "--task-timeout <time>", description: "time limit of an attempt, including its verification" },
  { flags: "--idle-timeout <time>", description: "stop an agent without output for this time" },
  { flags: "--no-memory", description: "leave memory out of prompts (it is still recorded)" },
  { flags: "--no-skills", description: "leave skills out of prompts" },
  {
    flags: "--holdout <p>",
    description: "share of iterations without learnings and skills, to measure them",
  },
  { flags: "--workers <n>", description: "work on n tasks at once, each in a work tree of its own" },
  { flags: "--worktree", description: "work in a work tree, so that you can keep working in the folder" },
  { flags: "--branch <name>", description: "create this branch and work on it" },
  { flags: "--pr", description: "work on a branch, push it at the end and open a pull request" },
  { flags: "--allow-dirty", description: "run despite uncommitted changes, which stay uncommitted" },
  { flags: "--allow-red", description: "attempt tasks although the verification fails before them" },
  { flags: "--ignore-limits", description: "retry an agent marked as rate-limited by an earlier run" },
  { flags: "--watch", description: "show the run on the whole terminal, as `ralph watch` does" },
  { flags: "--dry-run", description: "print the next task's prompt and command; run nothing" },
  { flags: "--yes", description: "never ask (does not approve anything)" },
];

/** The flags of `ralph run` (LOOP-19). A blank value, such as that of an unset variable, would silently mean "no limit". */
export const runFlags: readonly OptionSpec[] = flags.map((flag) => {
  const [name, value] = flag.flags.split(" ");
  return value === undefined ? flag : { ...flag, whenBlank: `give a value, or leave out ${name}` };
});

const settings: Readonly<Record<string, string>> = {
  agent: "agent",
  model: "model",
  change: "journal.change",
  strategy: "strategy",
  maxIterations: "limits.maxIterations",
  maxAttempts: "limits.maxAttempts",
  budgetUsd: "limits.budgetUsd",
  maxDuration: "limits.maxDuration",
  taskTimeout: "limits.taskTimeout",
  idleTimeout: "limits.idleTimeout",
  holdout: "memory.holdout",
  workers: "workers.count",
};

/** Returns the settings that these options override, as text. */
export function settingFlags(
  options: Readonly<Record<string, OptionValue>>,
): Readonly<Record<string, string>> {
  const overridden: Record<string, string> = {};
  for (const [option, key] of Object.entries(settings)) {
    const value = options[option];
    if (typeof value === "string") overridden[key] = value;
  }
  if (options["memory"] === false) overridden["memory.enabled"] = "false";
  if (options["skills"] === false) overridden["skills.enabled"] = "false";
  if (options["once"] === true) overridden["limits.maxIterations"] = "1";
  return overridden;
}
