import { lstatSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { lookThrough } from "../../../base/careful-files.ts";
import { fixable, systemCode } from "../../../base/errors.ts";
import { isObject, type JsonValue, parseJson } from "../../../base/json.ts";
import { directories } from "../../../config/directories.ts";
import { hasRalphVariables } from "../../../config/environment.ts";
import type { LoadedSettings } from "../../../config/settings.ts";
import { writeFileSafely } from "../../../trust/safe-file.ts";
import { version } from "../../shell/version.ts";

/** The size and times of each list by its path, which a changed file no longer has; null for a missing file. */
export type ListSignatures = Readonly<Record<string, string | null>>;

/** Reads the signatures of imported lists. Comparing them costs one system call for each list. */
export function listSignatures(root: string, paths: readonly string[]): ListSignatures {
  return Object.fromEntries(paths.map((path) => [path, signatureOf(resolve(root, path))]));
}

function signatureOf(path: string): string | null {
  const found = lookThrough(path);
  return found ? `${found.size} ${found.mtimeMs} ${found.ctimeMs}` : null;
}

function isSignatures(value: JsonValue | undefined): value is Record<string, string | null> {
  return isObject(value) && Object.values(value).every((text) => text === null || typeof text === "string");
}

export function sameSignatures(a: ListSignatures, b: ListSignatures): boolean {
  const paths = Object.keys(a);
  return paths.length === Object.keys(b).length && paths.every((path) => a[path] === b[path]);
}

/**
 * The configured agents as `ralph status` last read them, with the exact text that they were read from, because parsing
 * YAML costs more than the rest of that command; and the signatures of the imported lists when it last compared them. An
 * agent can write this file, so only `status` may use it, for display.
 */
const fileName = ".ralph/cache/agents.json";

/** Returns the text that decides the settings of the project at `root`; undefined when variables may change them. */
export function configurationText(root: string): string | undefined {
  if (hasRalphVariables()) return undefined;
  const { config, data, state } = directories();
  const files = [join(root, ".ralph", "config.yaml"), join(config, "ralph", "config.yaml")];
  // The folders of the hivemind and of journals too: variables of the environment set them.
  return JSON.stringify([version, data, state, ...files.map(textOf)]);
}

/** The facts that a status needs and the database does not have. */
interface Remembered {
  readonly agents: readonly string[];
  /** The imported lists when they had no changes; null: they are not compared (`sync: off`). */
  readonly lists: ListSignatures | null;
  readonly hivemind: string | null;
  readonly journals: string;
}

/** Returns what is cached for `configuration`; undefined without a valid entry. */
export function readRemembered(root: string, configuration: string): Remembered | undefined {
  const value = parseJson(textOf(join(root, fileName)) ?? "");
  if (!isObject(value) || value["configuration"] !== configuration) return undefined;
  const { agents, lists, hivemind, journals } = value;
  if (!Array.isArray(agents) || !agents.every((name) => typeof name === "string")) return undefined;
  if (hivemind !== null && typeof hivemind !== "string") return undefined;
  if (typeof journals !== "string") return undefined;
  return lists === null || isSignatures(lists) ? { agents, lists, hivemind, journals } : undefined;
}

type Known = LoadedSettings & Pick<Remembered, "hivemind" | "journals">;

/** Caches the agents of `configuration` and the lists. A failed write is ignored. */
export async function remember(
  root: string,
  configuration: string | undefined,
  { settings, origins, warnings, hivemind, journals }: Known,
  lists: ListSignatures | null,
): Promise<void> {
  // The text was read before the settings, which came from it only if it is still the same.
  if (configuration === undefined || configuration !== configurationText(root)) return;
  // The quick path reads only the default store and shows no warnings.
  if (warnings.length > 0 || origins["store"] !== "default") return;
  try {
    const data = JSON.stringify({ configuration, agents: settings.agent, lists, hivemind, journals });
    await writeFileSafely(join(root, fileName), data, { root });
  } catch (error) {
    fixable(error);
  }
}

function textOf(path: string): string | null {
  try {
    // Opening a pipe would block.
    return lstatSync(path).isFile() ? readFileSync(path, "utf8") : null;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return null;
  }
}
