import type { JsonValue } from "../base/json.ts";
import { type AgentSettings, permissions, streamFormats } from "../base/shared-settings.ts";
import { eventHooks } from "./event-hook.ts";
import { defaultStore } from "./find-project.ts";
import { modelPrices, sandbox, verifyCommands } from "./mapping-types.ts";
import { sectionNames, strategyNames } from "./settings.ts";
import {
  amount,
  duration,
  filePath,
  flag,
  folder,
  listOrOne,
  oneOf,
  oneOrMore,
  optional,
  ownFolder,
  programArguments,
  programCall,
  record,
  remoteName,
  share,
  text,
  texts,
  type ValueType,
  wholeNumber,
} from "./value-type.ts";

/** One setting: its dotted key, type, default and description. */
export interface SettingKey {
  readonly key: string;
  readonly type: ValueType;
  readonly defaultValue: JsonValue;
  /** One line, for `ralph config show`, editors and the configuration reference. */
  readonly description: string;
}

type Setting = readonly [type: ValueType, defaultValue: JsonValue, description: string];
type Group = Readonly<Record<string, Setting>>;

const general: Group = {
  agent: [
    oneOrMore(text, "an agent's name, or a list of names"),
    ["claude"],
    "Coding agent, or a list: the next one is used while the first is rate-limited.",
  ],
  model: [optional(text), null, "Model to use instead of the strategy's choice."],
  verify: [
    optional(verifyCommands),
    null,
    "Commands that must all exit 0 before a task counts as done; each has a timeout (default 10m).",
  ],
  "review.agent": [optional(text), null, "Agent that reviews verified work before its commit."],
  "review.model": [optional(text), null, "Model of the review; null: the agent's default."],
  allow: [
    listOrOne(text, "a command line, or a list of command lines"),
    [],
    "More command lines that agents may run at the permission `edit`, with further arguments: `npm run build`.",
  ],
  strategy: [
    oneOf(strategyNames),
    "adaptive",
    "How the model is chosen. `adaptive` needs two models with known prices; else it works as `escalate`.",
  ],
  taskValueUsd: [
    optional(amount),
    null,
    "Value of a finished task in US dollars: `adaptive` makes no attempt that costs more per success; null: six attempts of the strongest model.",
  ],
  prices: [modelPrices, {}, "US dollars per million tokens, by model: `{ input, output, cached }`."],
  completion: [
    oneOf(["signal", "verified"]),
    "signal",
    "signal: verify when the agent claims to be done; verified: verify every attempt.",
  ],
  onFailure: [oneOf(["keep", "rollback"]), "keep", "What to do with a failed attempt's changes."],
  verifyGuard: [
    oneOf(["off", "report", "strict", "clean"]),
    "report",
    "What to do with changes that weaken verification: nothing, report them, fail the attempt, or verify in a separate work tree without them.",
  ],
  scope: [
    optional(text),
    null,
    "Folder to which the project is limited, relative to the folder of .ralph, such as `.`; null: the whole repository.",
  ],
  "workers.count": [
    wholeNumber,
    1,
    "How many tasks to work on at once; more than 1: each in a git work tree of its own, landing on a branch of the run. `workers: 4` is short for it.",
  ],
  "workers.remote": [
    optional(remoteName),
    null,
    "Git remote, such as `origin`, on whose branch all work lands by plain pushes; null: it lands in this clone.",
  ],
  protect: [
    listOrOne(text, "a glob, or a list of globs"),
    [],
    "Globs of more files that define verification, such as `tests/acceptance/**`: any change of one weakens it.",
  ],
  verifySetup: [
    verifyCommands,
    [],
    "Commands that prepare a separate work tree (of a worker, of `verifyGuard: clean`), such as `npm ci`: once a run, and for `clean` again when a lock file or manifest changes.",
  ],
  sync: [
    oneOf(["auto", "ask", "off"]),
    "auto",
    "Adopt changes of imported task lists at the start of a run, ask first, or ignore them.",
  ],
  verifyBaseline: [
    oneOf(["auto", "off"]),
    "auto",
    "Verify before a run's first attempt, unless the same files passed before.",
  ],
  sandbox: [
    sandbox,
    "auto",
    "Keep agents from ralph's files: `auto` where possible, `required`, `strict` also without your files, `off`; or a mapping.",
  ],
  store: [filePath, defaultStore, "Database of tasks and memory, relative to the project."],
};

const commit: Group = {
  template: [
    optional(text),
    null,
    "Template of commit messages with {id}, {title}, {attempt}, {model} and {agent}. Its first line is the subject: at most 72 characters, with the first sentence of {title}; the rest of the title and the agent's summary follow.",
  ],
  enabled: [flag, true, "Commit finished tasks."],
};

const limits: Group = {
  maxIterations: [wholeNumber, 0, "Iterations per run; 0: no limit."],
  maxAttempts: [wholeNumber, 6, "Attempts per task; 0: no limit."],
  stuckAfter: [
    wholeNumber,
    3,
    "Consecutive failures after which a task is stuck: warned, then blocked by the same error; 0: never.",
  ],
  escalateAfter: [wholeNumber, 2, "Failures in a row after which `escalate` takes the next stronger model."],
  budgetUsd: [optional(amount), null, "Maximum cost of a run in US dollars."],
  maxDuration: [optional(duration), null, "Time limit of a run."],
  taskTimeout: [duration, "30m", "Time limit of an attempt, including its verification."],
  idleTimeout: [duration, "10m", "Time without output after which an agent is stopped."],
};

