import { dirname, extname, join, resolve } from "node:path";
import { isObject, parseJson } from "../../../base/json.ts";
import { type Entry, entryOf, moduleEntry } from "./entry-files.ts";
import {
  configuringFiles,
  type ExecutedCommand,
  executedCommands,
  executedFiles,
  startedPrograms,
} from "./executed-commands.ts";
import { whys } from "./known-inputs.ts";
import { optionalFiles, valuesOf } from "./options.ts";
import { packageCall, yarnScripts } from "./package-calls.ts";
import { looksInFolder, moduleRunBy, pytestFolders } from "./python/python-modules.ts";
import { ancestors, isExecutable, isFile, isFolder, statOf, textOf } from "./script-files.ts";
import { addFile, isFull, type Search } from "./search.ts";
import { foldersAfter, pathFoldersIn, pathsOf, type ShellPlace, testedWords } from "./shell-places.ts";

const maxDepth = 6;

interface From extends ShellPlace {
  readonly depth: number;
}

/** Where a command runs in its text. */
interface Here extends From {
  /** Where the text begins to run. */
  readonly start: readonly string[];
  /** The words that the text tests for being a file. */
  readonly tested: ReadonlySet<string>;
}

/** Adds to the search what a shell text executes. */
export function readShell(text: string, search: Search, from: From): void {
  let here: Here = { ...from, start: from.folders, tested: testedWords(text) };
  for (const folder of pathFoldersIn(text, from, search)) search.programFolders.add(folder);
  for (const command of executedCommands(text)) {
    if (command.program === "cd") {
      here = { ...here, folders: foldersAfter(command.args[0] ?? "", here, search.root) };
      for (const folder of here.folders) search.folders.add(folder);
    } else readCommand(command, search, here);
  }
}

function readCommand(command: ExecutedCommand, search: Search, here: Here): void {
  if (looksInFolder(command)) for (const folder of here.folders) search.modules.add(folder);
  for (const word of pytestFolders(command)) addTests(word, search, here);
  for (const name of startedPrograms(command)) search.programs.add(name);
  for (const word of executedFiles(command)) readScripts(word, command, { search, here });
  const optional = optionalFiles(command.args);
  for (const word of configuringFiles(command)) addConfiguration(word, optional, { search, here });
  readModule(moduleRunBy(command), search, here);
  readPackageScripts(command, search, here);
  if (command.program === "yarn") readYarn(search, here);
  if (/^g?make$/.test(command.program)) readMakefiles(command.args, search, here);
}

function addTests(word: string, { tests }: Search, { folders }: From): void {
  for (const path of folders.map((folder) => resolve(folder, word))) {
    if (isFolder(path)) tests.add(path);
    else if (isFile(path)) tests.add(dirname(path));
  }
}

function addConfiguration(
  word: string,
  optional: readonly string[],
  { search, here }: { readonly search: Search; readonly here: Here },
): void {
  const [near, far] = pathsOf(word, here, search);
  const isOptional = (path: string): boolean => optional.includes(word) && statOf(path) === undefined;
  for (const path of near.length > 0 ? near : far)
    if (!isFull(search) && (isFile(path) || isOptional(path))) addFile(search, path, whys.script);
}

function readModule(module: string | undefined, search: Search, here: Here): void {
  if (module === undefined) return;
  for (const folder of here.folders) {
    const entry = moduleEntry(folder, module);
    if (entry) readEntry(entry, search, here);
  }
}

/** Yarn reads the configuration of each folder above, too. */
function readYarn(search: Search, from: From): void {
  for (const folder of new Set(from.folders.flatMap(ancestors))) {
    const named = yarnScripts(textOf(join(folder, ".yarnrc.yml"))).map((name) => resolve(folder, name));
    for (const path of named.filter(isFile)) readScript(path, search, from);
  }
}

function readScripts(
  word: string,
  { program, isGuess }: ExecutedCommand,
  { search, here }: { readonly search: Search; readonly here: Here },
): void {
  const [near, far] = pathsOf(word, here, search);
  const entriesAt = (paths: readonly string[]): readonly Entry[] =>
    paths.flatMap((path) => (isGuess ? programAt(path) : (entryOf(program, path) ?? [])));
  const found = entriesAt(near);
  // A word such as `check` may be no file at all: it is looked for only where an interpreter does.
  const entries = found.length > 0 || !/[./]/.test(word) ? found : entriesAt(far);
  for (const entry of entries) readEntry(entry, search, here);
  // A shell goes on without such a file.
  const isOptional = program === "." || program === "source" || here.tested.has(word);
  if (entries.length > 0 || !isOptional) return;
  const absent = (near.length > 0 ? near : far).filter((path) => statOf(path) === undefined);
  for (const path of absent) addFile(search, path, whys.script);
}

