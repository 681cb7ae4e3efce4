import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { lookThrough } from "../base/careful-files.ts";

interface SearchPlace {
  /** The base of relative paths such as `./agent`. */
  readonly cwd: string;
  /** The environment that holds `PATH`. */
  readonly env: Readonly<Record<string, string>>;
}

/** Returns the absolute path of the program that `name` would run; undefined if there is no executable one. */
export function findProgram(name: string, { cwd, env }: SearchPlace): string | undefined {
  if (/[/\\]/.test(name)) {
    const path = isAbsolute(name) ? name : resolve(cwd, name);
    return variants(path).find(isProgram);
  }
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter);
  for (const folder of folders) {
    const found = variants(resolve(cwd, join(folder || ".", name))).find(isProgram);
    if (found) return found;
  }
  return undefined;
}

function variants(path: string): readonly string[] {
  return process.platform === "win32" ? [`${path}.exe`, `${path}.cmd`, path] : [path];
}

/** Returns true for a file that may be executed. */
export function isProgram(path: string): boolean {
  try {
    // First, as it throws nothing for a missing file: an error costs more than the question.
    if (!lookThrough(path)?.isFile()) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
