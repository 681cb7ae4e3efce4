import { isObject, type JsonValue } from "../../base/json.ts";
import type { SafeText } from "../../base/safe-text.ts";
import { defaultVerifyTimeoutMs } from "../../base/verify-command.ts";
import { settingKeys } from "../../config/keys.ts";
import { configSchema } from "../../config/schema.ts";
import type { LoadedSettings } from "../../config/settings.ts";
import { storedJson, storedText } from "../../trust/stored-text.ts";
import type { CommandSpec } from "../shell/command.ts";

/** `ralph config show|schema`: every setting with its value and origin (UX-5). */
export const command: CommandSpec = {
  description:
    "Shows every setting with its value, origin and explanation. Origins in order of precedence: a flag, a RALPH_* variable, the project's file, your own file, the default.",
  examples: ["ralph config", "ralph config show --json", "ralph config schema > ralph.schema.json"],
  arguments: [
    {
      name: "[action]",
      description: "show (default), or schema: print a JSON Schema for editors",
      choices: ["show", "schema"],
    },
  ],
  run: async (session, { args }) => {
    if (args["action"] === "schema") {
      session.out(storedJson(configSchema(), session.json ? 0 : 2));
      return;
    }
    const rows = rowsOf(await session.loadSettings());
    session.out(session.json ? storedJson(rows) : table(rows));
  },
};

interface SettingRow {
  readonly key: string;
  readonly value: JsonValue;
  readonly origin: string;
  readonly description: string;
}

function rowsOf({ values, origins }: LoadedSettings): readonly SettingRow[] {
  return settingKeys.map(({ key, description }) => ({
    key,
    value: key === "verify" ? withTimeouts(values[key] ?? null) : (values[key] ?? null),
    origin: origins[key] ?? "default",
    description,
  }));
}

function withTimeouts(commands: JsonValue): JsonValue {
  if (!Array.isArray(commands)) return commands;
  const timeout = `${defaultVerifyTimeoutMs / 60_000}m`;
  return commands.map((one) => (isObject(one) && one["timeout"] === null ? { ...one, timeout } : one));
}

function table(rows: readonly SettingRow[]): SafeText {
  const cells = rows.map((row) => ({ ...row, value: JSON.stringify(row.value) }));
  const width = (column: "key" | "value"): number =>
    Math.min(Math.max(...cells.map((cell) => cell[column].length)), 40);
  const lines = cells.flatMap(({ key, value, origin, description }) => [
    `${key.padEnd(width("key"))}  ${value.padEnd(width("value"))}  ${origin}`,
    `  ${description}`,
  ]);
  return storedText(lines.join("\n"));
}
