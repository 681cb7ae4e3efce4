import { parse } from "smol-toml";
import { isObject, parseJson } from "../base/json.ts";
import { type CommandReads, scriptsRun } from "./command-files.ts";
import { scriptsOf } from "./package-script.ts";
import type { FileDiff } from "./work-diff.ts";

/** The keys of a `package.json` that configure tests or lint. */
const ofTests = ["vitest", "jest", "mocha", "ava", "tap", "c8", "nyc", "eslintConfig", "eslintIgnore", "xo"];
/** The tables `[tool.…]` of a `pyproject.toml` that do. */
const ofTools = ["pytest", "coverage", "tox", "nox", "mypy", "ruff", "pyright", "pylint", "flake8", "ty"];

/** Returns true for the manifests that `manifestChange` reads. */
export function isManifest(path: string): boolean {
  return /(?:^|\/)(?:package\.json|pyproject\.toml)$/.test(path);
}

/**
 * Returns what a change of a manifest weakens, as clauses: a package script that the lines run, or a setting of tests, is not as it was.
 * New scripts, dependencies and descriptions are not.
 */
export function manifestChange(path: string, file: FileDiff, reads: CommandReads): readonly string[] {
  const [before, after] = [file.before.join("\n"), file.after.join("\n")];
  if (file.created || file.isOpaque) return [];
  const changedKeys = (old: Keys, now: Keys, keys: readonly string[]): readonly string[] =>
    keys.filter((key) => !isEqual(old[key], now[key]) && reads.readsFor(path, programOf(key)));
  if (path.endsWith(".toml")) {
    const [old, now] = [toolsOf(before), toolsOf(after)];
    return changedKeys(old, now, ofTools).map((key) => `[tool.${key}] is not as it was`);
  }
  const [old, now] = [parseJson(before), file.deleted ? {} : parseJson(after)];
  if (!isObject(old) || !isObject(now)) return [];
  const scripts = scriptsOf(after);
  if (!reads.readsFor(path, /(?:)/)) return [];
  const changed = [...scriptsRun(reads.lines, scriptsOf(before))].filter(
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

function toolsOf(text: string): Keys {
  try {
    const { tool } = parse(text);
    return isObject(tool) ? tool : {};
  } catch {
    // A manifest that no tool can read fails verification by itself.
    return {};
  }
}

/** Returns the names by which commands start the program that reads the key. */
function programOf(key: string): RegExp {
  return key === "coverage" ? /\bcoverage\b|--cov\b/ : new RegExp(`\\b${key.replace(/[A-Z]\w+$/, "")}\\b`);
}

type Keys = Readonly<Record<string, unknown>>;

function isEqual(old: unknown, now: unknown): boolean {
  return JSON.stringify(old) === JSON.stringify(now);
}
