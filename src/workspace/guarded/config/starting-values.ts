import { type ConfigValue, configValues } from "./config-values.ts";

/** Sections of git's configuration that start no program and that people change every day. */
const harmless =
  /^(?:remote|branch|user|color|push|pull|fetch|rerere|status|log|advice|init|submodule|lfs|gc|pack|safe)$/;
const harmlessOfCore =
  /^(?:filemode|bare|logallrefupdates|ignorecase|autocrlf|eol|quotepath|abbrev|symlinks)$/;

/** Returns the variables that may make git start a program, read other configuration or run hooks. */
export function startingValues(text: string): ConfigValue[] {
  return configValues(text).filter((value) => mayStart(value));
}

/** Returns true if both configurations make git start the same. */
export function startTheSame(one: string, other: string): boolean {
  const telling = (text: string): string =>
    JSON.stringify(
      startingValues(text).map(({ section, subsection, key, value }) => [section, subsection, key, value]),
    );
  return telling(one) === telling(other);
}

/** Returns true for a variable that may make git start a program, read other configuration or run hooks. */
export function mayStart({ section, key }: Pick<ConfigValue, "section" | "key">): boolean {
  if (section === "core") return !harmlessOfCore.test(key);
  // The transport of a remote can name a program.
  if (section === "remote") return !/^(?:url|pushurl|fetch|push|tagopt|prune)$/.test(key);
  if (section === "submodule") return key === "update";
  // Programs of custom transfers and of extensions.
  if (section === "lfs") return /^(?:path|args|clean|smudge|standalonetransferagent)$/.test(key);
  if (section === "gc") return key === "recentobjectshook";
  // Hooks of every later repository.
  if (section === "init") return key === "templatedir";
  return !harmless.test(section);
}

/** Variables whose value is a command that git runs for ralph; hooks are read from their folder. */
const ofCommands: Readonly<Record<string, RegExp>> = {
  core: /^(?:fsmonitor|sshcommand|gitproxy|askpass)$/,
  filter: /^(?:clean|smudge|process)$/,
  diff: /^(?:command|external|textconv)$/,
  merge: /^driver$/,
  gpg: /^(?:program|defaultkeycommand)$/,
  credential: /^helper$/,
  hook: /^command$/,
  gc: /^recentobjectshook$/,
};

/** Returns the commands that these variables of a configuration make git run. */
export function commandsIn(values: readonly ConfigValue[]): string[] {
  return values.flatMap(({ section, key, value }) => (ofCommands[section]?.test(key) ? [value] : []));
}
