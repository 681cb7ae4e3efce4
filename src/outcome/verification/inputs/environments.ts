import { dirname, join } from "node:path";
import { type ExecutedCommand, executedFiles } from "./executed-commands.ts";
import { ancestors } from "./script-files.ts";
import type { Search } from "./search.ts";
import { pathsOf, type ShellPlace } from "./shell-places.ts";

/** Programs that run others in the project's environment of Python. */
const pythonRunners = /^(?:uv|uvx|poetry|pipenv|pdm|hatch|rye|tox|nox|pre-commit)$/;
/** Package managers, and programs whose scripts may start one. */
const packageRunners = /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|corepack|node|nodejs|deno|tsx|ts-node)$/;
/** Programs that run commands which are not searched. */
const taskRunners =
  /^(?:just|task|turbo|nx|lerna|moon|rake|mise|direnv|lefthook|husky|gradle|gradlew|mvn|mvnw|bazel|earthly)$/;
/** A program of an environment, by its path. */
const ofEnvironment = /(?:^|\/)(?:[^/]+\/bin|node_modules\/\.bin)\/[^/]+$/;

interface Here extends ShellPlace {
  readonly start: readonly string[];
}

/** Adds the folders of programs that a command uses besides those of the search path. */
export function readEnvironments(command: ExecutedCommand, search: Search, here: Here): void {
  const name = command.program.slice(command.program.lastIndexOf("/") + 1);
  const runsAny = taskRunners.test(name);
  if (runsAny || packageRunners.test(name)) search.usesPackages = true;
  if (runsAny || pythonRunners.test(name)) {
    for (const folder of [...here.folders, search.root]) addPython(search, folder);
  }
  for (const word of executedFiles(command)) {
    const paths = ofEnvironment.test(word) ? pathsOf(word, here, search).flat() : [];
    for (const path of paths) addEnvironment(search, dirname(path));
    if (paths.length > 0) search.programs.add(word.slice(word.lastIndexOf("/") + 1));
  }
}

function addPython(search: Search, folder: string): void {
  for (const name of [search.env["UV_PROJECT_ENVIRONMENT"] || ".venv", ".venv", "venv"])
    addEnvironment(search, join(folder, name, "bin"));
}

function addEnvironment({ programFolders, root }: Search, folder: string): void {
  // Those of the system do not change with the work.
  if (folder.startsWith(`${root}/`)) programFolders.add(folder);
}

/** Returns the folders of Node's packages in which package managers look for programs. */
export function packageFolders({ folders, usesPackages }: Search): readonly string[] {
  if (!usesPackages) return [];
  return [...folders].flatMap((folder) => ancestors(folder).map((one) => join(one, "node_modules/.bin")));
}

/** Returns the folders of Python's packages beside folders of programs, as in an environment of Python. */
export function librariesBeside(programFolders: readonly string[], root: string): readonly string[] {
  return programFolders
    .filter((folder) => folder.startsWith(`${root}/`) && folder.endsWith("/bin"))
    .map((folder) => join(dirname(folder), "lib"));
}
