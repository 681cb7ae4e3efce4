import { isAbsolute, join } from "node:path";
import { whyDefining } from "../definitions.ts";

/** The reason why a file matters, as a clause. */
export const whys = {
  script: "verification runs it",
  config: "it configures programs of verification",
  start: "programs of verification read it when they start",
  shell: "your shell reads it when it starts",
  module: "Python would run it in place of its own module",
  plugin: "programs of Python load what it names",
} as const;

/** Returns why a program in a folder of the search path matters. */
export function whyStarted(by: "ralph" | "verification" | "you", name: string): string {
  return `${by} would run it as ${name}`;
}

/** Returns true for the reason of a program. */
export function isProgram(why: string): boolean {
  return why.includes(" would run it as ");
}

const startNames = /^(?:site|user)customize\.py$/;

/** Returns why a file of this name, or path, in a folder where verification runs matters; undefined: it does not. */
export function whyByName(name: string): string | undefined {
  if (startNames.test(name)) return whys.start;
  return whyDefining(name) === undefined ? undefined : whys.config;
}

/** Programs look for them where they run alone. */
const onlyBelow = /^(?:(?:GNUm|M|m)akefile|\.env(?:\..*)?|(?:site|user)customize\.py)$/;

/** Returns why a file of this name in a folder above those where verification runs matters; undefined: it does not. */
export function whyAbove(name: string): string | undefined {
  return onlyBelow.test(name) ? undefined : whyByName(name);
}

const homeConfig = [
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".bunfig.toml", ".pip/pip.conf", ".pydistutils.cfg"],
  ...[".cargo/config", ".cargo/config.toml", ".m2/settings.xml", ".gradle/init.gradle"],
  ...[".gradle/gradle.properties", ".gemrc", ".bundle/config", ".tool-versions", ".gitconfig"],
  ...[".rspec", ".proverc"],
];
const homeStart = [".bashrc", ".bash_profile", ".profile", ".zshenv", ".mavenrc"];
/** Shells for people read these; some of them start every command of a person. */
const homeShell = [
  ...[".bash_aliases", ".bash_login", ".bash_logout", ".zshrc", ".zprofile", ".zlogin", ".zlogout"],
  ...[".kshrc", ".mkshrc", ".login", ".cshrc", ".tcshrc", ".pam_environment"],
];
const shellConfig = [
  ...["fish/config.fish", "nushell/env.nu", "nushell/config.nu", "powershell/profile.ps1"],
  ...["zsh/.zshenv", "zsh/.zshrc"],
];
const shellFolderNames = ["fish/conf.d", "fish/functions", "environment.d"];
const userConfig = ["pnpm/rc", "pip/pip.conf", "go/env", "mise/config.toml", "git/config", "rspec/options"];

/** Variables that name a file which programs read. */
const configVariables = /^(?:npm_config_(?:user|global)config|PIP_CONFIG_FILE|GIT_CONFIG_GLOBAL)$/i;
const startVariables = /^(?:BASH_ENV|ENV)$/;

type Env = Readonly<Record<string, string>>;

/** Returns the user's files that programs read wherever they run, existing or not, each with the reason. */
export function userInputs(env: Env): readonly (readonly [string, string])[] {
  const home = env["HOME"] ?? "";
  const inHome = (names: readonly string[]): string[] =>
    isAbsolute(home) ? names.map((name) => join(home, name)) : [];
  const zsh = isAbsolute(env["ZDOTDIR"] ?? "") ? [".zshenv", ".zprofile", ".zshrc", ".zlogin"] : [];
  const named = (pattern: RegExp): string[] =>
    Object.entries(env).flatMap(([name, value]) => (pattern.test(name) && isAbsolute(value) ? [value] : []));
  const required = [...(env["NODE_OPTIONS"] ?? "").matchAll(/(?:--require|--import|-r)[= ]+(\/\S+)/g)];
  return [
    ...[...inHome(homeConfig), ...inConfig(env, userConfig)].map((path) => [path, whys.config] as const),
    ...named(configVariables).map((path) => [path, whys.config] as const),
    ...[...inHome(homeStart), ...named(startVariables), ...required.map(([, path = ""]) => path)].map(
      (path) => [path, whys.start] as const,
    ),
    ...[
      ...inHome(homeShell),
      ...inConfig(env, shellConfig),
      ...zsh.map((name) => join(env["ZDOTDIR"] ?? "", name)),
    ].map((path) => [path, whys.shell] as const),
  ];
}

/** Returns the places of these names in the user's folders of configuration: the usual one, and the one that is set. */
function inConfig(env: Env, names: readonly string[]): readonly string[] {
  const home = env["HOME"] ?? "";
  const folders = [isAbsolute(home) ? join(home, ".config") : "", env["XDG_CONFIG_HOME"] ?? ""];
  return [...new Set(folders.filter(isAbsolute))].flatMap((folder) =>
    names.map((name) => join(folder, name)),
  );
}

/** Returns the folders of files that a person's shell, or their login, reads. */
export function shellFolders(env: Env): readonly string[] {
  return inConfig(env, shellFolderNames);
}

/** Returns why a file there matters; undefined: it does not. */
export function whyShellStarts(name: string): string | undefined {
  return /\.(?:fish|conf)$/.test(name) ? whys.shell : undefined;
}

/** Returns the user's folders of whose files programs read all. */
export function userFolders(env: Env): readonly string[] {
  const home = env["HOME"] ?? "";
  return isAbsolute(home) ? [join(home, ".gradle/init.d")] : [];
}

/** Returns the folders of `PYTHONPATH`, in which Python looks for start files. */
export function pythonFolders(env: Env): readonly string[] {
  return (env["PYTHONPATH"] ?? "").split(":").filter((folder) => isAbsolute(folder));
}

/** Start files in a folder of installed Python packages. */
export function isPythonStart(name: string): boolean {
  return startNames.test(name) || name.endsWith(".pth");
}
