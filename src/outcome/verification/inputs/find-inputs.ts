import { delimiter, dirname, extname, isAbsolute, join, resolve } from "node:path";
import { isObject, parseJson } from "../../../base/json.ts";
import { executedCommands, executedFiles, executedScripts, startedPrograms } from "./executed-commands.ts";
import { isPythonStart, pythonFolders, userInputs, whys } from "./known-inputs.ts";
import { looksInFolder } from "./python-modules.ts";
import { ancestors, isExecutable, isSmallFile, listed, realPath, statOf, textOf } from "./script-files.ts";
import {
  agentPrograms,
  ofConfiguration,
  ofModules,
  ofNames,
  ofPrograms,
  type SearchedFolder,
} from "./searched-folders.ts";

/** The files that verification reads besides the project's sources, as far as they can be found by name. */
export interface Inputs {
  /** Absolute paths, existing or not, with the reason as a clause. */
  readonly files: ReadonlyMap<string, string>;
  readonly folders: readonly SearchedFolder[];
}

interface Place {
  /** The project's root, where the commands run. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
}

const maxDepth = 6;
const maxFiles = 200;
const maxPrograms = 64;

interface Search extends Place {
  readonly files: Map<string, string>;
  readonly programs: Set<string>;
  /** Where commands run. */
  readonly folders: Set<string>;
  readonly scripts: Set<string>;
  /** Where Python looks for modules before its own folders. */
  readonly modules: Set<string>;
}

interface From {
  readonly folder: string;
  /** The folder of the script itself. */
  readonly own: string;
  readonly depth: number;
  /** Absent: any small file is a script. */
  readonly isScript?: (path: string) => boolean;
}

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
    folders: new Set([root]),
    scripts: new Set(),
    modules: new Set(),
  };
  for (const command of commands) readShell(command, search, { folder: root, own: root, depth: 0 });
  const names = [...search.programs].slice(0, maxPrograms);
  const folders = [
    ...programFolders(search).map((path) => ofPrograms(path, names)),
    ...[...search.folders].flatMap(ofConfiguration),
    ...[...search.modules].map(ofModules),
    ...pythonPlaces(search).map((path) =>
      ofNames(path, (name) => (isPythonStart(name) ? whys.start : undefined)),
    ),
  ];
  for (const folder of folders) {
    for (const [name, why] of folder.present()) addFile(search, join(folder.path, name), why);
  }
  // Agents update themselves: only another program of such a name matters.
  const agents = pathFolders(search).map((path) => ofPrograms(path, agentPrograms));
  return { files: search.files, folders: [...folders, ...agents] };
}

/** With the file that a link leads to, or a link among the folders of the project. */
function addFile({ files, root }: Search, path: string, why: string): void {
  files.set(path, why);
  const found = statOf(path);
  if (!found?.isSymbolicLink() && !path.startsWith(`${root}/`)) return;
  const real = found && realPath(path);
  if (real !== undefined && real !== path) files.set(real, whys.script);
}

function readShell(text: string, search: Search, from: From): void {
  let { folder } = from;
  for (const command of executedCommands(text)) {
    const here = { ...from, folder };
    if (command.program === "cd") {
      folder = resolve(folder, command.args[0] ?? ".");
      search.folders.add(folder);
      continue;
    }
    if (looksInFolder(command)) search.modules.add(folder);
    for (const name of startedPrograms(command)) search.programs.add(name);
    const isScript = command.isGuess ? isExecutable : isSmallFile;
    for (const word of executedFiles(command)) readScript(word, search, { ...here, isScript });
    for (const name of executedScripts(command)) readPackageScript(name, search, here);
    if (/^g?make$/.test(command.program)) readMakefiles(command.args, search, here);
  }
}