const memory: Group = {
  enabled: [flag, true, "Put memory into prompts."],
  budgetChars: [wholeNumber, 5000, "Maximum characters of memory in a prompt."],
  maxLearnings: [wholeNumber, 5, "Maximum learnings in a prompt."],
  holdout: [
    optional(share),
    null,
    "Share of iterations without learnings, without each skill, or, where no learning fits, with the best one; null: 0.1 in runs of over 20 tasks.",
  ],
  select: [
    oneOf(["words", "agent"]),
    "words",
    "Who chooses learnings; agent: its cheapest model, while the agent before works, for at most $0.50 a run.",
  ],
  summarizeAbove: [wholeNumber, 200, "Merge similar learnings above this number of active ones."],
  "prune.reports": [duration, "7d", "Age at which attempts and reports of finished tasks are deleted."],
  "prune.metrics": [duration, "30d", "Age at which metrics are deleted."],
  "prune.learnings": [duration, "90d", "Minimum age of pruned learnings, in days of use."],
  "prune.unused": [duration, "30d", "Days of use without being shown after which old learnings are pruned."],
  sections: [
    record("a mapping from sections to numbers", wholeNumber, sectionNames),
    {},
    `Maximum characters of single sections, where not the built-in limit: ${sectionNames.join(", ")}.`,
  ],
};

const journal: Group = {
  dir: [
    optional(filePath),
    null,
    "Folder of journals, outside the project (`~/` is your home folder); null: ralph's folder in $XDG_STATE_HOME.",
  ],
  change: [
    optional(text),
    null,
    "Change whose journal agents write; null: the OpenSpec change of their task, or `default`.",
  ],
};

/** The settings of every agent. */
const common: Group = {
  model: [optional(text), null, "Model of the strategy `fixed`."],
  tiers: [optional(texts), null, "Cheap, middle and strong model, each `model` or `model:effort`."],
};
const permission: Setting = [
  optional(oneOf(permissions)),
  null,
  "What the agent may do without asking: plan (read), ask (what its own settings allow), edit (files, commands that only read, the verify commands and `allow`), shell (also any command), bypass (everything). Null: shell where a sandbox binds, else edit.",
];
const known: Group = {
  ...common,
  permission,
  extraArgs: [programArguments, [], "Arguments to add to ralph's own."],
  program: [optional(text), null, "Program to run instead of the agent's own name."],
};
const argv: Setting = [
  optional(programCall("a list of strings")),
  null,
  "Program and arguments; with `acp`, of an agent that speaks the Agent Client Protocol.",
];
const format: Setting = [oneOf(streamFormats), "text", "Format of the program's stdout."];
/** The settings of each adapter; their types are in `base/shared-settings.ts`. */
const agents: Readonly<Record<keyof AgentSettings, Group>> = {
  ...{ claude: known, codex: known, gemini: known, opencode: known, pi: known },
  acp: { ...common, permission, argv },
  command: { ...common, argv, format },
};

const mcp: Group = {
  enabled: [flag, true, "Attach ralph's own tools (ralph mcp) to agents that support them."],
};

const events: Group = {
  dir: [optional(text), null, "Folder with one file per event of a run, kept for 24 hours."],
  hooks: [eventHooks, [], "Programs and URLs that receive a run's events."],
};

const learnings: Group = {
  dir: [ownFolder, ".ralph/learnings", "Folder of the project with a record file for each attempt."],
  extract: [
    oneOf(["off", "failures", "all"]),
    "off",
    "Attempts after which a model extracts learnings; costs money.",
  ],
  extractModel: [optional(text), null, "Model that extracts learnings; null: the agent's cheapest."],
  extractBudgetUsd: [amount, 0.5, "Maximum cost of extraction per run in US dollars."],
};

const skills: Group = {
  enabled: [flag, true, "Put skills that fit the task into prompts."],
  dirs: [
    oneOrMore(folder, "a folder of the project, or a list of folders"),
    [".agents/skills", ".claude/skills"],
    "Folders of skills: each skill is a folder with a SKILL.md.",
  ],
  layout: [
    oneOf(["skills", "commands"]),
    "skills",
    "skills: the folders of skills.dirs; commands: .claude/commands/<name>.md.",
  ],
  fileRules: [
    record("a mapping from globs to tags", listOrOne(text, "a tag, or a list of tags")),
    { "**/*Views*{,/**}": ["swiftui", "liquid-glass"], "**/*Service*{,/**}": ["async", "foundation-models"] },
    "Tags that files of a task add when skills are chosen.",
  ],
  aggregateEvery: [
    wholeNumber,
    5,
    "Verified tasks after which a run merges the patterns of all records; 0: only where a skill may be due.",
  ],
  autoAccept: [
    flag,
    false,
    "Accept proposed skills between iterations, each in a commit of its own, without asking. Needs commit.enabled.",
  ],
  writer: [
    oneOf(["template", "agent"]),
    "template",
    "agent: the agent's cheapest model rewrites proposed skills, for at most $0.50 per run or command.",
  ],
};

const hivemind: Group = {
  store: [
    filePath,
    "auto",
    "Memory that your projects share: auto, off, swarm, or a SQLite file; relative to your data folder.",
  ],
};

function keysOf(group: string, settings: Group): readonly SettingKey[] {
  return Object.entries(settings).map(([name, [type, defaultValue, description]]) => ({
    ...{ key: group === "" ? name : `${group}.${name}`, type, defaultValue, description },
  }));
}

/** All settings. Schema, checks, defaults, `ralph config show` and `docs/guide/configuration.md` are derived from them. */
export const settingKeys: readonly SettingKey[] = [
  ...keysOf("", general),
  ...Object.entries({ commit, limits, memory, journal }).flatMap(([name, group]) => keysOf(name, group)),
  ...Object.entries(agents).flatMap(([name, group]) => keysOf(`agents.${name}`, group)),
  ...Object.entries({ mcp, events, learnings, skills, hivemind }).flatMap(([name, group]) =>
    keysOf(name, group),
  ),
];
