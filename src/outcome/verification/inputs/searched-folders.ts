import { join, relative } from "node:path";
import { whyByName, whyStarted, whys } from "./known-inputs.ts";
import { isFolder, listed, statOf } from "./script-files.ts";

/** A folder in which programs look for files: a new one there can take the place of another. */
export interface SearchedFolder {
  readonly path: string;
  /** Other folders, and files, whose stat data change with what is present; as of the last call of `present`. */
  readonly others?: () => readonly string[];
  /** Returns the names of the files there that matter, with the reason. */
  present(): ReadonlyMap<string, string>;
}

/** The programs of agents and memory that ralph finds on the PATH. */
export const agentPrograms: readonly string[] = ["claude", "codex", "gemini", "opencode", "pi", "swarm"];
/** The programs that a person starts, and that the first line of `ralph` itself starts. */
export const persons: readonly string[] = ["ralph", "node", "npm", "npx"];
const ralphs: ReadonlySet<string> = new Set(["git", ...agentPrograms]);

/** The programs of these names in a folder of the search path. `others`: who starts those that ralph does not. */
export function ofPrograms(
  path: string,
  names: readonly string[],
  others: "verification" | "you" = "verification",
): SearchedFolder {
  return {
    path,
    present: () => {
      if (statOf(path) === undefined) return new Map();
      const there = names.filter((name) => statOf(join(path, name)));
      return new Map(there.map((name) => [name, whyStarted(ralphs.has(name) ? "ralph" : others, name)]));
    },
  };
}

/** Folders of the configuration of one program, or of several. */
const configFolders = [".cargo", ".mvn", ".config"];

/** The configuration files in a folder: one where commands run, if nothing else is said. */
export function ofConfiguration(
  folder: string,
  why: (name: string) => string | undefined = whyByName,
): readonly SearchedFolder[] {
  return [
    ofNames(folder, why),
    ...configFolders.map((name) => ofNames(join(folder, name), (file) => why(`${name}/${file}`))),
  ];
}

/** The files for whose names `why` returns a reason. */
export function ofNames(path: string, why: (name: string) => string | undefined): SearchedFolder {
  return {
    path,
    present: () => {
      const found = listed(path).map((name) => [name, why(name)] as const);
      return new Map(
        found.flatMap(([name, reason]) =>
          // `.env` may also be a virtual environment.
          reason === undefined || isFolder(join(path, name)) ? [] : [[name, reason]],
        ),
      );
    },
  };
}

const maxTestFolders = 50;

/** The files `conftest.py` in a folder of tests and in those below it: git does not show one that it is made to ignore. */
export function ofTests(path: string): SearchedFolder {
  let below: readonly string[] = [];
  return {
    path,
    others: () => below,
    present: () => {
      const folders = foldersFrom(path);
      below = folders.slice(1);
      const files = folders.map((folder) => join(folder, "conftest.py"));
      return new Map(files.filter(statOf).map((file) => [relative(path, file), whys.config]));
    },
  };
}

/** Returns the folder and those below it, without links. */
function foldersFrom(path: string): readonly string[] {
  const found = [path];
  for (let at = 0; at < found.length && found.length < maxTestFolders; at++) {
    const folder = found[at] ?? path;
    const below = listed(folder).filter((name) => !/^(?:\..*|__pycache__|node_modules)$/.test(name));
    const folders = below.map((name) => join(folder, name)).filter((one) => statOf(one)?.isDirectory());
    for (const one of folders.slice(0, maxTestFolders - found.length)) found.push(one);
  }
  return found;
}
