import type { JsonValue } from "../base/json.ts";
import { defaultStore } from "./default-store.ts";
import { embeddings } from "./embeddings.ts";
import { eventHook } from "./event-hook.ts";
import {
  amount,
  duration,
  filePath,
  flag,
  listOrOne,
  oneOf,
  oneOrMore,
  optional,
  programArguments,
  programCall,
  share,
  text,
  texts,
  type ValueType,
  verifyCommand,
  wholeNumber,
} from "./load/value-type.ts";
import { strategyNames } from "./settings.ts";

/** One setting: its dotted key, type, default and description. */
export interface SettingKey {
  readonly key: string;
  readonly type: ValueType;
  readonly defaultValue: JsonValue;
  readonly description: string;
}

const agentNames = ["claude", "command"] as const;
/** Sections of the prompt with their own size limit. */
const sectionNames = ["stuck", "attempts", "learnings", "notes", "status"] as const;

const general: readonly SettingKey[] = [
  {
    key: "agent",
    type: oneOrMore(text, "an agent's name, or a list of names"),
    defaultValue: ["claude"],
    description: "Coding agent, or a list: the next one is used while the first is rate-limited.",
  },
  {
    key: "model",
    type: optional(text),
    defaultValue: null,
    description: "Model to use instead of the strategy's choice.",
  },
  {
    key: "verify",
    type: optional(listOrOne(verifyCommand, "a list of commands, each a string or { run: …, timeout: … }")),
    defaultValue: null,
    description:
      "Commands that must all exit 0 before a task counts as done; each has a timeout (default 10m).",
  },
  {
    key: "strategy",
    type: oneOf(strategyNames),
    defaultValue: "cost-optimized",
    description: "How the model is chosen.",
  },
  {
    key: "completion",
    type: oneOf(["signal", "verified"]),
    defaultValue: "signal",
    description: "signal: verify when the agent claims to be done; verified: verify every attempt.",
  },
  {
    key: "onFailure",
    type: oneOf(["keep", "rollback"]),
    defaultValue: "keep",
    description: "What to do with a failed attempt's changes.",
  },
  {
    key: "verifyGuard",
    type: oneOf(["report", "strict"]),
    defaultValue: "report",
    description: "Report changes to what defines verification, or fail the attempt.",
  },
  {
    key: "sandbox",
    type: oneOf(["auto", "off", "required"]),
    defaultValue: "auto",
    description: "Run agents in their own process namespace.",
  },
  {
    key: "store",
    type: filePath,
    defaultValue: defaultStore,
    description: "Database of tasks and memory, relative to the project.",
  },
  {
    key: "commit.template",
    type: optional(text),
    defaultValue: null,
    description: "Template of commit messages.",
  },
  {
    key: "commit.enabled",
    type: flag,
    defaultValue: true,
    description: "Commit finished tasks.",
  },
];

const tools: readonly SettingKey[] = [
  {
    key: "mcp.enabled",
    type: flag,
    defaultValue: true,
    description: "Attach ralph's own tools (ralph mcp) to agents that support them.",
  },
];

const limits: readonly SettingKey[] = [
  {
    key: "limits.maxIterations",
    type: wholeNumber,
    defaultValue: 0,
    description: "Iterations per run; 0: no limit.",
  },
  {
    key: "limits.maxAttempts",
    type: wholeNumber,
    defaultValue: 5,
    description: "Attempts per task; 0: no limit.",
  },
  {
    key: "limits.stuckAfter",
    type: wholeNumber,
    defaultValue: 3,
    description: "Consecutive failures after which a task is stuck.",
  },
  {
    key: "limits.budgetUsd",
    type: optional(amount),
    defaultValue: null,
    description: "Maximum cost of a run in US dollars.",
  },
  {
    key: "limits.maxDuration",
    type: optional(duration),
    defaultValue: null,
    description: "Time limit of a run.",
  },
  {
    key: "limits.taskTimeout",
    type: duration,
    defaultValue: "30m",
    description: "Time limit of an attempt, including its verification.",
  },
  {
    key: "limits.idleTimeout",
    type: duration,
    defaultValue: "10m",
    description: "Time without output after which an agent is stopped.",
  },
];

