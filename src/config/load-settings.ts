import { readdir, realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import { RalphError } from "../base/errors.ts";
import type { JsonValue } from "../base/json.ts";
import { clip } from "../base/text.ts";
import type { YamlPath } from "../base/yaml.ts";
import { directories } from "./directories.ts";
import type { Environment } from "./environment.ts";
import { toEventHooks } from "./event-hook.ts";
import { findProject } from "./find-project.ts";
import { type SettingKey, settingKeys } from "./keys.ts";
import { toSandbox, toVerifyCommands } from "./mapping-types.ts";
import { type ConfigFile, readConfigFile, unknownName, type WrittenSetting } from "./read-file.ts";
import { readFlags, readVariables, unknownVariableWarnings } from "./read-typed.ts";
import type { LoadedSettings, Settings } from "./settings.ts";
import { toMs, WrongValue } from "./value-type.ts";

interface Places {
  readonly cwd: string;
  /** Dotted keys (`limits.maxAttempts`) with their text as typed. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly env?: Environment;
  /** A file to read instead of the project's; null: read no file. */
  readonly file?: string | null | undefined;
}

/**
 * Loads the settings of the project around `cwd`: flags > `RALPH_*` > the project's file > the user's file > defaults
 * (UX-5).
 *
 * @throws RalphError `RALPH_CONFIG_UNKNOWN_KEY`, `RALPH_CONFIG_WRONG_TYPE`, `RALPH_CONFIG_UNREADABLE`,
 * `RALPH_CONFIG_MISSING` (a requested file), `RALPH_YAML_INVALID`
 */
export async function loadSettings({ cwd, flags = {}, env, file }: Places): Promise<LoadedSettings> {
  const root = findProject(cwd)?.root;
  const projectFile = await readProjectFile(root, file);
  const userPath = join(directories(env).config, "ralph", "config.yaml");
  const userFile = file === null ? undefined : await readConfigFile(userPath);
  const layers = [readFlags(flags), readVariables(env), projectFile?.values ?? [], userFile?.values ?? []];

  const written = new Map<string, WrittenSetting>();
  for (const value of layers.flat()) if (!written.has(value.key)) written.set(value.key, value);
  const { values, origins } = valuesOf(written);
  return {
    settings: buildSettings(values),
    values,
    origins,
    projectFile:
      projectFile && (await isOfProject(projectFile, root))
        ? { path: projectFile.path, sha256: projectFile.sha256 }
        : null,
    overridden: (userFile?.values ?? []).flatMap(({ key, origin }) => (origins[key] === origin ? [] : [key])),
    warnings: unknownVariableWarnings(env),
  };
}

function valuesOf(written: ReadonlyMap<string, WrittenSetting>): Pick<LoadedSettings, "values" | "origins"> {
  const values: Record<string, JsonValue> = {};
  const origins: Record<string, string> = {};
  for (const setting of settingKeys) {
    const own = written.get(setting.key);
    values[setting.key] = own ? readValue(setting, own) : setting.defaultValue;
    origins[setting.key] = own?.origin ?? "default";
  }
  return { values, origins };
}

async function readProjectFile(
  root: string | undefined,
  file: string | null | undefined,
): Promise<ConfigFile | undefined> {
  if (file === null) return undefined;
  if (file === undefined) return root === undefined ? undefined : await readOwnFile(root);
  const read = await readConfigFile(file);
  if (read) return read;
  throw new RalphError("RALPH_CONFIG_MISSING", `configuration file not found: ${file}`, {
    hint: "check the path after --config",
  });
}

/** @throws RalphError `RALPH_CONFIG_UNREADABLE` for a file of `.ralph` that would be the configuration, but for its name */
async function readOwnFile(root: string): Promise<ConfigFile | undefined> {
  const folder = join(root, ".ralph");
  const read = await readConfigFile(join(folder, "config.yaml"));
  const near = read ? undefined : await findNearMiss(folder, inFolder);
  if (near === undefined) return read;
  const isYaml = /\.(?:ya?ml|jsonc?)$/i.test(near);
  throw new RalphError(
    "RALPH_CONFIG_UNREADABLE",
    `configuration not read: .ralph/${near} is not .ralph/config.yaml`,
    {
      hint: isYaml
        ? `rename it: mv .ralph/${near} .ralph/config.yaml`
        : `write it as YAML to .ralph/config.yaml, or run \`ralph init\` after you removed it`,
    },
  );
}

/** Names that a configuration is given by mistake. */
const inFolder = /^(?:config|settings|ralph)\.(?:ya?ml|jsonc?|toml)$/i;

async function findNearMiss(folder: string, names: RegExp): Promise<string | undefined> {
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return found.find((entry) => entry.isFile() && names.test(entry.name))?.name;
}

/** Returns true when the file is inside the project: it then needs approval. */
async function isOfProject({ path }: ConfigFile, root: string | undefined): Promise<boolean> {
  if (root === undefined) return false;
  return !relative(root, path).startsWith("..") || !relative(root, await realpath(path)).startsWith("..");
}

/** How the values of settings that are not used as they are written are used. */
const conversions: Readonly<Record<string, (value: JsonValue) => unknown>> = {
  verify: (value) => value && toVerifyCommands(value),
  verifySetup: toVerifyCommands,
  sandbox: toSandbox,
  "events.hooks": toEventHooks,
};

/** Builds the typed settings from checked values by dotted key: `limits.maxDuration` becomes `limits: { maxDurationMs }`. */
function buildSettings(values: Readonly<Record<string, JsonValue>>): Settings {
  const settings: Record<string, unknown> = {};
  for (const { key, type } of settingKeys) {
    const groups = key.split(".");
    const name = groups.pop() ?? key;
    const group = groups.reduce((parent, one) => {
      parent[one] ??= {};
      return parent[one] as Record<string, unknown>;
    }, settings);
    const value = values[key] ?? null;
    if (type.isDuration) group[`${name}Ms`] = toMs(value);
    else group[name] = conversions[key]?.(value) ?? value;
  }
  return settings as unknown as Settings;
}

function readValue({ key, type }: SettingKey, written: WrittenSetting): JsonValue {
  try {
    return type.read(written.value);
  } catch (error) {
    throw error instanceof WrongValue ? refusal(key, written, error) : error;
  }
}

function refusal(key: string, { where }: WrittenSetting, { problem }: WrongValue): RalphError {
  const { expected, at, got, known, hint = "run `ralph config show` to see every setting" } = problem;
  if (known) {
    const [parent, name] = [`${key}${below(at.slice(0, -1))}`, String(at.at(-1))];
    return unknownName(where(at), { name, parent, siblings: known });
  }
  const shown = got === undefined ? "nothing" : clip(withoutAddresses(JSON.stringify(got)), 80);
  const message = `${where(at)}: ${key}${below(at)} must be ${expected}, got ${shown}`;
  return new RalphError("RALPH_CONFIG_WRONG_TYPE", message, { hint });
}

function below(at: YamlPath): string {
  return at.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
}

/** Reduces each URL in `text` to its scheme, because the rest may contain a password. */
function withoutAddresses(text: string): string {
  const schemes = /([a-z][a-z0-9+.-]*:)(?:\/\/|(?=[^"\s]*@))[^"\s]*/gi;
  // The expression takes quadratic time, and only the beginning of the text is shown.
  return text.slice(0, 2000).replace(schemes, "$1…");
}
