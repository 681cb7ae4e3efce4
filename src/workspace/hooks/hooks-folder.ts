import { resolve } from "node:path";
import { git } from "../git/git.ts";
import type { Workspace } from "../workspace.ts";

/** A work tree with the folder of its hooks, absolute: that of git, or `core.hooksPath`. */
export interface HookedTree extends Workspace {
  readonly hooksDir: string;
}

const known = new WeakMap<Workspace, Promise<HookedTree>>();

/** Asks git once per process for the folder of hooks: recovery has by then restored the configuration that names it. */
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
