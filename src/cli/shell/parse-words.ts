import { Command, CommanderError, Option } from "commander";
import { RalphError } from "../../base/errors.ts";
import { nearest } from "../../base/nearest.ts";
import type { CommandSpec, Invocation, OptionSpec, OptionValue } from "./command.ts";
import { globalOptions } from "./global-options.ts";

/** The parsed words, or the help text to print instead. */
export type Parsed = { readonly help: string } | { readonly invocation: Invocation };

/**
 * Parses the words after a command by its spec.
 *
 * @throws RalphError `RALPH_USAGE` with commander's message and the nearest option, or for a blank value.
 */
export function parseWords(path: string, spec: CommandSpec, words: readonly string[]): Parsed {
  const command = toCommander(path, spec);
  let helpText = "";
  command.configureOutput({ writeErr: () => undefined, writeOut: (text) => (helpText += text) });
  try {
    command.parse([...words], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === "commander.helpDisplayed") return { help: helpText.trimEnd() };
    const message = error.message.replace(/^error: /, "");
    const [, unknownFlag] = /^unknown option '(--[^'=]+)/.exec(message) ?? [];
    const meant = unknownFlag && nearest(unknownFlag, longFlags(command));
    const hint = meant ? `did you mean ${meant}?` : `ralph ${path} --help`;
    throw new RalphError("RALPH_USAGE", `ralph ${path}: ${message}`, { hint });
  }
  refuseBlank(spec.options ?? [], command.opts<Record<string, OptionValue>>());
  const names = command.registeredArguments.map((argument) => argument.name());
  const args = Object.fromEntries(names.map((name, index) => [name, command.processedArgs[index]] as const));
  return { invocation: { args, options: command.opts<Record<string, OptionValue>>() } };
}

function toCommander(path: string, spec: CommandSpec): Command {
  const command = new Command(`ralph ${path}`);
  command.description(spec.description ?? spec.summary);
  command.exitOverride().allowExcessArguments(false).showSuggestionAfterError(false);
  command.helpOption("-h, --help", "show this help");
  for (const { name, description } of spec.arguments ?? []) command.argument(name, description);
  for (const option of spec.options ?? []) command.addOption(toOption(option));
  const own = new Set(command.options.map((option) => option.long));
  for (const option of globalOptions.map(toOption)) {
    if (!own.has(option.long)) command.addOption(option.helpGroup("Global options:"));
  }
  if (spec.examples?.length)
    command.addHelpText("after", `\nExamples:\n${spec.examples.map((line) => `  ${line}`).join("\n")}`);
  return command;
}

function longFlags(command: Command): readonly string[] {
  return [...command.options.flatMap(({ long }) => long ?? []), "--help"];
}

function toOption({ flags, description, multiple }: OptionSpec): Option {
  const option = new Option(flags, description);
  if (!multiple) return option;
  return option.argParser((value: string, before: readonly string[] | undefined) => [
    ...(before ?? []),
    value,
  ]);
}

function refuseBlank(specs: readonly OptionSpec[], options: Readonly<Record<string, OptionValue>>): void {
  for (const spec of specs) {
    if (spec.whenBlank === undefined) continue;
    const option = toOption(spec);
    const blank = [options[option.attributeName()]]
      .flat()
      .find((value) => typeof value === "string" && value.trim() === "");
    if (blank === undefined) continue;
    throw new RalphError(
      "RALPH_USAGE",
      `invalid ${option.long} ${JSON.stringify(blank)}: the value is empty`,
      {
        hint: spec.whenBlank,
      },
    );
  }
}
