import { join, resolve } from "node:path";
import { namesIn } from "../../base/careful-files.ts";
import { isProgram } from "../../process/find-program.ts";
import { git } from "../git/git.ts";
import type { Workspace } from "../git/workspace.ts";

const known = new WeakMap<Workspace, Promise<string>>();

/** Returns the folder of the work tree's hooks, absolute: that of git, or `core.hooksPath`. Asks git once per process. */
export async function hooksFolder(ws: Workspace): Promise<string> {
  const found = known.get(ws) ?? ask(ws);
  known.set(ws, found);
  return found;
}

async function ask(ws: Workspace): Promise<string> {
  // With hooks: without them, git names no folder. This command runs none.
  const { stdout } = await git(ws, ["rev-parse", "--git-path", "hooks"], { hooks: true });
  return resolve(ws.topLevel, stdout.replace(/\n$/, ""));
}

/** Returns the names of the hooks that git would run: no sample, and nothing that is not executable. */
export function hookNames(hooksDir: string): string[] {
  return namesIn(hooksDir).filter((name) => /^[a-z0-9-]+$/.test(name) && isProgram(join(hooksDir, name)));
}
