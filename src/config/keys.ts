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

/** One setting: its dotted key, what it may hold, what it is when nobody says. */
export interface SettingKey {
  readonly key: string;
  readonly type: ValueType;
  readonly defaultValue: JsonValue;
  readonly description: string;
}

const agentNames = ["claude", "command"] as const;
/** Sections of the prompt that have a ceiling of their own. */
const sectionNames = ["stuck", "attempts", "learnings", "notes", "status"] as const;

const general: readonly SettingKey[] = [
  {
    key: "agent",
    type: oneOrMore(text, "an agent's name, or a list of names"),
    defaultValue: ["claude"],
    description: "The coding agent; in a list, the next one is used when the first is limited.",
  },
  {
    key: "model",
    type: optional(text),
    defaultValue: null,
    description: "Use this model, whatever the strategy says.",
  },
  {
    key: "verify",
    type: optional(listOrOne(verifyCommand, "a list of commands, each a text or { run: …, timeout: … }")),
    defaultValue: null,
    description:
      "Commands that must all exit 0 before a task counts as done; each may take its timeout (default 10m).",
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
    description: "signal: the agent's sigil starts verification; verified: verification alone decides.",
  },
  {
    key: "onFailure",
    type: oneOf(["keep", "rollback"]),
    defaultValue: "keep",
    description: "What becomes of a failed attempt's changes.",
  },
  {
    key: "verifyGuard",
    type: oneOf(["report", "strict"]),
    defaultValue: "report",
    description: "Whether changing what defines verification is only shown, or fails the attempt.",
  },
  {
    key: "sandbox",
    type: oneOf(["auto", "off", "required"]),
    defaultValue: "auto",
    description: "Whether agents run in a process namespace of their own.",
  },
  {
    key: "store",
    type: filePath,
    defaultValue: defaultStore,
    description: "The database of tasks and memory, relative to the project.",
  },
  { key: "commit.template", type: optional(text), defaultValue: null, description: "The commit message." },
  {
    key: "commit.enabled",
    type: flag,
    defaultValue: true,
    description: "Whether a finished task is committed.",
  },
];

const tools: readonly SettingKey[] = [
  {
    key: "mcp.enabled",
    type: flag,
    defaultValue: true,
    description: "Whether agents that can are given ralph's own tools (ralph mcp) for an iteration.",
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
    description: "Failures in a row that mean stuck.",
  },
  { key: "limits.budgetUsd", type: optional(amount), defaultValue: null, description: "US dollars per run." },
  { key: "limits.maxDuration", type: optional(duration), defaultValue: null, description: "Time per run." },
  {
    key: "limits.taskTimeout",
    type: duration,
    defaultValue: "30m",
    description: "Time for one attempt: the agent and its verification together.",
  },
  {
    key: "limits.idleTimeout",
    type: duration,
    defaultValue: "10m",
    description: "Silence after which an agent is ended.",
  },
];

const memory: readonly SettingKey[] = [
  { key: "memory.enabled", type: flag, defaultValue: true, description: "Whether memory goes into prompts." },
  {
    key: "memory.budgetChars",
    type: wholeNumber,
    defaultValue: 5000,
    description: "Characters of memory in a prompt.",
  },
  ...(
    [
      ["memory.maxLearnings", wholeNumber, 5, "Learnings in a prompt."],
      ["memory.holdout", share, 0, "Share of iterations without learnings, to measure them."],
      ["memory.summarizeAbove", wholeNumber, 200, "Active learnings above which they are merged."],
      ["memory.prune.reports", duration, "7d", "Age of failure reports of finished tasks that are archived."],
      ["memory.prune.metrics", duration, "30d", "Age of metrics that are archived."],
      ["memory.prune.learnings", duration, "90d", "Age of learnings that may be pruned."],
      ["memory.prune.unused", duration, "30d", "Time without use after which they are."],
    ] as const
  ).map(([key, type, defaultValue, description]): SettingKey => ({ key, type, defaultValue, description })),
  {
    key: "memory.embeddings",
    type: optional(embeddings),
    defaultValue: null,
    description:
      "An OpenAI-compatible endpoint that ranks learnings by meaning too; tasks and learnings are sent there.",
  },
  ...sectionNames.map((name): SettingKey => {
    const description = `Ceiling in characters of the section ${name}; null: the built-in one.`;
    return { key: `memory.sections.${name}`, type: optional(wholeNumber), defaultValue: null, description };
  }),
];

const events: readonly SettingKey[] = [
  {
    key: "events.dir",
    type: optional(text),
    defaultValue: null,
    description: "A folder for one file per event of a run, kept 24 hours.",
  },
  {
    key: "events.hooks",
    type: listOrOne(eventHook, "a list of hooks"),
    defaultValue: [],
    description: "Programs and addresses that a run's events go to.",
  },
];

const extraction: readonly SettingKey[] = [
  {
    key: "learnings.extract",
    type: oneOf(["off", "failures", "all"]),
    defaultValue: "off",
    description: "After which attempts a model is asked what the session taught; it costs money.",
  },
  {
    key: "learnings.extractModel",
    type: optional(text),
    defaultValue: null,
    description: "The model that is asked; null: the agent's cheapest.",
  },
  {
    key: "learnings.extractBudgetUsd",
    type: amount,
    defaultValue: 0.5,
    description: "US dollars for that per run.",
  },
];

const agents: readonly SettingKey[] = agentNames.flatMap((name) =>
  (
    [
      ["model", optional(text), null, "The model when the strategy has no say."],
      ["tiers", optional(texts), null, "Cheap, middle and strong model."],
      [
        "permission",
        optional(oneOf(["plan", "ask", "edit", "shell", "bypass"])),
        null,
        "What it may do without asking: plan (read), ask (what its own settings allow), edit (files and the verify commands), shell (any command too), bypass (everything).",
      ],
      ["extraArgs", programArguments, [], "Arguments added to ralph's own."],
      ["program", optional(text), null, "The program to run in place of the agent's own name."],
      [
        "argv",
        optional(programCall("a list of texts")),
        null,
        "Agent `command`: the program and its arguments.",
      ],
      [
        "format",
        oneOf(["text", "claude-stream-json", "codex-json"]),
        "text",
        "Agent `command`: what its stdout is.",
      ],
    ] as const
  ).map(([field, type, defaultValue, description]) => ({
    key: `agents.${name}.${field}`,
    type,
    defaultValue,
    description,
  })),
);

/** Every setting there is. The JSON Schema, the checks, the defaults and `ralph config show` come from this table. */
export const settingKeys: readonly SettingKey[] = [
  ...general,
  ...limits,
  ...memory,
  ...agents,
  ...tools,
  ...events,
  ...extraction,
];
