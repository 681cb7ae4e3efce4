import { cpSync, lstatSync, mkdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Workspace } from "../workspace.ts";

/** Copies what is at these paths to the folder `keepIn`, which only its owner may read. */
export function keepCopies(ws: Workspace, paths: readonly string[], keepIn: string): void {
  for (const path of paths) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) continue;
    const copy = join(keepIn, relative(ws.commonDir, path).replaceAll("..", "up"));
    mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
    cpSync(path, copy, { recursive: true, verbatimSymlinks: true, force: true });
  }
}
