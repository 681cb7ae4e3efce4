import { parse } from "smol-toml";
import { isObject, parseJson } from "../base/json.ts";
import { scriptsRun } from "./command-files.ts";
import type { FileDiff } from "./work-diff.ts";

/** The keys of a `package.json` that configure tests or lint. */
const ofTests = ["vitest", "jest", "mocha", "ava", "tap", "c8", "nyc", "eslintConfig", "eslintIgnore", "xo"];
/** The tables `[tool.…]` of a `pyproject.toml` that do. */
const ofTools = ["pytest", "coverage", "tox", "nox", "mypy", "ruff", "pyright", "pylint", "flake8", "ty"];

type Scripts = Readonly<Record<string, string>>;

/** Returns true for the manifests that `manifestChange` reads. */
export function isManifest(path: string): boolean {
  return /(?:^|\/)(?:package\.json|pyproject\.toml)$/.test(path);
}

/** Returns the package scripts of a `package.json`; none if it is no such file. */
export function scriptsOf(text: string): Scripts {
  const manifest = parseJson(text);
  const scripts = isObject(manifest) && isObject(manifest["scripts"]) ? manifest["scripts"] : {};
  return Object.fromEntries(
    Object.entries(scripts).flatMap(([name, script]) => (typeof script === "string" ? [[name, script]] : [])),
  );
}

/**
 * Returns what a change of a manifest weakens, as clauses: a package script that the lines run, or a setting of tests, is not as it was.
 * New scripts, dependencies and descriptions are not.
 */
export function manifestChange(path: string, file: FileDiff, lines: readonly string[]): readonly string[] {
  const [before, after] = [file.before.join("\n"), file.after.join("\n")];
  if (file.created || file.isOpaque) return [];
  if (path.endsWith(".toml")) {
    const [old, now] = [toolsOf(before), toolsOf(after)];
    return changedKeys(old, now, ofTools).map((key) => `[tool.${key}] is not as it was`);
  }
  const [old, now] = [parseJson(before), file.deleted ? {} : parseJson(after)];
  if (!isObject(old) || !isObject(now)) return [];
  const scripts = scriptsOf(after);
  const changed = [...scriptsRun(lines, scriptsOf(before))].filter(
    ([name, text]) => scripts[name] !== text && !isPlaceholder(text),
  );
  return [
    ...changed.map(([name]) => `verification runs its script "${name}"`),
    ...changedKeys(old, now, ofTests).map((key) => `its "${key}" configures what is checked`),
  ];
}

/** The script that `npm init` writes. */
function isPlaceholder(script: string): boolean {
  return script.includes("no test specified");
}

function toolsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const { tool } = parse(text);
    return isObject(tool) ? tool : {};
  } catch {
    // A manifest that no tool can read fails verification by itself.
    return {};
  }
}

function changedKeys(
  old: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): readonly string[] {
  return keys.filter((key) => JSON.stringify(old[key]) !== JSON.stringify(now[key]));
}
