import { isWithin, realPath } from "../git/paths.ts";
import { listFolder } from "../guarded/remembered.ts";
import type { Workspace } from "../workspace.ts";
import type { HookedTree } from "./hooks-folder.ts";

/** Returns true for a path within the repository: configuration there is nobody's but this project's. */
export function isOwn(ws: Workspace, path: string): boolean {
  return isWithin(ws.topLevel, path) || isWithin(ws.commonDir, path) || isWithin(ws.gitDir, path);
}

/** Returns the folder of `core.hooksPath` outside the project, as `~/hooks`, and the one that the folder of hooks leads to by a link. */
export function hooksElsewhere(ws: HookedTree): readonly string[] {
  const { commonDir, hooksDir } = ws;
  const real = realPath(hooksDir);
  const folders = [hooksDir, real].filter((path) => !isOwn(ws, path) && path !== "/dev/null");
  return real !== hooksDir && isWithin(commonDir, real) ? [...folders, real] : folders;
}

/** Returns true for git's sample hooks, which never run. */
export function isSample(name: string): boolean {
  return name.endsWith(".sample");
}

/** Returns the names of the hooks in a folder, without git's samples. */
export function hooksIn(folder: string): string[] {
  return listFolder(folder).filter((name) => !isSample(name));
}
