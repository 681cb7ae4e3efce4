import { isObject } from "../../base/json.ts";
import type { YamlValue } from "../../base/yaml.ts";

/**
 * Settings that earlier versions accepted without acting on them. A configuration that uses one still loads, with a
 * warning. Move a name back to `keys.ts` when its feature exists.
 */
const removedSettings: readonly string[] = [
  "taskValueUsd",
  ...["claude", "codex", "gemini", "opencode"].flatMap((agent) => [
    `agents.${agent}.argv`,
    `agents.${agent}.format`,
  ]),
  "agents.acp.format",
  "agents.command.permission",
];

export function isRemovedSetting(key: string): boolean {
  return removedSettings.includes(key);
}

/** Returns the removed settings that a file sets under `key`: `journal.dir` for `journal: { dir: … }`. */
export function removedNames(key: string, value: YamlValue): readonly string[] {
  const names = isObject(value) ? Object.keys(value) : [];
  return names.length === 0 ? [key] : names.map((name) => `${key}.${name}`);
}

/** Returns the variables in `names` that set a removed setting, such as `RALPH_TASK_VALUE_USD`. */
export function removedVariables(
  names: readonly string[],
  toVariable: (key: string) => string,
): readonly string[] {
  const variables = removedSettings.map(toVariable);
  return names.filter((name) => variables.some((one) => name === one || name.startsWith(`${one}_`)));
}

/** Returns the one warning line for the removed settings that `origin` (a file, or the environment) uses. */
export function removedWarning(origin: string, names: readonly string[]): string {
  const [noun, pronoun] = names.length === 1 ? ["setting", "it"] : ["settings", "them"];
  return `${origin}: ignored ${noun} of features that this version does not have: ${names.join(", ")} (remove ${pronoun})`;
}
