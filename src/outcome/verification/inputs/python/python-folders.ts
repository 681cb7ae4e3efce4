import { join } from "node:path";
import { isPythonStart, whys } from "../known-inputs.ts";
import { listed, statOf, textOf } from "../script-files.ts";
import type { SearchedFolder } from "../searched-folders.ts";
import { isPythonModule } from "./python-modules.ts";

type Found = readonly (readonly [string, string])[];

/** More folders of one sort are not looked into. */
const maxPackages = 2000;
const packageInfo = /\.(?:dist|egg)-info$/;
/** A group of plug-ins. Those of programs only name what a person may start. */
const pluginGroup = /^[ \t]*\[(?![ \t]*(?:console|gui)_scripts[ \t]*\])/m;

/** Returns where packages of a folder name plug-ins, which pytest and other programs load by themselves. */
function pluginLists(folder: string): readonly string[] {
  const infos = listed(folder).filter((name) => packageInfo.test(name));
  return infos.slice(0, maxPackages).map((name) => join(name, "entry_points.txt"));
}

function pluginsIn(folder: string): Found {
  const lists = pluginLists(folder).filter((name) => pluginGroup.test(textOf(join(folder, name))));
  return lists.map((name) => [name, whys.plugin]);
}

function modulesIn(folder: string): Found {
  const starts = (name: string): readonly string[] =>
    name.endsWith(".py") ? [name] : ["__init__.py", "__main__.py"].map((file) => join(name, file));
  const named = listed(folder).filter(isPythonModule).flatMap(starts);
  return named.filter((name) => statOf(join(folder, name))).map((name) => [name, whys.module]);
}

function startsIn(folder: string): Found {
  return listed(folder)
    .filter(isPythonStart)
    .map((name) => [name, whys.start]);
}

/** Finds modules, and packages with a start file, that have the name of one of Python's own. */
export function ofModules(path: string): SearchedFolder {
  return { path, present: () => new Map(modulesIn(path)) };
}

/** Finds the plug-ins of packages in a folder: the project's own are there where it is installed to be edited. */
export function ofPlugins(path: string): SearchedFolder {
  return withPlugins(path, () => []);
}

/** Finds start files and plug-ins in a folder of installed packages. */
export function ofPackages(path: string): SearchedFolder {
  return withPlugins(path, () => startsIn(path));
}

function withPlugins(path: string, others: () => Found): SearchedFolder {
  let lists: readonly string[] = [];
  return {
    path,
    others: () => lists,
    present: () => {
      lists = pluginLists(path).map((name) => join(path, name));
      return new Map([...others(), ...pluginsIn(path)]);
    },
  };
}

/**
 * Finds start files and plug-ins in the folders of installed packages of each version of Python. The user's are searched before those of the
 * system: there, also a module with the name of a common test tool matters.
 */
export function ofPythonLibrary(path: string, { isUsers }: { readonly isUsers: boolean }): SearchedFolder {
  let versions: readonly string[] = [];
  let lists: readonly string[] = [];
  return {
    path,
    others: () => [
      ...versions.flatMap((name) => [join(path, name), join(path, name, "site-packages")]),
      ...lists,
    ],
    present: () => {
      versions = listed(path)
        .filter((name) => name.startsWith("python"))
        .slice(0, 10);
      const sites = versions.map((name) => join(name, "site-packages"));
      lists = sites.flatMap((site) => pluginLists(join(path, site)).map((name) => join(path, site, name)));
      const found = sites.flatMap((site) => {
        const folder = join(path, site);
        const all = [...startsIn(folder), ...pluginsIn(folder), ...(isUsers ? modulesIn(folder) : [])];
        return all.map(([name, why]) => [join(site, name), why] as const);
      });
      return new Map(found);
    },
  };
}
