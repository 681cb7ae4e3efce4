import { join } from "node:path";
import { lookAt } from "../../base/careful-files.ts";
import { nameSome } from "../../base/text.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import type { Byproducts } from "../rows/slot.ts";

/** More, or larger ones, are rather a report than what a person would commit; each next task would copy them. */
const maxFiles = 200;
const maxBytes = 4 * 1024 * 1024;

export function openByproducts({ workspace }: { readonly workspace: Workspace }): Byproducts {
  let byproducts: ReadonlySet<string> = new Set();
  return {
    paths: () => byproducts,
    add: (paths) => {
      const small = paths.filter((path) => {
        const stats = lookAt(join(workspace.root, path));
        return stats?.isFile() === true && stats.size <= maxBytes;
      });
      const all = new Set([...byproducts, ...small]);
      if (all.size <= maxFiles) byproducts = all;
    },
  };
}

/** Returns the warning about new files of verification, which no commit of ralph holds; none for no file. */
export function byproductWarnings(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  const [files, them] =
    paths.length === 1 ? ["1 file that is", "it"] : [`${paths.length} files that are`, "them"];
  return [`verification made ${files} not committed: ${nameSome(paths)}: commit or ignore ${them}`];
}
