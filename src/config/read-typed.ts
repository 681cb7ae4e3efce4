import { nearest } from "../base/nearest.ts";
import { type Environment, ownVariables, ralphVariables, readEnv } from "./environment.ts";
import { settingKeys } from "./keys.ts";
import { unknownKey, type WrittenSetting } from "./read-file.ts";
import { shortForms } from "./settings.ts";

/** Keys whose text is a list, separated by commas. */
const lists = /^agent$|^skills\.dirs$|\.(?:tiers|extraArgs)$/;

function fromText(key: string, typed: string): WrittenSetting["value"] {
  const text = typed.trim();
  if (lists.test(key)) return text.split(",").map((item) => item.trim());
  // A command line may contain commas.
  if (key === "verify") return text === "" ? [] : [text];
  return /^(?:|null|none)$/i.test(text) ? null : text;
}

/** Returns the name of a setting where it is typed. */
function shortOf(key: string): string {
  return Object.keys(shortForms).find((short) => shortForms[short] === key) ?? key;
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Returns the settings given as flags: dotted keys with their text. Throws `RALPH_CONFIG_UNKNOWN_KEY`. */
export function readFlags(flags: Readonly<Record<string, string>>): readonly WrittenSetting[] {
  return Object.entries(flags).map(([key, typed]) => {
    const last = shortOf(key).split(".").at(-1) ?? key;
    const group = /^(memory|skills)\.enabled$/.exec(key)?.[1];
    const flag = group === undefined ? `--${kebab(last)}` : `--no-${group}`;
    if (!settingKeys.some((setting) => setting.key === key)) throw unknownKey(key.split("."), flag);
    return { key, value: fromText(key, typed), origin: `flag ${flag}`, where: () => flag };
  });
}

/** Returns the variables of a setting: `RALPH_` and the key in capitals; for limits, also without the group
 * (RALPH_MAX_ATTEMPTS). */
function variableNames(key: string): readonly string[] {
  const full = `${prefix}${kebab(shortOf(key)).replace(/[.-]/g, "_").toUpperCase()}`;
  return key.startsWith("limits.") ? [full.replace("_LIMITS_", "_"), full] : [full];
}

const prefix = "RALPH_";

/** Returns one warning line for each `RALPH_*` variable that is neither a setting nor ralph's own. */
export function unknownVariableWarnings(env?: Environment): readonly string[] {
  const settings = settingKeys.flatMap(({ key }) => variableNames(key));
  return ralphVariables(env)
    .filter((name) => !settings.includes(name) && !ownVariables.has(name))
    .map((name) => {
      // Without the prefix, which would make short names look alike.
      const meant = nearest(
        name.slice(prefix.length),
        settings.map((one) => one.slice(prefix.length)),
      );
      const why = meant === undefined ? "no setting has this name" : `did you mean ${prefix}${meant}?`;
      return `unknown environment variable ${name}: ${why}`;
    });
}

/** Returns the settings in `RALPH_*` variables; an empty variable counts as unset. */
export function readVariables(env?: Environment): readonly WrittenSetting[] {
  // Within an iteration, RALPH_MODEL informs the agent about its model and is not a setting.
  const isInside = readEnv("RALPH_RUN_ID", env) !== undefined;
  return settingKeys.flatMap(({ key }) => {
    if (isInside && key === "model") return [];
    const name = variableNames(key).find((candidate) => readEnv(candidate, env));
    const typed = name === undefined ? undefined : readEnv(name, env);
    if (name === undefined || typed === undefined) return [];
    return [{ key, value: fromText(key, typed), origin: name, where: () => name }];
  });
}
