import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git, gitRead } from "./git/git.ts";
import type { Workspace } from "./git/workspace.ts";

/** More files say little more. */
const maxFiles = 3;

/**
 * Returns both sides of the lines in which two commits conflict, with git's markers; `paths` are relative to the project's root.
 * Each commit is given with the name by which the markers call it.
 */
export async function conflictHunks(
  ws: Workspace,
  paths: readonly string[],
  sides: { readonly base: string; readonly ours: string; readonly theirs: string },
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "ralph-conflict-"));
  try {
    const texts: string[] = [];
    for (const path of paths.slice(0, maxFiles)) {
      for (const [name, commit] of Object.entries(sides)) {
        const shown = await gitRead(ws, ["show", `${commit}:${ws.prefix}${path}`], { accept: "any" });
        writeFileSync(join(folder, name), shown.code === 0 ? shown.stdout : "");
      }
      const labels = ["-L", "on the branch", "-L", "before", "-L", "this task"];
      const files = ["ours", "base", "theirs"].map((name) => join(folder, name));
      const merged = await git(ws, ["merge-file", "-p", "-q", ...labels, ...files], { accept: "any" });
      texts.push(`${path}:\n${onlyHunks(merged.stdout)}`);
    }
    return texts.join("\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function onlyHunks(text: string): string {
  const hunks = text.match(/^<{7} [\s\S]*?^>{7} .*$/gm) ?? [];
  return hunks.join("\n");
}