function readScript(word: string, search: Search, from: From): void {
  // `$DIR/x.sh` and `$(dirname $0)/x.sh` are beside the script.
  const beside = word.replace(/^\$\w*/, "").replace(/^\/+/, "");
  const path = [resolve(from.folder, word), resolve(from.own, beside)].find(from.isScript ?? isSmallFile);
  if (path === undefined || search.files.size >= maxFiles || search.scripts.has(path)) return;
  search.scripts.add(path);
  addFile(search, path, whys.script);
  if (from.depth >= maxDepth) return;
  const text = textOf(path);
  if (isShell(path, text)) readShell(text, search, { ...from, own: dirname(path), depth: from.depth + 1 });
}

function isShell(path: string, text: string): boolean {
  if (/\.(?:sh|bash|zsh|ksh|mk)$/.test(path) || /^#!.*sh\b/.test(text.slice(0, 200))) return true;
  return extname(path) === "" && !/^#!/.test(text) && !text.slice(0, 512).includes("\0");
}

function readPackageScript(name: string, search: Search, from: From): void {
  const manifest = ancestors(from.folder)
    .map((folder) => join(folder, "package.json"))
    .find(isSmallFile);
  if (manifest === undefined || from.depth >= maxDepth) return;
  const folder = dirname(manifest);
  search.folders.add(folder);
  const parsed = parseJson(textOf(manifest));
  const scripts = isObject(parsed) && isObject(parsed["scripts"]) ? parsed["scripts"] : {};
  const text = scripts[name];
  const key = `${manifest} ${name}`;
  if (typeof text !== "string" || search.scripts.has(key)) return;
  search.scripts.add(key);
  readShell(text, search, { folder, own: folder, depth: from.depth + 1 });
}

function readMakefiles(args: readonly string[], search: Search, from: From): void {
  const named = args.flatMap((word, at) => (word === "-f" ? [args[at + 1] ?? ""] : []));
  const into = args.flatMap((word, at) => (word === "-C" ? [args[at + 1] ?? ""] : []));
  const folder = resolve(from.folder, into[0] ?? ".");
  const names = named.length > 0 ? named : ["GNUmakefile", "makefile", "Makefile"];
  search.programs.add("sh");
  for (const name of names) readMakefile(resolve(folder, name), search, { ...from, folder });
}

function readMakefile(path: string, search: Search, from: From): void {
  if (!isSmallFile(path) || search.scripts.has(path) || from.depth >= maxDepth) return;
  search.scripts.add(path);
  addFile(search, path, whys.script);
  const text = textOf(path);
  const next = { ...from, own: dirname(path), depth: from.depth + 1 };
  for (const [, names = ""] of text.matchAll(/^[-s]?include[ \t]+([^\n#]{1,500})/gm)) {
    for (const name of names.split(/\s+/)) readMakefile(resolve(from.folder, name), search, next);
  }
  readShell(text, search, next);
}

function programFolders({ root, env, folders }: Search): readonly string[] {
  const bins = [...folders].flatMap((folder) =>
    ancestors(folder).map((one) => join(one, "node_modules/.bin")),
  );
  const all = [...bins, ...pathFolders({ root, env }), ...virtual(root, "bin")];
  return [...new Set(all)].filter((one) => isAbsolute(one)).slice(0, 100);
}

function pathFolders({ root, env }: Place): readonly string[] {
  const path = (env["PATH"] ?? "").split(delimiter).filter(Boolean);
  return [...new Set(path.map((one) => resolve(root, one)))].slice(0, 50);
}

function virtual(root: string, name: string): readonly string[] {
  return [".venv", "venv"].map((folder) => join(root, folder, name));
}

function pythonPlaces({ root, env }: Search): readonly string[] {
  const home = env["HOME"] ?? "";
  const above = [...virtual(root, "lib"), ...(isAbsolute(home) ? [join(home, ".local/lib")] : [])];
  const sites = above.flatMap((folder) =>
    listed(folder)
      .filter((name) => name.startsWith("python"))
      .map((name) => join(folder, name, "site-packages")),
  );
  return [...sites, ...pythonFolders(env)].slice(0, 20);
}
