import { join } from "node:path";
import { whyByName, whys } from "./known-inputs.ts";
import { isPythonModule } from "./python-modules.ts";
import { listed, statOf } from "./script-files.ts";

/** A folder in which programs look for files: a new one there can take the place of another. */
export interface SearchedFolder {
  readonly path: string;
  /** Returns the names of the files there that matter, with the reason. */
  present(): ReadonlyMap<string, string>;
}

/** The programs of agents and memory that ralph finds on the PATH. */
export const agentPrograms: readonly string[] = ["claude", "codex", "gemini", "opencode", "pi", "swarm"];
const ralphs: ReadonlySet<string> = new Set(["git", ...agentPrograms]);

/** The programs of these names in a folder of the search path. */
export function ofPrograms(path: string, names: readonly string[]): SearchedFolder {
  return {
    path,
    present: () => {
      if (statOf(path) === undefined) return new Map();
      const there = names.filter((name) => statOf(join(path, name)));
      return new Map(
        there.map((name) => [name, `${ralphs.has(name) ? "ralph" : "verification"} would run it as ${name}`]),
      );
    },
  };
}

/** The configuration files in a folder where commands run. */
export function ofConfiguration(folder: string): readonly SearchedFolder[] {
  return [
    ofNames(folder, whyByName),
    ofNames(join(folder, ".cargo"), (name) => (/^config(?:\.toml)?$/.test(name) ? whys.config : undefined)),
  ];
}

/** The files for whose names `why` returns a reason. */
export function ofNames(path: string, why: (name: string) => string | undefined): SearchedFolder {
  return {
    path,
    present: () => {
      const found = listed(path).map((name) => [name, why(name)] as const);
      return new Map(found.flatMap(([name, reason]) => (reason === undefined ? [] : [[name, reason]])));
    },
  };
}

/** Finds modules, and packages with a start file, that have the name of one of Python's own. */
export function ofModules(path: string): SearchedFolder {
  const starts = (name: string): readonly string[] =>
    name.endsWith(".py") ? [name] : ["__init__.py", "__main__.py"].map((file) => join(name, file));
  return {
    path,
    present: () => {
      const named = listed(path).filter(isPythonModule).flatMap(starts);
      return new Map(named.filter((name) => statOf(join(path, name))).map((name) => [name, whys.module]));
    },
  };
}
