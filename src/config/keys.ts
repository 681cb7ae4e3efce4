import { defaultVerifyTimeoutMs } from "../base/verify-command.ts";
import { defaultStore } from "./default-store.ts";
import { agents } from "./groups/agent-keys.ts";
import { events, extraction } from "./groups/event-keys.ts";
import { hivemind } from "./groups/hivemind-keys.ts";
import type { SettingKey } from "./groups/setting-key.ts";
import { skills } from "./groups/skill-keys.ts";
import { sandbox, sandboxDetails } from "./load/sandbox-type.ts";
import {
  amount,
  duration,
  filePath,
  flag,
  listOrOne,
  oneOf,
  oneOrMore,
  optional,
  share,
  text,
  wholeNumber,
} from "./load/value-type.ts";
import { verifyCommand } from "./load/verify-type.ts";
import { strategyNames } from "./settings.ts";

/** Sections of the prompt with their own size limit. */
const sectionNames = [
  "stuck",
  "attempts",
  "learnings",
  "notes",
  "hivemind",
  "skills",
  "structured-context",
  "journal",
  "status",
] as const;

const verifyDetails = `Each entry of \`verify\` is a command line for \`/bin/sh\`, or a mapping:

| field | meaning | default |
|---|---|---|
| \`run\` | command line | required |
| \`timeout\` | time limit of this command; \`limits.taskTimeout\` also covers it | ${defaultVerifyTimeoutMs / 60_000}m |
| \`in\` | folder where it runs, relative to the project | the project |
| \`when\` | glob, or a list: it runs when a file that the task changed matches, relative to the project | every change |

\`\`\`yaml
verify:
  - { run: npm run lint, timeout: 5m }
  - { run: npm test, in: packages/server, when: "packages/server/**" }
  - { run: npm test, in: packages/client, when: ["packages/client/**", "packages/shared/**"] }
\`\`\`

A command without \`when\` matches every file. When a changed file matches no command, or when nothing changed, all commands run: a change is
never unverified because no glob expected it. To exempt files on purpose, give them a command that always passes:
\`{ run: "true", when: "docs/**" }\`.`;

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
    type: optional(listOrOne(verifyCommand, "a list of commands, each a string or a mapping")),
    defaultValue: null,
    description:
      "Commands that must all exit 0 before a task counts as done; each has a timeout (default 10m).",
    details: verifyDetails,
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
    type: oneOf(["off", "report", "strict", "clean"]),
    defaultValue: "report",
    description:
      "What to do with changes that weaken verification: nothing, report them, fail the attempt, or verify in a separate work tree without them.",
  },
  {
    key: "protect",
    type: listOrOne(text, "a glob, or a list of globs"),
    defaultValue: [],
    description:
      "Globs of more files that define verification, such as `tests/acceptance/**`: any change of one weakens it.",
  },
  {
    key: "verifySetup",
    type: optional(listOrOne(verifyCommand, "a list of commands, each a string or a mapping")),
    defaultValue: null,
    description:
      "Commands that prepare the separate work tree of `verifyGuard: clean`, such as `npm ci`: once a run, and again when a lock file or manifest changes.",
  },
  {
    key: "sync",
    type: oneOf(["auto", "ask", "off"]),
    defaultValue: "auto",
    description: "Adopt changes of imported task lists at the start of a run, ask first, or ignore them.",
  },
  {
    key: "verifyBaseline",
    type: oneOf(["auto", "off"]),
    defaultValue: "auto",
    description: "Verify before a run's first attempt, unless the same files passed before.",
  },
  {
    key: "sandbox",
    type: sandbox,
    defaultValue: "auto",
    description:
      "Confine agents: `auto`, `required` in a process namespace, `strict` in a sandbox without your files, `off` in a process group only; or a mapping.",
    details: sandboxDetails,
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
    description:
      "Template of commit messages with {id}, {title}, {attempt}, {model} and {agent}. Its first line is the subject: at most 72 characters, with the first sentence of {title}; the rest of the title and the agent's summary follow.",
  },
  {
    key: "commit.enabled",
    type: flag,
    defaultValue: true,
    description: "Commit finished tasks.",
  },
];

const journal: readonly SettingKey[] = [
  {
    key: "journal.dir",
    type: optional(filePath),
    defaultValue: null,
    description:
      "Folder of journals, outside the project (`~/` is your home folder); null: ralph's folder in $XDG_STATE_HOME.",
  },
  {
    key: "journal.change",
    type: optional(text),
    defaultValue: null,
    description: "Change whose journal agents write; null: the OpenSpec change of their task, or `default`.",
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
    description:
      "Consecutive failures after which a task is stuck: warned, then blocked by the same error; 0: never.",
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
      [
        "memory.holdout",
        share,
        0,
        "Share of iterations without learnings, without each skill, or, where no learning fits, with the best one, to measure them.",
      ],
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
        "Age at which attempts and failure reports of finished tasks are deleted.",
      ],
      ["memory.prune.metrics", duration, "30d", "Age at which metrics are deleted."],
      ["memory.prune.learnings", duration, "90d", "Minimum age of learnings that are pruned."],
      ["memory.prune.unused", duration, "30d", "Time without use after which old learnings are pruned."],
    ] as const
  ).map(([key, type, defaultValue, description]): SettingKey => ({ key, type, defaultValue, description })),
  ...sectionNames.map((name): SettingKey => {
    const description = `Maximum characters of the section ${name}; null: the built-in limit.`;
    return { key: `memory.sections.${name}`, type: optional(wholeNumber), defaultValue: null, description };
  }),
];

/** All settings. The JSON Schema, the checks, the defaults, `ralph config show` and `docs/guide/configuration.md` are made
 * from this table. */
export const settingKeys: readonly SettingKey[] = [
  ...general,
  ...limits,
  ...memory,
  ...journal,
  ...agents,
  ...tools,
  ...events,
  ...extraction,
  ...skills,
  ...hivemind,
];
