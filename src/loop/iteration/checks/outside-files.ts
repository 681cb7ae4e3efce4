import { relative } from "node:path";
import { nameSome } from "../../../base/text.ts";
import { changesOutside } from "../../../workspace/status.ts";
import type { Workspace } from "../../../workspace/workspace.ts";

/**
 * The files of the repository outside of the project's folder that have changes. Verification can read them, and no commit of
 * ralph holds them. In memory only: what is there when a run begins is taken for a person's.
 */
export interface OutsideFiles {
  /** Notes how they are when a run begins. Returns a warning about those that have changes already; none without any. */
  begin(): Promise<readonly string[]>;
  /** Returns a warning about those that changed since then, or since `accept`; none without any. */
  changes(): Promise<readonly string[]>;
  /** Takes what the last `changes` found for known. */
  accept(): void;
}

export function openOutsideFiles({ workspace }: { readonly workspace: Workspace }): OutsideFiles {
  let noted: ReadonlyMap<string, string> = new Map();
  let found = noted;
  const named = (paths: readonly string[]): string =>
    nameSome(paths.map((path) => relative(workspace.prefix, path)));
  return {
    accept: () => {
      noted = found;
    },
    begin: async () => {
      noted = await changesOutside(workspace);
      found = noted;
      if (noted.size === 0) return [];
      const [have, reads, holds] =
        noted.size === 1 ? ["has", "reads it as it is", "it"] : ["have", "reads them as they are", "them"];
      return [
        `${named([...noted.keys()])} ${have} changes outside of the project's folder: verification ${reads}, and no commit of this run holds ${holds}`,
      ];
    },
    changes: async () => {
      found = await changesOutside(workspace);
      // What was committed meanwhile does not count: the commits of this run are made on it.
      const changed = [...found].filter(([path, state]) => noted.get(path) !== state).map(([path]) => path);
      if (changed.length === 0) return [];
      return [
        `${named(changed)} changed outside of the project's folder: what verification read there is not part of the work`,
      ];
    },
  };
}
