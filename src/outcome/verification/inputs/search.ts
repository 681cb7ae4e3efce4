import { whys } from "./known-inputs.ts";
import { realPath, statOf } from "./script-files.ts";

/** Where verification runs. */
export interface Place {
  /** The project's root, where the commands run. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** Below which verification runs as well: its programs look for configuration there and above. */
  readonly cleanFolder?: string | undefined;
}

/** The findings of a search so far. */
export interface Search extends Place {
  /** Absolute paths, existing or not, with the reason as a clause. */
  readonly files: Map<string, string>;
  readonly programs: Set<string>;
  /** Folders that scripts add to the search path. */
  readonly programFolders: Set<string>;
  /** Where commands run. */
  readonly folders: Set<string>;
  /** Folders of tests that pytest runs. */
  readonly tests: Set<string>;
  readonly scripts: Set<string>;
  /** Where Python looks for modules before its own folders. */
  readonly modules: Set<string>;
}

const maxFiles = 200;

/** Returns true if the search has reached its limit of files. */
export function isFull({ files }: Search): boolean {
  return files.size >= maxFiles;
}

/** Adds a file, and the file that a link leads to, or a link among the folders of the project. */
export function addFile({ files, root }: Search, path: string, why: string): void {
  files.set(path, why);
  const found = statOf(path);
  if (!found?.isSymbolicLink() && !path.startsWith(`${root}/`)) return;
  const real = found && realPath(path);
  if (real !== undefined && real !== path) files.set(real, whys.script);
}
