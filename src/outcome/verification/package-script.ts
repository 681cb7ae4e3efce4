import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject, parseJson } from "../../base/json.ts";
import { readSmallFile } from "./read-small-file.ts";

/** The script that `npm run lint` and the like would run, or what is missing for it. */
type Script =
  | {
      readonly name: string;
      readonly text: string;
      /** Where it runs. */
      readonly folder: string;
      /** The package's own programs, to be put before PATH. */
      readonly path: string;
      /** The `package.json`. */
      readonly file: string;
    }
  | { readonly missing: string; readonly file: string };

/** With any other flag the script may be another package's. */
const harmlessFlags: ReadonlySet<string> = new Set(["-s", "--silent", "--quiet"]);

/**
 * Finds the package script that a command's words name; undefined when they name none for certain. The package is that
 * of the nearest folder with a `package.json`, as package managers look for it.
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
    // yarn and bun run programs by `run` too; bun also files.
    const isProgram =
      /^(?:yarn|bun)$/.test(words[0] ?? "") && programs.some((bin) => existsSync(join(bin, name)));
    if (isProgram || existsSync(join(folder, name)) || usesPlugAndPlay(folder)) return undefined;
    return { missing: `package.json has no script "${name}"`, file };
  }
  // What a script before it installs cannot be known, nor what Plug'n'Play provides.
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

/** pnpm takes patterns (`/^test:/`) too. */
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
