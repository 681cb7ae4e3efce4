import { delimiter, isAbsolute, join, resolve } from "node:path";
import {
  pythonFolders,
  shellFolders,
  userFolders,
  userInputs,
  whyAbove,
  whyShellStarts,
  whys,
} from "./known-inputs.ts";
import { ofModules, ofPackages, ofPlugins, ofPythonLibrary } from "./python/python-folders.ts";
import { readShell } from "./read-scripts.ts";
import { ancestors } from "./script-files.ts";
import { addFile, type Place, type Search } from "./search.ts";
import {
  agentPrograms,
  ofConfiguration,
  ofNames,
  ofPrograms,
  ofTests,
  persons,
  type SearchedFolder,
} from "./searched-folders.ts";

/** The files that verification reads besides the project's sources, as far as they can be found by name. */
export interface Inputs {
  /** Absolute paths, existing or not, with the reason as a clause. */
  readonly files: ReadonlyMap<string, string>;
  readonly folders: readonly SearchedFolder[];
}

const maxPrograms = 64;
const maxTests = 5;

/**
 * Finds what the commands read, by name: the scripts that they execute, also through package scripts, Makefiles and other
 * scripts, their programs on the search path, configuration files and start files. Bounded; executes nothing.
 */
export function findInputs(commands: readonly string[], place: Place): Inputs {
  const { root, env } = place;
  const search: Search = {
    ...place,
    files: new Map(userInputs(env)),
    programs: new Set(["sh", "git"]),
    programFolders: new Set(),
    folders: new Set([root]),
    tests: new Set(),
    scripts: new Set(),
    modules: new Set(),
  };
  for (const command of commands) readShell(command, search, { folders: [root], own: root, depth: 0 });
  const names = [...search.programs].slice(0, maxPrograms);
  const folders = [
    ...programFolders(search).map((path) => ofPrograms(path, names)),
    ...[...search.folders].flatMap((path) => ofConfiguration(path)),
    ...foldersAbove(search).flatMap((path) => ofConfiguration(path, whyAbove)),
    ...userFolders(env).map((path) => ofNames(path, () => whys.config)),
    ...[...search.modules].map(ofModules),
    ...[...search.folders, join(root, "src")].map(ofPlugins),
    ...[...search.tests].slice(0, maxTests).map(ofTests),
    ...virtual(root, "lib").map((path) => ofPythonLibrary(path, { isUsers: false })),
    ...userLibraries(search).map((path) => ofPythonLibrary(path, { isUsers: true })),
    ...pythonFolders(env).map(ofPackages),
    ...shellFolders(env).map((path) => ofNames(path, whyShellStarts)),
  ];
  for (const folder of folders) {
    for (const [name, why] of folder.present()) {
      const path = join(folder.path, name);
      if (!search.files.has(path)) addFile(search, path, why);
    }
  }
  // Agents update themselves: only another program of such a name matters.
  const agents = pathFolders(search).map((path) => ofPrograms(path, [...agentPrograms, ...persons], "you"));
  return { files: search.files, folders: [...folders, ...agents] };
}

/** Programs take the nearest configuration, and some those of all folders above as well. */
function foldersAbove({ folders, cleanFolder }: Search): readonly string[] {
  const own = [...folders, ...(cleanFolder === undefined ? [] : [cleanFolder])];
  return [...new Set(own.flatMap(ancestors))].filter((path) => !folders.has(path)).slice(0, 100);
}

function programFolders({ root, env, folders, programFolders: added }: Search): readonly string[] {
  const bins = [...folders].flatMap((folder) =>
    ancestors(folder).map((one) => join(one, "node_modules/.bin")),
  );
  const all = [...added, ...bins, ...pathFolders({ root, env }), ...virtual(root, "bin")];
  return [...new Set(all)].filter((one) => isAbsolute(one)).slice(0, 100);
}

function pathFolders({ root, env }: Place): readonly string[] {
  const path = (env["PATH"] ?? "").split(delimiter).filter(Boolean);
  return [...new Set(path.map((one) => resolve(root, one)))].slice(0, 50);
}

function virtual(root: string, name: string): readonly string[] {
  return [".venv", "venv"].map((folder) => join(root, folder, name));
}

/** Folders with one for each version of Python. */
function userLibraries({ env }: Search): readonly string[] {
  const home = env["HOME"] ?? "";
  const users = [env["PYTHONUSERBASE"] ?? "", isAbsolute(home) ? join(home, ".local") : ""];
  return users.filter(isAbsolute).map((folder) => join(folder, "lib"));
}
