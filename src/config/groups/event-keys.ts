import { eventHook } from "../event-hook.ts";
import { amount, listOrOne, oneOf, optional, ownFolder, text } from "../load/value-type.ts";
import type { SettingKey } from "./setting-key.ts";

const hookDetails = `Each hook has event types, and a program or a URL:

| field | meaning | default |
|---|---|---|
| \`on\` | event type, or a list; \`*\` matches anything | required |
| \`run\` | program and arguments, as a list; the event arrives on standard input as JSON | \`run\` or \`url\` is required |
| \`url\` | URL that the event is posted to as JSON | |
| \`timeout\` | time limit of one delivery, at most 60s | 10s |

\`\`\`yaml
events:
  hooks:
    - { on: run.finished, run: [notify-send, ralph, finished] }
    - { on: "iteration.*", url: "https://hooks.example.com/ralph" }
\`\`\``;

export const events: readonly SettingKey[] = [
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
    details: hookDetails,
  },
];

export const extraction: readonly SettingKey[] = [
  {
    key: "learnings.dir",
    type: ownFolder,
    defaultValue: ".ralph/learnings",
    description: "Folder of the project with a record file for each attempt.",
  },
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