function programAt(path: string): readonly Entry[] {
  return isExecutable(path) ? [{ files: [path], absent: [] }] : [];
}

function readEntry({ files, absent }: Entry, search: Search, from: From): void {
  for (const path of absent) if (!isFull(search)) addFile(search, path, whys.script);
  for (const path of files) readScript(path, search, from);
}

function readScript(path: string, search: Search, { folders, depth }: From): void {
  if (isFull(search) || search.scripts.has(path)) return;
  search.scripts.add(path);
  addFile(search, path, whys.script);
  if (depth >= maxDepth) return;
  const text = textOf(path);
  for (const name of programsOfFirstLine(text)) search.programs.add(name);
  if (isShell(path, text)) readShell(text, search, { folders, own: dirname(path), depth: depth + 1 });
}

/** Of `#!/usr/bin/env bash`: it is looked up on the search path. */
function programsOfFirstLine(text: string): readonly string[] {
  const line = /^#!([^\n]{1,500})/.exec(text)?.[1];
  return line === undefined ? [] : executedCommands(line).flatMap(startedPrograms);
}

function isShell(path: string, text: string): boolean {
  if (/\.(?:sh|bash|zsh|ksh|mk)$/.test(path) || /^#!.*sh\b/.test(text.slice(0, 200))) return true;
  return extname(path) === "" && !/^#!/.test(text) && !text.slice(0, 512).includes("\0");
}

function readPackageScripts(command: ExecutedCommand, search: Search, from: From): void {
  const call = packageCall(command);
  if (call === undefined || from.depth >= maxDepth) return;
  const named = call.folders.flatMap((name) => from.folders.map((folder) => resolve(folder, name)));
  const found = named.map((folder) => join(folder, "package.json")).filter(isFile);
  const manifests = found.length > 0 ? found : from.folders.flatMap(nearestManifest);
  for (const manifest of new Set(manifests)) {
    search.folders.add(dirname(manifest));
    const parsed = parseJson(textOf(manifest));
    const scripts = isObject(parsed) && isObject(parsed["scripts"]) ? parsed["scripts"] : {};
    for (const name of call.scripts) {
      const text = scripts[name];
      const key = `${manifest} ${name}`;
      if (typeof text !== "string" || search.scripts.has(key)) continue;
      search.scripts.add(key);
      const folder = dirname(manifest);
      readShell(text, search, { folders: [folder], own: folder, depth: from.depth + 1 });
    }
  }
}

function nearestManifest(folder: string): readonly string[] {
  const all = ancestors(folder).map((one) => join(one, "package.json"));
  return all.filter(isFile).slice(0, 1);
}

function readMakefiles(args: readonly string[], search: Search, from: From): void {
  const named = valuesOf(args, /^(?:-f|--file|--makefile)$/);
  const [into = "."] = valuesOf(args, /^(?:-C|--directory)$/);
  const names = named.length > 0 ? named : ["GNUmakefile", "makefile", "Makefile"];
  search.programs.add("sh");
  for (const folder of foldersAfter(into, from, search.root)) {
    search.folders.add(folder);
    for (const name of names) readMakefile(resolve(folder, name), search, { ...from, folders: [folder] });
  }
}

function readMakefile(path: string, search: Search, from: From): void {
  if (!isFile(path) || search.scripts.has(path) || from.depth >= maxDepth) return;
  search.scripts.add(path);
  addFile(search, path, whys.script);
  const text = textOf(path);
  const next = { ...from, own: dirname(path), depth: from.depth + 1 };
  for (const [, sign = "", names = ""] of text.matchAll(/^([-s]?)include[ \t]+([^\n#]{1,500})/gm)) {
    for (const name of names.split(/\s+/))
      includeMakefile(name, search, { ...next, isOptional: sign !== "" });
  }
  for (const [, value = ""] of text.matchAll(/^[\w \t]*\bSHELL[ \t]*[:?]*=([^\n#]{1,500})/gm)) {
    for (const name of value.match(/[\w.+-]+/g) ?? []) search.programs.add(name);
  }
  readShell(text, search, next);
}

function includeMakefile(
  name: string,
  search: Search,
  { isOptional, ...from }: From & { readonly isOptional: boolean },
): void {
  const isPlain = name !== "" && !/[$*?]/.test(name);
  for (const folder of from.folders) {
    const path = resolve(folder, name);
    readMakefile(path, search, from);
    if (isPlain && isOptional && statOf(path) === undefined) addFile(search, path, whys.script);
  }
}
