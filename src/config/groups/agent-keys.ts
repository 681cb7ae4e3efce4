import { streamFormats } from "../../base/stream-format.ts";
import { oneOf, optional, programArguments, programCall, text, texts } from "../load/value-type.ts";
import type { SettingKey } from "./setting-key.ts";

const agentNames = ["claude", "command"] as const;

export const agents: readonly SettingKey[] = agentNames.flatMap((name) =>
  (
    [
      ["model", optional(text), null, "Model of the strategy `fixed`."],
      ["tiers", optional(texts), null, "Cheap, middle and strong model."],
      [
        "permission",
        optional(oneOf(["plan", "ask", "edit", "shell", "bypass"])),
        null,
        "What the agent may do without asking: plan (read), ask (what its own settings allow), edit (files and the verify commands), shell (also any command), bypass (everything).",
      ],
      ["extraArgs", programArguments, [], "Arguments to add to ralph's own."],
      ["program", optional(text), null, "Program to run instead of the agent's own name."],
      ["argv", optional(programCall("a list of strings")), null, "Agent `command`: program and arguments."],
      ["format", oneOf(streamFormats), "text", "Agent `command`: format of its stdout."],
    ] as const
  ).map(([field, type, defaultValue, description]) => ({
    key: `agents.${name}.${field}`,
    type,
    defaultValue,
    description,
  })),
);
