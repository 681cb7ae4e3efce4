import { dirname, isAbsolute, resolve } from "node:path";
import { isFolder } from "./script-files.ts";

/** Where the commands of a text run, and where its files may be. */
export interface ShellPlace {
  /** More than one after a `cd` to what is not known. */
  readonly folders: readonly string[];
  /** The folder of the script itself. */
  readonly own: string;
}

interface Surroundings {
  /** The project's root. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
}

/** More folders are not searched. */
const maxFolders = 5;
const maxEntries = 20;

/** Returns the folders in which commands may run after `cd word`. */
export function foldersAfter(word: string, { folders, own }: ShellPlace, root: string): readonly string[] {
  const isKnown = word !== "" && word !== "-" && !/[$`~*?]/.test(word);
  const above = dirname(own);
  const all = isKnown
    ? folders.map((folder) => resolve(folder, word))
    : [...folders, root, own, ...(above === root || above.startsWith(`${root}/`) ? [above] : [])];
  const unique = [...new Set(all)];
  const existing = unique.filter(isFolder);
  return (existing.length > 0 ? existing : unique).slice(0, maxFolders);
}

/** Returns the paths that a word may mean, the likelier ones in the first list. */
export function pathsOf(
  word: string,
  { folders, own, start }: ShellPlace & { readonly start: readonly string[] },
  { root, env }: Surroundings,
): readonly [readonly string[], readonly string[]] {
  const inHome = /^(?:~|\$HOME)\/+(.+)$/.exec(word)?.[1];
  if (inHome !== undefined) {
    const home = env["HOME"] ?? "";
    return [isAbsolute(home) ? [resolve(home, inHome)] : [], []];
  }
  // `$DIR/x.sh` and `$(dirname $0)/x.sh` are beside the script, or below the root.
  const beside = word.replace(/^\$\w*/, "").replace(/^\/+/, "");
  if (beside === "") return [[], []];
  const near = word.startsWith("$") ? [] : folders.map((folder) => resolve(folder, word));
  const far = [...folders, ...start, own, root].map((folder) => resolve(folder, beside));
  return [near, [...new Set(far)]];
}

/** Returns the folders that a text adds to the search path, as far as they are below these or absolute. */
export function pathFoldersIn(
  text: string,
  { folders, own }: ShellPlace,
  place: Surroundings,
): readonly string[] {
  const { root, env } = place;
  const found = new Set<string>();
  for (const [, value = ""] of text.matchAll(/\bPATH[ \t]*[:+?]?=[ \t]*([^\n;&|#]{1,500})/g)) {
    for (const entry of value.split(/[:"'\s]+/)) {
      const isHome = /^(?:~|\$\{?HOME\}?)\//.test(entry);
      const rest = entry.replace(/^(?:~|\$\{\w+\}|\$\(\w+\)|\$\w+|\))\/*/, "");
      if (rest === "" || rest.includes("$") || found.size >= maxEntries) continue;
      const bases = isHome ? [env["HOME"] || root] : [...folders, root, own];
      for (const base of bases) found.add(resolve(base, rest));
    }
  }
  return [...found];
}

const testedFile =
  /(?:\[|\btest)[ \t]+(?:![ \t]+)?-[fexrs][ \t]+(?:"([^"\n]{1,300})"|'([^'\n]{1,300})'|([^\s"'\];&|)]{1,300}))/g;

/** Returns the words that a text tests for being a file: `[ -f .env ]`. */
export function testedWords(text: string): ReadonlySet<string> {
  const words = [...text.matchAll(testedFile)].map(([, double, single, plain]) => double ?? single ?? plain);
  return new Set(words.map((word = "") => word.replace(/\$\{(\w+)\}/g, "$$$1")));
}
