import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isObject, parseJson } from "../base/json.ts";

/** The script that a command such as `npm run lint` runs, or the reason why it is missing. */
type Script =
  | {
      readonly name: string;
      readonly text: string;
      /** The folder where it runs. */
      readonly folder: string;
      /** The folders of the package's programs, to prepend to PATH. */
      readonly path: string;
      /** The `package.json`. */
      readonly file: string;
    }
  | { readonly missing: string; readonly file: string };

/** Flags that do not select another package's script. */
const harmlessFlags: ReadonlySet<string> = new Set(["-s", "--silent", "--quiet"]);

/**
 * Finds the package script that a command's words name; undefined if they do not certainly name one. Like package managers,
 * uses the nearest folder with a `package.json`.
 */
export async function findScript(words: readonly string[], cwd: string): Promise<Script | undefined> {
  const name = scriptNamed(words);
  if (name === undefined) return undefined;
  const folder = packageFolder(cwd);
  const file = join(folder ?? cwd, "package.json");
  const manifest = parseJson((await readSmallFile(file)) ?? "");
  if (!folder) return { missing: "there is no package.json", file };
  if (!isObject(manifest)) return { missing: "package.json is not a JSON object", file };
  const scripts = isObject(manifest["scripts"]) ? manifest["scripts"] : {};
  const text = scripts[name];
  const programs = binFolders(folder);
  if (typeof text !== "string") {
    // yarn and bun also run programs with `run`, and bun runs files.
    const isProgram =
      /^(?:yarn|bun)$/.test(words[0] ?? "") && programs.some((bin) => existsSync(join(bin, name)));
    if (isProgram || existsSync(join(folder, name)) || usesPlugAndPlay(folder)) return undefined;
    return { missing: `package.json has no script "${name}"`, file };
  }
  // A `pre` script can install programs, and Plug'n'Play provides them in unknown places.
  if (typeof scripts[`pre${name}`] === "string" || usesPlugAndPlay(folder)) return undefined;
  return { name, text, folder, path: programs.join(":"), file };
}

function scriptNamed([manager = "", ...rest]: readonly string[]): string | undefined {
  const words = rest.filter((one) => !harmlessFlags.has(one));
  const [verb, name] = words;
  switch (manager) {
    case "npm":
    case "pnpm":
      if (verb === "test" || verb === "t") return "test";
      return verb === "run" || verb === "run-script" ? plain(name) : undefined;
    case "yarn":
      return verb === "test" ? "test" : verb === "run" ? plain(name) : undefined;
    case "bun":
      return verb === "run" ? plain(name) : undefined;
    default:
      return undefined;
  }
}

/** Excludes patterns (`/^test:/`), which pnpm accepts. */
function plain(name: string | undefined): string | undefined {
  return name !== undefined && /^[\w@][\w@:.-]*$/.test(name) ? name : undefined;
}

function packageFolder(cwd: string): string | undefined {
  return ancestors(cwd).find((folder) => existsSync(join(folder, "package.json")));
}

function binFolders(folder: string): readonly string[] {
  return ancestors(folder).map((one) => join(one, "node_modules/.bin"));
}

function ancestors(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

function usesPlugAndPlay(folder: string): boolean {
  return ancestors(folder).some(
    (one) => existsSync(join(one, ".pnp.cjs")) || existsSync(join(one, ".pnp.js")),
  );
}

const maxFileBytes = 1024 * 1024;

/** Returns the text of a regular file of at most 1 MiB; undefined for anything else or an unreadable file. */
export async function readSmallFile(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() && found.size <= maxFileBytes ? await readFile(path, "utf8") : undefined;
  } catch {
    // Missing or unreadable: detection continues without it.
    return undefined;
  }
}

/** Returns the package scripts of a `package.json`; none if it is no such file. */
export function scriptsOf(text: string): Readonly<Record<string, string>> {
  const manifest = parseJson(text);
  const scripts = isObject(manifest) && isObject(manifest["scripts"]) ? manifest["scripts"] : {};
  return Object.fromEntries(
    Object.entries(scripts).flatMap(([name, script]) => (typeof script === "string" ? [[name, script]] : [])),
  );
}
