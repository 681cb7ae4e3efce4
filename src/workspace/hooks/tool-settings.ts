import { isAbsolute, join } from "node:path";
import type { Workspace } from "../workspace.ts";

/** A tool of hooks, with the project's files that list what it runs. */
interface HookTool {
  readonly pattern: RegExp;
  readonly names: readonly string[];
  /** True: the word is common, and means the tool only where the project has one of the files. */
  readonly isCommon?: true;
}

const withEnds = (name: string, ends: string): string[] => ends.split(" ").map((end) => name + end);

const tools: readonly HookTool[] = [
  { pattern: /pre-commit|pre_commit/, names: [".pre-commit-config.yaml"], isCommon: true },
  {
    pattern: /lefthook/,
    names: ["lefthook", "lefthook-local", ".lefthook", ".lefthook-local", ".config/lefthook"].flatMap(
      (name) => withEnds(name, ".yml .yaml .toml .json"),
    ),
  },
  {
    pattern: /lint-staged/,
    names: [
      ".lintstagedrc",
      ...withEnds(".lintstagedrc", ".json .yaml .yml .js .mjs .cjs .ts"),
      ...withEnds("lint-staged.config", ".js .mjs .cjs .ts .mts .cts"),
    ],
  },
  { pattern: /husky/, names: [".huskyrc", ...withEnds(".huskyrc", ".json .js")] },
  { pattern: /overcommit/, names: [".overcommit.yml", ".local-overcommit.yml"] },
  { pattern: /\bmake\b/, names: ["Makefile", "makefile", "GNUmakefile"], isCommon: true },
];

/** A script, by its path and its text. */
interface Script {
  readonly path: string;
  readonly text: string;
}

/** Returns the lists of names of files, relative to the project's top, that tools which a script names would read. */
export function toolSettings({ path, text }: Script): readonly Pick<HookTool, "names" | "isCommon">[] {
  return tools.filter(
    ({ pattern, names }) => pattern.test(text) || (isOfHusky(path) && names[0] === ".huskyrc"),
  );
}

/** Husky's scripts do not contain its name. */
function isOfHusky(path: string): boolean {
  return path.includes("/.husky/");
}

/** Returns the user's files that tools which a script names read before its hooks, existing or not. */
export function userToolFiles({ env }: Pick<Workspace, "env">, { path, text }: Script): readonly string[] {
  if (!/husky/.test(text) && !isOfHusky(path)) return [];
  const home = env["HOME"] ?? "";
  const config = env["XDG_CONFIG_HOME"] ?? "";
  const folders = [config, isAbsolute(home) ? join(home, ".config") : ""].filter(isAbsolute);
  return [
    ...folders.map((folder) => join(folder, "husky/init.sh")),
    ...(isAbsolute(home) ? [join(home, ".huskyrc")] : []),
  ];
}
