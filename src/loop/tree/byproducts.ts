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
  const written = new Set<string>();
  return {
    paths: () => byproducts,
    written,
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
  return [
    `verification made ${files} not committed: ${nameSome(paths)}: commit ${them}, or add to .gitignore: ${ignoreLines(paths)}`,
  ];
}

/** Returns lines of a `.gitignore` for the files: few by name, more by what they have in common. */
export function ignoreLines(paths: readonly string[]): string {
  const common = (of: (path: string) => string): string | null => {
    const [first = "", ...others] = new Set(paths.map(of));
    return first !== "" && others.length === 0 ? first : null;
  };
  const folder = common((path) => path.slice(0, path.indexOf("/") + 1));
  const extension = common((path) => /[^/](\.\w+)$/.exec(path)?.[1] ?? "");
  if (paths.length < 3 || (folder ?? extension) === null) return paths.slice(0, 3).join(" ");
  return folder ?? `*${extension}`;
}
