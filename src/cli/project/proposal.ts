import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { VerifySetting } from "../../base/verify-command.ts";
import { readSmallFile } from "../../outcome/package-script.ts";

/** A command that may verify the work. */
export interface Proposal {
  readonly command: VerifySetting;
  /** The file, and the part of it, that suggests the command. */
  readonly from: string;
  /** `guess`: nothing says that there are tests. */
  readonly kind: "test" | "check" | "guess";
}

/** The files of the project's root or a package. */
export interface Files {
  /** Returns the text of a file; undefined if it does not exist. */
  read(name: string): Promise<string | undefined>;
  /** Returns the names in a folder; none if it does not exist. */
  list(folder: string): Promise<readonly string[]>;
}

export function filesOf(folder: string): Files {
  return {
    read: (name) => readSmallFile(join(folder, name)),
    list: (name) => readdir(join(folder, name)).catch(() => []),
  };
}

export function propose(run: string, from: string, kind: Proposal["kind"] = "check"): Proposal {
  return { command: { run, timeoutMs: null }, from, kind };
}

/** Returns the first of these files that exists. */
export async function firstOf(read: Files["read"], names: readonly string[]): Promise<string | undefined> {
  for (const name of names) if ((await read(name)) !== undefined) return name;
  return undefined;
}
