import type { ExecutedCommand } from "./executed-commands.ts";
import { valuesOf, withoutOptions } from "./options.ts";

/** Package scripts that a command runs. */
export interface PackageCall {
  readonly scripts: readonly string[];
  /** Where the package may be, relative to where the command runs; empty: there, or above. */
  readonly folders: readonly string[];
}

const packageManagers = /^(?:npm|pnpm|yarn|bun)$/;
const folderOptions = /^(?:--prefix|--cwd|--dir|-C)$/;
const memberOptions = /^(?:-w|--workspace|-F|--filter)$/;
const installs = /^(?:ci|i|install|clean-install)$/;
const installScripts = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare"];
/** Where the members of a workspace usually are. */
const memberFolders = ["", "packages/", "apps/", "libs/"];

/** Returns the package scripts that a command runs, with those that run before and after them. */
export function packageCall({ program, args, isGuess }: ExecutedCommand): PackageCall | undefined {
  if (isGuess || !packageManagers.test(program)) return undefined;
  const words = withoutOptions(args, (word) => folderOptions.test(word) || memberOptions.test(word));
  const ofMember = words[0] === "workspace" ? words[1] : undefined;
  const [verb, name] = ofMember === undefined ? words : words.slice(2);
  const script = verb === "run" || verb === "run-script" ? name : verb === "t" ? "test" : verb;
  const own = script === undefined ? [] : [`pre${script}`, script, `post${script}`];
  const members = [...valuesOf(args, memberOptions), ...(ofMember === undefined ? [] : [ofMember])].flatMap(
    (member) => memberFolders.map((folder) => folder + member.replace(/^@[^/]*\//, "")),
  );
  return {
    scripts: [...own, ...(installs.test(verb ?? "install") ? installScripts : [])],
    folders: [...valuesOf(args, folderOptions), ...members],
  };
}

/** Returns the words of a `.yarnrc.yml` that name a script: yarn runs one in its place, and loads plug-ins. */
export function yarnScripts(text: string): readonly string[] {
  const lines = text.match(/^[^#\n]{0,500}\.[cm]?js\b/gm) ?? [];
  return lines.slice(0, 20).map((line) => line.replace(/^[ \t]*(?:-[ \t]+)?(?:[\w"']+:[ \t]+)?["']?/, ""));
}
