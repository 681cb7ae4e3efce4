import { RalphError } from "../../base/errors.ts";
import { nearest } from "../../base/nearest.ts";
import { compatibilityFlags } from "./compatibility.ts";
import { type CommandTable, type Group, isGroup } from "./entry.ts";
import { exitCodes } from "./exit.ts";
import { globalOptions } from "./global-options.ts";

/** Returns the output of `ralph` without a command: one line, three examples, the commands. */
export function overview(commands: CommandTable): string {
  return [
    "ralph runs a coding agent over your tasks, verifies the work itself, and remembers what failed and why.",
    "",
    "  ralph demo                      run the whole loop on a practice project (no account, no network)",
    "  ralph init                      set up ralph in your project",
    "  ralph task import tasks.md      import your task list; then: ralph run",
    "",
    "Commands:",
    ...table(commands),
    "",
    "Compatibility:",
    ...table(
      compatibilityFlags.map(({ flag, command }) => ({
        name: flag,
        summary: `the same as ralph ${command}`,
      })),
    ),
    "",
    `Options of every command: ${globalOptions.map(({ flags }) => /--[a-z-]+/.exec(flags)?.[0]).join(" ")}`,
    "Run ralph help COMMAND for details. Topics: ralph help environment, ralph help exit-codes. Version: ralph --version",
  ].join("\n");
}

/**
 * Returns the text of `ralph help TOPIC`.
 *
 * @throws RalphError `RALPH_USAGE` for a topic that does not exist.
 */
export function helpOn(commands: CommandTable, topic: string): string {
  if (topic === "exit-codes") {
    return [
      "Exit codes (if several apply, the first in the order 70 5 4 1 3 0):",
      ...exitCodes.map(exitLine),
      "",
      "A run that a signal stops records its work and then ends by that signal, so a shell reports 128 plus its number.",
      "`ralph stop --now` kills a run that does not end at once: 143.",
    ].join("\n");
  }
  if (topic === "environment") return environmentHelp;
  const group = commands.find((node): node is Group => isGroup(node) && node.name === topic);
  if (group) {
    return [
      `ralph ${group.name}: ${group.summary}`,
      "",
      ...table(group.verbs),
      "",
      `Run ralph help ${group.name} VERB for details.`,
    ].join("\n");
  }
  const near = nearest(topic, ["exit-codes", "environment", ...commands.map(({ name }) => name)]);
  throw new RalphError("RALPH_USAGE", `unknown command or help topic: "${topic}"`, {
    hint: near ? `did you mean: ralph help ${near}` : "run `ralph help` to list the commands",
  });
}

function exitLine([code, meaning]: readonly [number, string]): string {
  return `  ${String(code).padStart(3)}  ${meaning}`;
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
