import { join, resolve } from "node:path";
import { namesIn } from "../../base/careful-files.ts";
import { isProgram } from "../../process/find-program.ts";
import { git } from "../git/git.ts";
import type { Workspace } from "../git/workspace.ts";

/** A work tree with the folder of its hooks, absolute: that of git, or `core.hooksPath`. */
export interface HookedTree extends Workspace {
  readonly hooksDir: string;
}

const known = new WeakMap<Workspace, Promise<HookedTree>>();

/** Asks git once per process for the folder of hooks. */
export async function withHooksDir(ws: Workspace): Promise<HookedTree> {
  const found = known.get(ws) ?? ask(ws);
  known.set(ws, found);
  return found;
}

async function ask(ws: Workspace): Promise<HookedTree> {
  // With hooks: without them, git names no folder. This command runs none.
  const { stdout } = await git(ws, ["rev-parse", "--git-path", "hooks"], { hooks: true });
  return { ...ws, hooksDir: resolve(ws.topLevel, stdout.replace(/\n$/, "")) };
}

/** Returns the names of the hooks that git would run: no sample, and nothing that is not executable. */
export function hookNames(hooksDir: string): string[] {
  return namesIn(hooksDir).filter((name) => /^[a-z0-9-]+$/.test(name) && isProgram(join(hooksDir, name)));
}
