import {
  amount,
  flag,
  folder,
  listOrOne,
  oneOf,
  oneOrMore,
  record,
  text,
  wholeNumber,
} from "../load/value-type.ts";
import type { SettingKey } from "./setting-key.ts";

const fileRuleDetails = `Each rule has a glob over the files of a task, relative to the project, and one tag or more. A task with such a file
gets the skills with these tags, as if it had the tags itself. Your own rules replace the built-in ones; \`fileRules: {}\` removes them.

\`\`\`yaml
skills:
  fileRules:
    "**/*.sql": [database, migrations]
    "web/**": frontend
\`\`\``;

export const skills: readonly SettingKey[] = [
  {
    key: "skills.enabled",
    type: flag,
    defaultValue: true,
    description: "Put skills that fit the task into prompts.",
  },
  {
    key: "skills.dirs",
    type: oneOrMore(folder, "a folder of the project, or a list of folders"),
    defaultValue: [".agents/skills", ".claude/skills"],
    description: "Folders of skills: each skill is a folder with a SKILL.md.",
  },
  {
    key: "skills.layout",
    type: oneOf(["skills", "commands"]),
    defaultValue: "skills",
    description: "skills: the folders of skills.dirs; commands: .claude/commands/<name>.md.",
  },
  {
    key: "skills.fileRules",
    type: record("a mapping from globs to tags", listOrOne(text, "a tag, or a list of tags")),
    defaultValue: {
      "**/*Views*{,/**}": ["swiftui", "liquid-glass"],
      "**/*Service*{,/**}": ["async", "foundation-models"],
    },
    description: "Tags that files of a task add when skills are chosen.",
    details: fileRuleDetails,
  },
  {
    key: "skills.aggregateEvery",
    type: wholeNumber,
    defaultValue: 5,
    description:
      "Verified tasks after which a run merges the patterns of all records; 0: only where a skill may be due.",
  },
  {
    key: "skills.autoAccept",
    type: flag,
    defaultValue: false,
    description:
      "Accept proposed skills between iterations, each in a commit of its own, without asking. Needs commit.enabled.",
  },
  {
    key: "skills.writer",
    type: oneOf(["template", "agent"]),
    defaultValue: "template",
    description: "agent: the agent's cheapest model rewrites proposed skills; costs money.",
  },
  {
    key: "skills.writerBudgetUsd",
    type: amount,
    defaultValue: 0.5,
    description: "Maximum cost of rewriting skills per run or command in US dollars.",
  },
];
