import { join, resolve } from "node:path";
import { isObject, parseJson } from "../../../base/json.ts";
import { isFile, isFolder, statOf, textOf } from "./script-files.ts";

/** The file that an interpreter runs for a path. */
export interface Entry {
  readonly files: readonly string[];
  /** Files that it would prefer, or read as well, if they existed. */
  readonly absent: readonly string[];
}

const node = [".js", ".json", ".cjs", ".mjs", ".ts"];
const typeScript = [".ts", ".tsx", ...node];
const endingsOf: Readonly<Record<string, readonly string[]>> = {
  ...{ node, nodejs: node, bun: typeScript, deno: typeScript },
  ...{ tsx: typeScript, "ts-node": typeScript },
};

/** Returns what a program runs for a path, which may be a file, a file without its ending, or a folder; undefined: nothing. */
export function entryOf(program: string, path: string): Entry | undefined {
  if (isFile(path)) return { files: [path], absent: [] };
  const name = program.slice(program.lastIndexOf("/") + 1);
  const endings = Object.hasOwn(endingsOf, name) ? endingsOf[name] : undefined;
  if (endings) return withEnding(path, endings) ?? packageAt(path, endings);
  const main = join(path, "__main__.py");
  return /^python[\d.]*$/.test(name) && isFile(main) ? { files: [main], absent: [] } : undefined;
}

function withEnding(path: string, endings: readonly string[]): Entry | undefined {
  const at = endings.findIndex((ending) => isFile(path + ending));
  if (at < 0) return undefined;
  const before = ["", ...endings.slice(0, at)].map((ending) => path + ending);
  return {
    files: [path + (endings[at] ?? "")],
    absent: before.filter((one) => statOf(one) === undefined),
  };
}

function packageAt(folder: string, endings: readonly string[]): Entry | undefined {
  if (!isFolder(folder)) return undefined;
  const manifest = join(folder, "package.json");
  const has = isFile(manifest);
  const parsed = has ? parseJson(textOf(manifest)) : null;
  const main =
    isObject(parsed) && typeof parsed["main"] === "string" ? resolve(folder, parsed["main"]) : folder;
  const index = (path: string): Entry | undefined => withEnding(join(path, "index"), endings);
  const own =
    main === folder ? undefined : isFile(main) ? { files: [main], absent: [] } : withEnding(main, endings);
  const found = own ?? (main === folder ? undefined : index(main)) ?? index(folder);
  if (!found) return undefined;
  return has
    ? { ...found, files: [...found.files, manifest] }
    : { ...found, absent: [...found.absent, manifest] };
}

/** Returns what `python -m module` runs, if the module or its package is in the folder. */
export function moduleEntry(folder: string, module: string): Entry | undefined {
  if (!/^\w{1,100}(?:\.\w{1,100}){0,9}$/.test(module)) return undefined;
  const parts = module.split(".");
  const paths = parts.map((_, at) => join(folder, ...parts.slice(0, at + 1)));
  const [first = folder] = paths;
  const last = paths.at(-1) ?? first;
  if (!isFile(`${first}.py`) && !isFolder(first)) return undefined;
  const main = isFile(`${last}.py`) ? `${last}.py` : join(last, "__main__.py");
  // Python runs the start file of each package on the way, and prefers a package to a file.
  const all = [...paths.map((path) => join(path, "__init__.py")), main];
  return { files: all.filter(isFile), absent: all.filter((path) => statOf(path) === undefined) };
}
