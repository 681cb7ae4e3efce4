import { readdir } from "node:fs/promises";
import { join } from "node:path";

const manifests: ReadonlySet<string> = new Set(["package.json", "pyproject.toml", "go.mod", "Cargo.toml"]);
/** Folders that hold what is installed, built or only an example. */
const skipped =
  /^(?:\.|_|(?:node_modules|vendor|target|dist|build|out|coverage|venv|env|examples?|fixtures?|tests?|e2e)$)/;
/** Names that can be part of a glob as they are. */
const plain = /^[\w@.+-]+$/;
const maxDepth = 3;
const maxFolders = 1000;

/** Returns the folders below `root` with a package's manifest, relative to it and sorted; reads at most 1,000 folders. */
export async function findPackages(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  let level: readonly string[] = [""];
  let read = 0;
  for (let depth = 0; depth <= maxDepth && level.length > 0; depth++) {
    const next: string[][] = [];
    for (const folder of level) {
      if (++read > maxFolders) return found.sort();
      const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
      if (folder !== "" && entries.some((entry) => entry.isFile() && manifests.has(entry.name)))
        found.push(folder);
      const folders = entries.filter(({ name }) => plain.test(name) && !skipped.test(name));
      const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
      next.push(names.map((name) => (folder === "" ? name : `${folder}/${name}`)));
    }
    level = next.flat();
  }
  return found.sort();
}
