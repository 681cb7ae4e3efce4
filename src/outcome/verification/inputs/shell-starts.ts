import { isAbsolute, join } from "node:path";
import { type ExecutedCommand, executedCommands } from "./executed-commands.ts";
import type { Search } from "./search.ts";

const shell = /^(?:ba|da|k|z|a|fi)?sh$/;
/** Programs that start a login shell if they have such an option. */
const userSwitches = /^(?:su|sudo|doas|runuser)$/;
const ofBash = [".bashrc", ".bash_profile", ".bash_login", ".profile"];
const ofZsh = [".zprofile", ".zshrc", ".zlogin"];
const ofFish = [".config/fish/config.fish"];

/** Returns the start files in the home folder that a command makes a shell read. A shell that runs a script reads none. */
function startFilesOf({ program, args }: ExecutedCommand): readonly string[] {
  const name = program.slice(program.lastIndexOf("/") + 1);
  if (userSwitches.test(name))
    return args.some((word) => /^(?:-|-[A-Za-z]*[il][A-Za-z]*|--login)$/.test(word))
      ? [...ofBash, ...ofZsh]
      : [];
  if (name === "ssh") return [...ofBash, ...ofZsh, ".zshenv"];
  if (name === "fish") return ofFish;
  const starts = shell.test(name) && isLoginOrInteractive(args);
  if (name === "zsh") return starts ? [".zshenv", ...ofZsh] : [".zshenv"];
  return starts ? ofBash : [];
}

/** Looks at the options before the script, or before the text after `-c`. */
function isLoginOrInteractive(args: readonly string[]): boolean {
  const withoutValues = args.filter((_, at) => !hasValue.test(args[at - 1] ?? ""));
  const end = withoutValues.findIndex((word) => !/^[-+]./.test(word) || word === "--");
  const options = end < 0 ? withoutValues : withoutValues.slice(0, end);
  return options.some((word) => /^(?:--login|--interactive|[-+][A-Za-z]*[il][A-Za-z]*)$/.test(word));
}

/** Options whose next word is their value. */
const hasValue = /^(?:[-+][A-Za-z]*[oO]|--rcfile|--init-file)$/;

/** Adds the start files that a command makes shells read. */
export function readStarts(command: ExecutedCommand, search: Search): void {
  for (const name of startFilesOf(command)) search.startFiles.add(name);
}

/** Adds those that a text asks for otherwise: `exec -l`, a first line with options, and make's options of its shell. */
export function readStartsIn(text: string, search: Search): void {
  const asks = /\bexec[ \t]+-(?:\w*l|a[ \t]*["']?-)|^[\w \t]*\.SHELLFLAGS[ \t]*[:+?]?=[^\n]*-\w*[il]/m;
  if (asks.test(text)) for (const name of [...ofBash, ...ofZsh, ".zshenv"]) search.startFiles.add(name);
  const first = /^#!([^\n]{1,500})/.exec(text)?.[1] ?? "";
  const shells = /^[ \t]*[\w \t]*\bSHELL[ \t]*[:+?]*=([^\n#]{1,500})/gm;
  for (const line of [first, ...[...text.matchAll(shells)].map(([, value = ""]) => value)])
    for (const command of executedCommands(line)) readStarts(command, search);
}

/** Returns the paths of the start files that the commands make shells read. */
export function startPaths({ env, startFiles, programs }: Search): readonly string[] {
  const home = env["HOME"] ?? "";
  const names = new Set(startFiles);
  if (programs.has("zsh") || /zsh/.test(env["npm_config_script_shell"] ?? "")) names.add(".zshenv");
  // Bash takes itself for one that a remote shell started.
  const isRemote = Boolean(env["SSH_CLIENT"] || env["SSH2_CLIENT"]) && !(Number(env["SHLVL"]) >= 1);
  if (isRemote && programs.has("bash")) names.add(".bashrc");
  const zsh = env["ZDOTDIR"] ?? "";
  const ofZdotdir = isAbsolute(zsh) ? [...names].filter((name) => name.startsWith(".z")) : [];
  return [
    ...(isAbsolute(home) ? [...names].map((name) => join(home, name)) : []),
    ...ofZdotdir.map((name) => join(zsh, name)),
  ];
}
