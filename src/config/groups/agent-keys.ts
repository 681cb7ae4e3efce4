import type { JsonValue } from "../../base/json.ts";
import { type AgentSettings, permissions, streamFormats } from "../../base/shared-settings.ts";
import {
  oneOf,
  optional,
  programArguments,
  programCall,
  text,
  texts,
  type ValueType,
} from "../load/value-type.ts";
import type { SettingKey } from "./setting-key.ts";

type Field = readonly [name: string, type: ValueType, defaultValue: JsonValue, description: string];

const model: Field = ["model", optional(text), null, "Model of the strategy `fixed`."];
const tiers: Field = [
  "tiers",
  optional(texts),
  null,
  "Cheap, middle and strong model, each `model` or `model:effort`.",
];
const permission: Field = [
  "permission",
  optional(oneOf(permissions)),
  null,
  "What the agent may do without asking: plan (read), ask (what its own settings allow), edit (files and the verify commands), shell (also any command), bypass (everything).",
];
const extraArgs: Field = ["extraArgs", programArguments, [], "Arguments to add to ralph's own."];
const program: Field = ["program", optional(text), null, "Program to run instead of the agent's own name."];

/** The settings of each adapter; their types are in `base/shared-settings.ts`. */
const fields: Readonly<Record<keyof AgentSettings, readonly Field[]>> = {
  claude: [model, tiers, permission, extraArgs, program],
  codex: [model, tiers, permission, extraArgs, program],
  gemini: [model, tiers, permission, extraArgs, program],
  opencode: [model, tiers, permission, extraArgs, program],
  pi: [model, tiers, permission, extraArgs, program],
  acp: [
    model,
    tiers,
    permission,
    [
      "argv",
      optional(programCall("a list of strings")),
      null,
      "Program and arguments of an agent that speaks the Agent Client Protocol.",
    ],
    ["extraArgs", programArguments, [], "Arguments to add to those of `argv`."],
    ["program", optional(text), null, "Program to run instead of the first word of `argv`."],
  ],
  command: [
    model,
    tiers,
    ["argv", optional(programCall("a list of strings")), null, "Program and arguments."],
    ["format", oneOf(streamFormats), "text", "Format of the program's stdout."],
    ["extraArgs", programArguments, [], "Arguments to add to those of `argv`."],
    ["program", optional(text), null, "Program to run instead of the first word of `argv`."],
  ],
};

export const agents: readonly SettingKey[] = Object.entries(fields).flatMap(([agent, its]) =>
  its.map(([name, type, defaultValue, description]) => ({
    key: `agents.${agent}.${name}`,
    type,
    defaultValue,
    description,
  })),
);
