import { join } from "node:path";
import { sha256 } from "../../base/hash.ts";
import { gitPaths } from "../git/git.ts";
import { pathKind } from "../git/paths.ts";
import { removeFolder } from "../git/remove-folder.ts";
import type { Workspace } from "../git/workspace.ts";
import { type CleanCheckout, checkOut, makeInside, placeOf } from "./clean-checkout.ts";
import { gitDirOf } from "./submodule-changes.ts";

interface Filled {
  /** The submodules that are checked out, also those of submodules, by their path from the top of the work tree. */
  readonly modules: ReadonlyMap<string, CleanCheckout>;
  /** The paths of those that the project has, without the commit that is asked for. */
  readonly missing: readonly string[];
}

interface Above {
  readonly checkout: CleanCheckout;
  readonly commit: string;
  /** From the top of the work tree; "": the project itself. */
  readonly path: string;
}

/**
 * Checks the submodules of a checkout out, from the objects of their repositories in the project: nothing is fetched. One that the
 * project does not have is an empty folder, as it is there.
 */
export async function fillModules(
  ws: Workspace,
  clean: { readonly folder: string },
  { checkout, commit, path: above }: Above,
): Promise<Filled> {
  const modules = new Map<string, CleanCheckout>();
  const missing: string[] = [];
  for (const { path: name, hash } of await linksIn(ws, checkout, commit)) {
    const path = join(above, name);
    const tree = join(checkout.tree, name);
    await makeInside(ws, checkout.tree, tree);
    const objects = objectsOfModule(ws, path);
    const gitDir = join(clean.folder, "modules", sha256(path).slice(0, 16));
    const module = { tree, gitDir, objects: objects ?? "" };
    if (objects !== undefined && (await checkOut(ws, module, hash, { accept: "any" }))) {
      modules.set(path, module);
      const below = await fillModules(ws, clean, { checkout: module, commit: hash, path });
      for (const [one, found] of below.modules) modules.set(one, found);
      for (const one of below.missing) missing.push(one);
    } else {
      if (objects !== undefined) missing.push(path);
      await removeFolder(ws, tree);
      await makeInside(ws, checkout.tree, tree);
    }
  }
  return { modules, missing };
}

async function linksIn(
  ws: Workspace,
  checkout: CleanCheckout,
  commit: string,
): Promise<readonly { readonly path: string; readonly hash: string }[]> {
  return (await gitPaths(placeOf(ws, checkout), ["ls-tree", "-r", "-z", "--full-tree", commit]))
    .filter((line) => line.startsWith("160000 "))
    .map((line) => ({
      path: line.slice(line.indexOf("\t") + 1),
      hash: line.slice("160000 commit ".length, line.indexOf("\t")),
    }));
}

/** Returns the objects of the submodule's repository; undefined: the project has none. */
function objectsOfModule(ws: Workspace, path: string): string | undefined {
  const places = [gitDirOf(join(ws.topLevel, path)), join(ws.commonDir, "modules", path)];
  return places
    .flatMap((place) => (place === undefined ? [] : [join(place, "objects")]))
    .find((folder) => pathKind(folder)?.isDirectory());
}
