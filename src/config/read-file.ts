import { readFile, stat } from "node:fs/promises";
import { messageOf, RalphError, systemCode } from "../base/errors.ts";
import { sha256 } from "../base/hash.ts";
import { nearest } from "../base/nearest.ts";
import type { ParsedYaml, YamlPath, YamlValue } from "../base/yaml.ts";
import { settingKeys } from "./keys.ts";
import { shortForms } from "./settings.ts";
import { isMapping } from "./value-type.ts";

/** A value as written, with its place for origins and messages. */
export interface WrittenSetting {
  readonly key: string;
  readonly value: YamlValue;
  readonly origin: string;
  /** Returns the exact place: `file:line:column`, `RALPH_MODEL` or `--model`; `at` is a path below the key. */
  where(at: YamlPath): string;
}

/** A configuration file, read once so that the parsed content is the hashed one. */
export interface ConfigFile {
  readonly path: string;
  readonly sha256: string;
  readonly values: readonly WrittenSetting[];
}

/** Maximum size of a configuration file. */
const maxBytes = 1024 * 1024;

/** The names below each dotted key of the table of settings; "" is the top level. */
const children: ReadonlyMap<string, ReadonlySet<string>> = (() => {
  const tree = new Map<string, Set<string>>();
  for (const { key } of settingKeys) {
    const parts = key.split(".");
    for (let depth = 0; depth < parts.length; depth++) {
      const parent = parts.slice(0, depth).join(".");
      tree.set(parent, (tree.get(parent) ?? new Set()).add(parts[depth] ?? ""));
    }
  }
  return tree;
})();

/**
 * Reads the settings in the file at `path`; undefined when it does not exist.
 *
 * @throws RalphError `RALPH_CONFIG_UNREADABLE`; `RALPH_CONFIG_UNKNOWN_KEY` with file, line and the nearest key;
 * `RALPH_CONFIG_WRONG_TYPE`; `RALPH_YAML_INVALID`
 */
export async function readConfigFile(path: string): Promise<ConfigFile | undefined> {
  await refuseUnreadable(path);
  const bytes = await readFile(path).catch((error: unknown) => {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new RalphError("RALPH_CONFIG_UNREADABLE", `cannot read ${path}: ${messageOf(error)}`, {
      hint: "check its permissions, or use --no-config",
      cause: error,
    });
  });
  if (!bytes) return undefined;
  const { parseYaml, yamlPosition } = await import("../base/yaml.ts");
  const content = bytes.toString("utf8");
  const yaml = parseYaml(content, { file: path, maxBytes });
  const position = (at: YamlPath): string => {
    const key = yaml.place(at)?.key;
    return key ? `${path}:${lineAndColumn(content, key.start)}` : yamlPosition(yaml, at);
  };
  return { path, sha256: sha256(bytes), values: collectValues(yaml, position) };
}

/** Reading a pipe would wait for ever, and a very large file would fill the memory. A shell's `<(…)` is a pipe of the caller. */
async function refuseUnreadable(path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats || stats.isDirectory() || /^\/(?:dev\/(?:fd|null|stdin)|proc)\b/.test(path)) return;
  const problem = !stats.isFile()
    ? "it is not a file"
    : stats.size > 64 * maxBytes
      ? "it is too large"
      : null;
  if (problem === null) return;
  throw new RalphError("RALPH_CONFIG_UNREADABLE", `cannot read ${path}: ${problem}`, {
    hint: "look at what is there and move it away, or use --no-config",
  });
}

function lineAndColumn(content: string, offset: number): string {
  const before = content.slice(0, offset).split("\n");
  return `${before.length}:${(before.at(-1) ?? "").length + 1}`;
}

/** Returns the setting that this value of a group is; a mapping is the group itself. */
function shortOf(key: string, value: YamlValue): string {
  return value === null || isMapping(value) ? key : (shortForms[key] ?? key);
}

function collectValues(yaml: ParsedYaml, position: (at: YamlPath) => string): readonly WrittenSetting[] {
  const values: WrittenSetting[] = [];
  const visit = (value: YamlValue, path: readonly string[]): void => {
    const parent = path.join(".");
    const short = shortOf(parent, value);
    const known = children.get(short);
    if (!known) {
      const where = (at: YamlPath): string => position([...path, ...at]);
      values.push({ key: short, value, origin: yaml.file, where });
    } else if (isMapping(value)) {
      for (const [name, child] of Object.entries(value)) {
        if (!known.has(name)) throw unknownKey([...path, name], position([...path, name]));
        visit(child ?? null, [...path, name]);
      }
    } else if (value !== null) {
      throw notAMapping(parent, position(path));
    }
  };
  visit(yaml.value, []);
  return values;
}

/** Returns the error for an unknown key in a file or a flag. */
export function unknownKey(path: readonly string[], where: string): RalphError {
  const name = path.at(-1) ?? "";
  const parent = path.slice(0, -1).join(".");
  const siblings = children.get(parent) ?? new Set<string>();
  return unknownName(where, {
    name,
    parent,
    siblings: [...siblings],
    meant: nearest(name, siblings) ?? movedKeyHint(name),
  });
}

/** Returns the error for an unknown name among the `siblings` in `parent`, which is "" at the top level. */
export function unknownName(
  where: string,
  {
    name,
    parent,
    siblings,
    meant = nearest(name, siblings),
  }: {
    readonly name: string;
    readonly parent: string;
    readonly siblings: readonly string[];
    readonly meant?: string | undefined;
  },
): RalphError {
  const inside = parent === "" ? "" : ` in ${parent}`;
  const others =
    parent === "" || siblings.length === 0
      ? "run `ralph config show` to list every setting"
      : `its settings are ${siblings.join(", ")}`;
  return new RalphError(
    "RALPH_CONFIG_UNKNOWN_KEY",
    `${where}: unknown setting ${JSON.stringify(name)}${inside}`,
    { hint: meant === undefined ? others : `did you mean ${meant}?` },
  );
}

/** Returns the full key of a setting with this name in another group. */
function movedKeyHint(name: string): string | undefined {
  return settingKeys.find(({ key }) => key.endsWith(`.${name}`) && !key.startsWith("agents."))?.key;
}

function notAMapping(key: string, where: string): RalphError {
  const what = key === "" ? "the configuration" : key;
  return new RalphError("RALPH_CONFIG_WRONG_TYPE", `${where}: ${what} must be a mapping of settings`, {
    hint: `write, for example, ${key === "" ? "agent: claude" : `${key}: { ${[...(children.get(key) ?? [])][0]}: … }`}`,
  });
}
