import { join } from "node:path";
import { git } from "./git/git.ts";
import { lookAt } from "./git/paths.ts";
import type { Workspace } from "./workspace.ts";

/** Beyond these bounds files are not copied: a person's data sets are not ralph's to double. */
const most = { files: 200, fileBytes: 4 * 1024 * 1024, bytes: 32 * 1024 * 1024 };

/**
 * Copies a person's files into git's object store, which has no use for them but keeps them for weeks: path → blob.
 * An agent that overwrites one then has not destroyed it. Paths are relative to the project root.
 */
export async function keepCopies(
  ws: Workspace,
  paths: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const wanted: string[] = [];
  let bytes = 0;
  for (const path of paths.slice(0, most.files)) {
    const stats = path.includes("\n") ? undefined : await lookAt(join(ws.root, path));
    if (!stats?.isFile() || stats.size > most.fileBytes || bytes + stats.size > most.bytes) continue;
    bytes += stats.size;
    wanted.push(path);
  }
  if (wanted.length === 0) return {};
  const stdin = wanted.map((path) => `${ws.prefix}${path}\n`).join("");
  const { code, stdout } = await git(ws, ["hash-object", "-w", "--no-filters", "--stdin-paths"], {
    stdin,
    accept: "any",
  });
  if (code !== 0) return {};
  const blobs = stdout.split("\n");
  return Object.fromEntries(wanted.map((path, index) => [path, blobs[index] ?? ""] as const));
}
