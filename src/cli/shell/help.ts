import { nearest } from "../../base/nearest.ts";
import { wrapLine } from "../../base/text.ts";
import { storedText } from "../../trust/stored-text.ts";
import { type CommandTable, type Group, isGroup } from "./entry.ts";
import { exitCodes } from "./exit.ts";
import { globalOptions } from "./global-options.ts";
import { usageError } from "./io.ts";

/** Returns the output of `ralph` without a command, which fits on a screen of 24 lines of 80 columns. */
export function overview(commands: CommandTable): string {
  const others = commands.filter(({ listed }) => listed === undefined).map(({ name }) => name);
  return [
    "ralph runs a coding agent over your tasks, verifies the work itself, and",
    "remembers what failed and why. To watch it once, without an account: ralph demo",
    "",
    ...table(commands.filter(({ listed }) => listed === "first")),
    "",
    ...wrapLine(storedText(`More: ${others.join(", ")}`), 80, 6),
    "Details: ralph help COMMAND, ralph help all",
  ].join("\n");
}

function allCommands(commands: CommandTable): string {
  return [
    "Commands:",
    ...table(commands.filter(({ listed }) => listed !== "never")),
    "",
    "Compatibility:",
    ...table(
      Object.entries(aliases).map(([name, words]) => ({
        name,
        summary: `the same as ralph ${words.join(" ")}`,
      })),
    ),
    "",
    `Options of every command: ${globalOptions.map(({ flags }) => /--[a-z-]+/.exec(flags)?.[0]).join(" ")}`,
    "Topics: ralph help environment, ralph help exit-codes. Version: ralph --version",
  ].join("\n");
}

/** Flags of an earlier ralph that stand for a command (SKILL-6). */
export const aliases: Readonly<Record<string, readonly string[]>> = {
  "--aggregate": ["learnings", "aggregate"],
  "--show-learnings": ["learnings", "show"],
  "--generate-skills": ["skills", "generate"],
  "--skill-stats": ["skills", "stats"],
};

export function groupHelp({ name, summary, verbs }: Group): string {
  const title = `ralph ${name}: ${summary}`;
  return [title, "", ...table(verbs), "", `Run ralph help ${name} VERB for details.`].join("\n");
}

/**
 * Returns the text of `ralph help TOPIC`; undefined if the topic is a command.
 *
 * @throws RalphError `RALPH_USAGE` for a topic that does not exist.
 */
export function topicHelp(commands: CommandTable, topic: string): string | undefined {
  const topics: Readonly<Record<string, () => string>> = {
    "": () => overview(commands),
    all: () => allCommands(commands),
    "exit-codes": exitCodesHelp,
    environment: () => environmentHelp,
  };
  if (Object.hasOwn(topics, topic)) return topics[topic]?.();
  const verbs = commands
    .filter(isGroup)
    .flatMap((group) => group.verbs.map(({ name }) => `${group.name} ${name}`));
  const paths = [...commands.map(({ name }) => name), ...verbs, "help"];
  if (paths.includes(topic)) return undefined;
  const near = nearest(topic, [...Object.keys(topics), ...paths]);
  throw usageError(
    `unknown command or help topic: "${topic}"`,
    near ? `did you mean: ralph help ${near}` : "run `ralph help` to list the commands",
  );
}

function exitCodesHelp(): string {
  return [
    "Exit codes (if several apply, the first in the order 70 5 4 1 3 0):",
    ...exitCodes.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`),
    "",
    "A run that a signal stops records its work and then ends by that signal, so a shell reports 128 plus its number.",
    "`ralph stop --now` kills a run that does not end at once: 143.",
  ].join("\n");
}

function table(nodes: readonly { readonly name: string; readonly summary: string }[]): readonly string[] {
  const width = Math.max(...nodes.map((node) => node.name.length)) + 2;
  return nodes.map((node) => `  ${node.name.padEnd(width)}${node.summary}`);
}

const environmentHelp = `Environment:
  RALPH_<KEY>          any setting: RALPH_AGENT, RALPH_MODEL, RALPH_LIMITS_MAX_ATTEMPTS, ... (flags override it)
  XDG_CONFIG_HOME      folder of ralph/config.yaml, your own defaults
  XDG_STATE_HOME       folder of ralph/approvals.json, the list of what you approved, and of journals
  NO_COLOR, TERM=dumb  disable colour; FORCE_COLOR: use colour in pipes too
  RALPH_NO_PROGRESS    disable the live status line

The program of agent "command" gets the prompt on standard input, and these variables:
  RALPH_TASK_ID RALPH_RUN_ID RALPH_ITERATION RALPH_ATTEMPT RALPH_MODEL RALPH_EFFORT RALPH_PROMPT_FILE RALPH_JOURNAL`;