const memory: readonly SettingKey[] = [
  { key: "memory.enabled", type: flag, defaultValue: true, description: "Put memory into prompts." },
  {
    key: "memory.budgetChars",
    type: wholeNumber,
    defaultValue: 5000,
    description: "Maximum characters of memory in a prompt.",
  },
  ...(
    [
      ["memory.maxLearnings", wholeNumber, 5, "Maximum learnings in a prompt."],
      ["memory.holdout", share, 0, "Share of iterations without learnings, to measure them."],
      [
        "memory.summarizeAbove",
        wholeNumber,
        200,
        "Merge similar learnings above this number of active ones.",
      ],
      [
        "memory.prune.reports",
        duration,
        "7d",
        "Age at which failure reports of finished tasks are archived.",
      ],
      ["memory.prune.metrics", duration, "30d", "Age at which metrics are archived."],
      ["memory.prune.learnings", duration, "90d", "Minimum age of learnings that are pruned."],
      ["memory.prune.unused", duration, "30d", "Time without use after which old learnings are pruned."],
    ] as const
  ).map(([key, type, defaultValue, description]): SettingKey => ({ key, type, defaultValue, description })),
  {
    key: "memory.embeddings",
    type: optional(embeddings),
    defaultValue: null,
    description:
      "OpenAI-compatible endpoint that also ranks learnings by meaning; receives tasks and learnings.",
  },
  ...sectionNames.map((name): SettingKey => {
    const description = `Maximum characters of the section ${name}; null: the built-in limit.`;
    return { key: `memory.sections.${name}`, type: optional(wholeNumber), defaultValue: null, description };
  }),
];

const events: readonly SettingKey[] = [
  {
    key: "events.dir",
    type: optional(text),
    defaultValue: null,
    description: "Folder with one file per event of a run, kept for 24 hours.",
  },
  {
    key: "events.hooks",
    type: listOrOne(eventHook, "a list of hooks"),
    defaultValue: [],
    description: "Programs and URLs that receive a run's events.",
  },
];

const extraction: readonly SettingKey[] = [
  {
    key: "learnings.extract",
    type: oneOf(["off", "failures", "all"]),
    defaultValue: "off",
    description: "Attempts after which a model extracts learnings; costs money.",
  },
  {
    key: "learnings.extractModel",
    type: optional(text),
    defaultValue: null,
    description: "Model that extracts learnings; null: the agent's cheapest.",
  },
  {
    key: "learnings.extractBudgetUsd",
    type: amount,
    defaultValue: 0.5,
    description: "Maximum cost of extraction per run in US dollars.",
  },
];

const agents: readonly SettingKey[] = agentNames.flatMap((name) =>
  (
    [
      ["model", optional(text), null, "Model of the strategy `fixed`."],
      ["tiers", optional(texts), null, "Cheap, medium and strong model."],
      [
        "permission",
        optional(oneOf(["plan", "ask", "edit", "shell", "bypass"])),
        null,
        "What the agent may do without asking: plan (read), ask (what its own settings allow), edit (files and the verify commands), shell (also any command), bypass (everything).",
      ],
      ["extraArgs", programArguments, [], "Arguments to add to ralph's own."],
      ["program", optional(text), null, "Program to run instead of the agent's own name."],
      ["argv", optional(programCall("a list of strings")), null, "Agent `command`: program and arguments."],
      [
        "format",
        oneOf(["text", "claude-stream-json", "codex-json"]),
        "text",
        "Agent `command`: format of its stdout.",
      ],
    ] as const
  ).map(([field, type, defaultValue, description]) => ({
    key: `agents.${name}.${field}`,
    type,
    defaultValue,
    description,
  })),
);

/** All settings. The JSON Schema, the checks, the defaults and `ralph config show` are made from this table. */
export const settingKeys: readonly SettingKey[] = [
  ...general,
  ...limits,
  ...memory,
  ...agents,
  ...tools,
  ...events,
  ...extraction,
];
