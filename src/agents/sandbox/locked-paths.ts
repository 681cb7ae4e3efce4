import { relative } from "node:path";
import { RalphError } from "../../base/errors.ts";
import type { Mount } from "../../process/bubblewrap.ts";
import { isBelow, realPath } from "./system-mounts.ts";

/** Returns what stays read-only of a program: its package, or the file itself; nothing for a missing one. */
export function lockedProgram(path: string | undefined): readonly string[] {
  const real = path === undefined ? null : realPath(path);
  if (real === null) return [];
  return [/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(real)?.[0] ?? real];
}

/**
 * Returns the mounts that keep programs read-only in writable folders. The folders between become mount points of their own: the
 * system renames none, so that no other folder takes the place of one that contains a program.
 *
 * @throws RalphError `RALPH_ISOLATION_PROGRAMS` where this is impossible
 */
export function lockedMounts(locked: readonly string[], writable: readonly string[]): readonly Mount[] {
  const outermost = locked.filter((path) => !locked.some((other) => other !== path && isBelow(path, other)));
  const mounts = new Map<string, Mount>();
  for (const path of new Set(outermost)) {
    const around = writable.filter((folder) => isBelow(path, folder));
    if (around.length === 0) continue;
    if (around.includes(path)) throw impossible(path, "it is a folder that agents may write");
    if (realPath(path) !== path)
      throw impossible(path, "it is missing, or a link in a folder that agents write");
    const top = around.reduce((a, b) => (a.length < b.length ? a : b));
    for (const folder of between(top, path)) {
      if (!writable.includes(folder)) mounts.set(folder, { kind: "write", path: folder, from: folder });
    }
    mounts.set(path, { kind: "read", path, from: path });
  }
  return [...mounts.values()];
}

function between(top: string, path: string): readonly string[] {
  const parts = relative(top, path).split("/").slice(0, -1);
  return parts.map((_, at) => `${top}/${parts.slice(0, at + 1).join("/")}`);
}

function impossible(path: string, why: string): RalphError {
  return new RalphError(
    "RALPH_ISOLATION_PROGRAMS",
    `\`sandbox: strict\` cannot keep the program ${path} read-only: ${why}`,
    { hint: "undo that, install that program outside of the project, or set `sandbox: required`" },
  );
}
