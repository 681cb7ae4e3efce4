import { existsSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { realPath } from "./system-mounts.ts";

/** Returns the folders of `PATH`, and the libraries beside those called `bin`: what they contain is executed, not written. */
export function pathFolders(env: Readonly<Record<string, string>>): readonly string[] {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.flatMap((folder) => [folder, ...besideBin(folder)]);
}

/**
 * Returns what the program at `path` needs besides its system: its folder, and where it really is: the packages around a
 * package of Node, its package, the libraries beside a folder `bin`.
 */
export function programFolders(path: string): readonly string[] {
  const real = realPath(path);
  if (real === null) return [];
  const packages = /^.*?\/node_modules(?=\/)/.exec(real)?.[0];
  if (packages !== undefined) return [dirname(path), packages];
  const folder = dirname(real);
  const isPackage = existsSync(join(dirname(folder), "package.json"));
  return [dirname(path), folder, ...(isPackage ? [dirname(folder)] : besideBin(folder))];
}

/** Returns the words of a command line that are paths of existing files. */
export function filesOf(argv: readonly string[], cwd: string): readonly string[] {
  const paths = argv.filter((word) => word.includes("/")).map((word) => resolve(cwd, word));
  return paths.filter(isFile);
}

/** False also for what cannot be looked at. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function besideBin(folder: string): readonly string[] {
  if (basename(folder) !== "bin") return [];
  return ["lib", "lib64", "libexec", "include"].map((name) => join(dirname(folder), name));
}
