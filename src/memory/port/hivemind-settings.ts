import type { SafeText } from "../../base/safe-text.ts";

/** The project, as other projects may know it. */
export interface ProjectOrigin {
  /** Hash of the normalised address of its remote, else of its git folder: equal for all worktrees and clones of it. */
  readonly id: string;
  /** The last part of that address, for people. */
  readonly name: SafeText;
  /** Its folder: paths in it are stored relative to it. */
  readonly root: string;
  /** Further texts that never leave the project: the name of the machine, the home folder, the host of the remote. */
  readonly privateTexts: readonly string[];
}

/** The program `swarm`, as ralph calls it. */
export interface SwarmProgram {
  /** The folder in which it is started, the same for all projects. */
  readonly folder: string;
  /** Its complete environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** `HivemindSettings.path` where the program `swarm` keeps the records: no path, because those are absolute. */
export const swarmPlace = "swarm";

/** The memory that projects share. */
export interface HivemindSettings {
  /** The path of its SQLite file, or `swarm`. */
  readonly path: string;
  /** The program that keeps the records in place of that file. */
  readonly swarm?: SwarmProgram | undefined;
  /** Returns the project; asks git once. */
  readonly project: () => Promise<ProjectOrigin>;
}
