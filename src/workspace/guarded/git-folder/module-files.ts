import { join } from "node:path";
import { makeFolders } from "../../../base/careful-files.ts";
import { RalphError } from "../../../base/errors.ts";
import type { Workspace } from "../../workspace.ts";
import { type FileSnapshot, kindOf } from "../remembered.ts";
import type { Restored } from "../restore/restore-entries.ts";
import { submodulesOf } from "./nested-git.ts";
import { alternatesOf, findOtherObjects, takeOtherObjects } from "./other-objects.ts";
import { restoreShallow, shallowFile } from "./shallow.ts";

/** The files of a submodule's git folder that say where its objects and its history end. */
interface ModuleFiles {
  readonly alternates: readonly string[];
  readonly shallow: FileSnapshot;
}

/** By git folder. */
type ByModule = Readonly<Record<string, ModuleFiles>>;

/** Starts no process. */
export function moduleFiles(ws: Workspace): ByModule {
  return Object.fromEntries(
    submodulesOf(ws).map((folder) => {
      const at = inModule(ws, folder);
      return [folder, { alternates: alternatesOf(at), shallow: shallowFile(at) }];
    }),
  );
}

/** Does for submodules what `takeOtherObjects` does. Must be called while their new alternates are there. */
export function takeModuleObjects(ws: Workspace, before: ByModule, keepIn: string): void {
  for (const [folder, { alternates }] of present(before)) {
    const at = inModule(ws, folder);
    const { own } = findOtherObjects(at, { alternates, links: {} }, new Map());
    takeOtherObjects(at, own, keepIn);
    const info = join(folder, "objects/info");
    if (alternates.length > 0 && kindOf(info) === "absent") makeFolders(info, 0o777);
  }
}

/** Does for submodules what `restoreShallow` does; in one that git cannot read, the former list stays. */
export async function restoreModuleShallow(
  ws: Workspace,
  before: ByModule,
  keepIn: string,
): Promise<readonly Restored[]> {
  const restored: Restored[] = [];
  for (const [folder, { shallow }] of present(before)) {
    try {
      for (const one of await restoreShallow(inModule(ws, folder), shallow, keepIn)) restored.push(one);
    } catch (error) {
      if (!(error instanceof RalphError)) throw error;
      restored.push({ path: join(folder, "shallow") });
    }
  }
  return restored;
}

/** Leaves out what was removed meanwhile, so that nothing is written there. */
function present(before: ByModule): readonly (readonly [string, ModuleFiles])[] {
  return Object.entries(before).filter(([folder]) => kindOf(join(folder, "HEAD")) === "file");
}

function inModule(ws: Workspace, folder: string): Workspace {
  return { ...ws, gitDir: folder, commonDir: folder, env: { ...ws.env, GIT_DIR: folder } };
}
