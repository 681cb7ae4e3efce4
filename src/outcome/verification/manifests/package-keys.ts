import { isObject, parseJson } from "../../../base/json.ts";
import type { FileDiff } from "../parse-diff.ts";

/** The keys of a `package.json` that define or configure what verification runs. */
const keysOfVerification = [
  ...["wireit", "nx", "config", "packageManager", "workspaces"],
  ...["vitest", "jest", "mocha", "ava", "tap", "c8", "nyc", "babel", "eslintConfig", "xo"],
  ...["eslintIgnore", "standard", "prettier", "imports", "overrides", "resolutions", "volta"],
];

/** The keys of a new package's `package.json` that configure no program, and that put none where others look for it. */
const keysOfPackage: ReadonlySet<string> = new Set([
  ...["name", "version", "private", "description", "keywords", "license", "author", "repository", "homepage"],
  ...["bugs", "type", "main", "module", "types", "exports", "files", "sideEffects", "engines", "scripts"],
  ...["dependencies", "devDependencies", "peerDependencies"],
]);

/**
 * Returns true if no such key of a `package.json` changed, such as for a new dependency or version. The diff has to contain the whole
 * file; false if it does not, or the file is not JSON.
 */
export function leavesVerification({ before, after, isOpaque, becameLink }: FileDiff): boolean {
  if (isOpaque || becameLink) return false;
  const [old, now] = [parseJson(before.join("\n")), parseJson(after.join("\n"))];
  if (!isObject(old) || !isObject(now)) return false;
  const isSame = (key: string): boolean => JSON.stringify(old[key]) === JSON.stringify(now[key]);
  return (
    keysOfVerification.every(isSame) &&
    onlyAddsScripts(old["scripts"] ?? {}, now["scripts"] ?? {}) &&
    keysOfDependencies.every((key) => keepsSources(old[key], now[key]))
  );
}

const keysOfDependencies = ["dependencies", "devDependencies", "optionalDependencies"];

/** A version, range or tag of the registry, or a package of the same workspace. */
const ofRegistry = /^(?!npm:)(?:workspace:|catalog:)?[^/:\\]*$/;

/** Returns true if no known dependency comes from somewhere else than before, such as a test runner from a folder. */
function keepsSources(old: unknown, now: unknown): boolean {
  if (!isObject(old) || !isObject(now)) return true;
  return Object.entries(now).every(([name, source]) => {
    const isOther = Object.hasOwn(old, name) && old[name] !== source;
    return !isOther || (typeof source === "string" && ofRegistry.test(source));
  });
}

/** Returns true for the `package.json` of a new package that only describes it, with scripts that somebody has to call. */
export function onlyDescribesPackage(text: string): boolean {
  const found = parseJson(text);
  if (!isObject(found)) return false;
  const isKnown = Object.keys(found).every((key) => keysOfPackage.has(key));
  return isKnown && onlyAddsScripts({}, found["scripts"] ?? {});
}

/** Scripts that package managers run of themselves. */
const ofItself = /^(?:pre|post|install$|prepare$|dependencies$)/;

/** Returns true if the scripts of before are as they were, and no new one runs before or after another. */
function onlyAddsScripts(old: unknown, now: unknown): boolean {
  if (!isObject(old) || !isObject(now)) return false;
  const added = Object.keys(now).filter((name) => !Object.hasOwn(old, name));
  return (
    added.every((name) => !ofItself.test(name)) &&
    Object.keys(old).every((name) => JSON.stringify(old[name]) === JSON.stringify(now[name]))
  );
}
