import { Command, CommanderError, Option } from "commander";
import { nearest } from "../../base/nearest.ts";
import type { CommandSpec, Invocation, OptionSpec, OptionValue } from "./command.ts";
import { type CommandTable, type Entry, type Group, isGroup } from "./entry.ts";
import { firstWord, globalOptions } from "./global-options.ts";
import { aliases, groupHelp, overview, topicHelp } from "./help.ts";
import { textOptions, usageError } from "./io.ts";
import { version } from "./version.ts";

/** The parsed command line, or the text to print instead: help, or the version. */
export type Parsed = { readonly text: string } | ParsedCommand;

export interface ParsedCommand {
  readonly path: string;
  readonly spec: CommandSpec;
  readonly invocation: Invocation;
}

const textCodes: ReadonlySet<string> = new Set([
  "commander.helpDisplayed",
  // A group without a verb.
  "commander.help",
  "commander.version",
]);

/**
 * Parses the words after `ralph`, and loads the command that they name.
 *
 * @throws RalphError `RALPH_USAGE` with the nearest command or option, or for a blank value.
 */
export async function parse(commands: CommandTable, typed: readonly string[]): Promise<Parsed> {
  const words = withoutAlias(typed);
  let text = "";
  let result: Parsed | Promise<Parsed> | undefined;
  const program = createProgram(commands, {
    write: (more) => (text += more),
    help: (topic) => (result = helpOn(commands, topic)),
    command: (parsed) => (result = parsed),
  });
  try {
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError && textCodes.has(error.code)) return { text: text.trimEnd() };
    throw error;
  }
  return (await result) ?? { text: overview(commands) };
}

/** Replaces a command that is written as an option, before any command, by its words. */
function withoutAlias(typed: readonly string[]): readonly string[] {
  const first = firstWord(typed, (word) => !word.startsWith("-") || Object.hasOwn(aliases, word));
  const word = typed[first] ?? "";
  const command = Object.hasOwn(aliases, word) ? aliases[word] : undefined;
  return command ? [...command, ...typed.slice(0, first), ...typed.slice(first + 1)] : typed;
}

/** `ralph help task add` equals `ralph task add --help`. */
async function helpOn(commands: CommandTable, topic: readonly string[]): Promise<Parsed> {
  const text = topicHelp(commands, topic.join(" "));
  return text === undefined ? parse(commands, [...topic, "--help"]) : { text };
}

interface Receiver {
  write(text: string): void;
  help(topic: readonly string[]): void;
  command(parsed: ParsedCommand): void;
}

/** Returns the parser of all commands, each of which is loaded when its name is parsed. */
function createProgram(commands: CommandTable, receiver: Receiver): Command {
  const program = new Command("ralph");
  program.configureOutput({ writeOut: receiver.write, writeErr: receiver.write });
  program
    .version(version, "-V, --version")
    .enablePositionalOptions()
    .helpOption("-h, --help", "show this help");
  program.helpInformation = () => overview(commands);
  addNodes(program, commands, receiver);
  return program;
}

function addNodes(parent: Command, nodes: CommandTable, receiver: Receiver): void {
  parent
    .exitOverride((error) => refuse(parent, error))
    .showSuggestionAfterError(false)
    .helpCommand(false);
  addGlobalOptions(parent);
  const path = pathOf(parent);
  const help = parent.command("help [words...]");
  help.action((words: readonly string[]) => receiver.help(path === "" ? words : [path, ...words]));
  addGlobalOptions(help);
  const children = new Map(nodes.map((node) => [parent.command(node.name), node]));
  parent.hook("preSubcommand", async (_, child) => {
    const node = children.get(child);
    if (!node) return;
    if (isGroup(node)) addVerbs(child, node, receiver);
    else addSpec(child, await node.load(), node, receiver);
  });
}

function addVerbs(command: Command, group: Group, receiver: Receiver): void {
  command.helpInformation = () => groupHelp(group);
  addNodes(command, group.verbs, receiver);
}

