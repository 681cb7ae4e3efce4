import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { lookAt } from "../../../base/careful-files.ts";
import { newSince } from "../../../workspace/diff.ts";
import type { Workspace } from "../../../workspace/workspace.ts";
import { onlyDescribesPackage } from "./package-keys.ts";

export interface ChangedManifests {
  /** The commit before the changes. */
  readonly from: string | null;
  /** Changed files, relative to the project's root. */
  readonly files: readonly string[];
  /** Those that verification runs or looks for. */
  readonly read: readonly string[];
}

const maxBytes = 1024 * 1024;

/**
 * Returns the manifests of new packages that only describe them. The folder has to be new too: in an existing one a command may
 * run, and find the manifest in a folder above.
 */
export async function describingManifests(
  ws: Workspace,
  { from, files, read }: ChangedManifests,
): Promise<ReadonlySet<string>> {
  const candidates = files.filter((path) => path.endsWith("/package.json") && !read.includes(path));
  if (from === null) return new Set();
  const fresh = new Set(await newSince(ws, { from, paths: candidates.map(dirname) }));
  return new Set(candidates.filter((path) => fresh.has(dirname(path)) && onlyDescribes(join(ws.root, path))));
}

function onlyDescribes(path: string): boolean {
  const found = lookAt(path);
  return (
    found?.isFile() === true && found.size <= maxBytes && onlyDescribesPackage(readFileSync(path, "utf8"))
  );
}
