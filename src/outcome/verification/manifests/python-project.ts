import { parse, type TomlTable } from "smol-toml";
import { isObject } from "../../../base/json.ts";
import type { FileDiff } from "../parse-diff.ts";

/** The keys of `[project]` that describe it, and those that list what it needs. */
const described = new Set([
  ...["version", "description", "readme", "license", "license-files", "authors", "maintainers"],
  ...["keywords", "classifiers", "urls"],
]);
const needed = new Set(["dependencies", "optional-dependencies"]);

/** A package of the registry, with extras, versions and markers: no address, and no path. */
const ofRegistry = /^[A-Za-z0-9][\w.-]*(?:\s*\[[\w\s.,-]*\])?[\w\s.,<>=!~*;"'()+-]*$/;

/**
 * Returns true if of a `pyproject.toml` only the description or packages of the registry changed, as a new dependency does for
 * a `package.json`. The diff has to contain the whole file; false if it does not, or the file is not TOML.
 */
export function leavesPythonTools({ before, after, isOpaque, becameLink }: FileDiff): boolean {
  if (isOpaque || becameLink) return false;
  const [old, now] = [parsed(before), parsed(after)];
  if (old === undefined || now === undefined) return false;
  return restOf(old) === restOf(now) && requirementsOf(now).every((one) => isPlain(one, old));
}

function parsed(lines: readonly string[]): TomlTable | undefined {
  try {
    return parse(lines.join("\n"));
  } catch {
    return undefined;
  }
}

function restOf({ project, "dependency-groups": _, ...others }: TomlTable): string {
  if (!isObject(project)) return JSON.stringify([project, others]);
  const own = Object.entries(project).filter(([key]) => !described.has(key) && !needed.has(key));
  return JSON.stringify([own, others]);
}

/** Returns all that is listed as needed, whatever it is. */
function requirementsOf({ project, "dependency-groups": groups = {} }: TomlTable): readonly unknown[] {
  const own = isObject(project) ? project : {};
  const lists: readonly unknown[] = [own["dependencies"] ?? [], own["optional-dependencies"] ?? {}, groups];
  return lists.flatMap((list): readonly unknown[] => (isObject(list) ? Object.values(list) : [list])).flat();
}

function isPlain(one: unknown, old: TomlTable): boolean {
  if (typeof one === "string" && ofRegistry.test(one)) return true;
  const text = JSON.stringify(one);
  return requirementsOf(old).some((before) => JSON.stringify(before) === text);
}