function addSpec(command: Command, spec: CommandSpec, { summary }: Entry, receiver: Receiver): void {
  command.description(spec.description ?? summary).allowExcessArguments(false);
  command.exitOverride((error) => refuse(command, error));
  for (const { name, description } of spec.arguments ?? []) command.argument(name, description);
  for (const option of spec.options ?? []) command.addOption(toOption(option));
  addGlobalOptions(command);
  if (spec.examples?.length)
    command.addHelpText("after", `\nExamples:\n${spec.examples.map((line) => `  ${line}`).join("\n")}`);
  command.action(() => {
    const options = optionsOf(command);
    for (const one of spec.options ?? []) {
      const option = toOption(one);
      refuseWrong(`${option.long}`, one, options[option.attributeName()]);
    }
    const names = command.registeredArguments.map((argument) => argument.name());
    const args = Object.fromEntries(names.map((name, at) => [name, command.processedArgs[at]] as const));
    for (const [at, one] of (spec.arguments ?? []).entries())
      refuseWrong(names[at] ?? "", one, command.processedArgs[at]);
    receiver.command({ path: pathOf(command), spec, invocation: { args, options } });
  });
}

function addGlobalOptions(command: Command): void {
  const own = new Set(command.options.map(({ long }) => long));
  for (const option of globalOptions.map(toOption)) {
    if (!own.has(option.long)) command.addOption(option.helpGroup("Global options:"));
  }
}

/** Returns the values of a command's options. A global one may also be typed before the command. */
function optionsOf(command: Command): Readonly<Record<string, OptionValue>> {
  const values = command.opts<Record<string, OptionValue>>();
  for (let outer = command.parent; outer; outer = outer.parent) {
    for (const [name, value] of Object.entries(outer.opts<Record<string, OptionValue>>())) {
      if (outer.getOptionValueSource(name) === "cli" && command.getOptionValueSource(name) !== "cli")
        values[name] = value;
    }
  }
  return values;
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}`.trim() : "";
}

function toOption({ flags, description, multiple }: OptionSpec): Option {
  const option = new Option(flags, description);
  if (!multiple) return option;
  return option.argParser((value: string, before: readonly string[] | undefined) => [
    ...(before ?? []),
    value,
  ]);
}

/** @throws RalphError `RALPH_USAGE`; CommanderError when there is a text to print */
function refuse(command: Command, error: CommanderError): never {
  if (textCodes.has(error.code)) throw error;
  const path = pathOf(command);
  const prefix = path === "" ? "ralph" : `ralph ${path}`;
  const message = error.message.replace(/^error: /, "");
  const [, name] = /^unknown command '(.*)'/.exec(message) ?? [];
  if (name !== undefined) {
    const near = nearest(
      name,
      command.commands.map((one) => one.name()),
    );
    const hint = near ? `did you mean: ${prefix} ${near}` : `${prefix} help lists the commands`;
    throw usageError(`unknown command: ${prefix} ${name}`, hint);
  }
  const [, flag] = /^unknown option '(--[^'=]+)/.exec(message) ?? [];
  const flags = [...command.options.flatMap(({ long }) => long ?? []), "--help"];
  const near = flag && nearest(flag, flags);
  throw usageError(
    `${prefix}: ${message}`,
    near ? `did you mean ${near}?` : path === "" ? "ralph help" : `${prefix} --help`,
  );
}

/** @throws RalphError `RALPH_USAGE` for a blank value where it has a hint, and for one that is none of the choices */
function refuseWrong(
  name: string,
  { choices, isOpen, whenBlank }: Pick<OptionSpec, "choices" | "isOpen" | "whenBlank">,
  value: OptionValue,
): void {
  for (const text of textOptions(value)) {
    const wrong = `invalid ${name} ${JSON.stringify(text)}`;
    if (whenBlank !== undefined && text.trim() === "")
      throw usageError(`${wrong}: the value is empty`, whenBlank);
    if (!choices || isOpen || choices.includes(text) || choices.includes(text.replace("-", "_"))) continue;
    const near = nearest(text, choices);
    const all = choices.join(", ");
    throw usageError(`${wrong}: expected ${all}`, near ? `did you mean ${near}?` : `use one of ${all}`);
  }
}
