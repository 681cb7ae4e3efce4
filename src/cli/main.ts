import { safe } from "../base/safe-text.ts";
import { sensitiveValues } from "../config/environment.ts";
import { registerSecrets } from "../trust/registered-secrets.ts";
import { storedText } from "../trust/stored-text.ts";
import { commands } from "./command-table.ts";
import { runAddress } from "./door/run-address.ts";
import { createSession, fitToScreen, personHere } from "./project/session.ts";
import type { Surroundings } from "./shell/command.ts";
import { exitCodeOf } from "./shell/exit.ts";
import { firstWord } from "./shell/global-options.ts";
import { ignoreClosedPipes } from "./shell/ignore-closed-pipes.ts";
import { type ParsedCommand, parse } from "./shell/parse.ts";

/** Runs the command line of this process and returns its exit code. */
export async function main(words: readonly string[]): Promise<number> {
  ignoreClosedPipes();
  // Whatever a command stores, shows or passes on, no rule recognizes these values themselves.
  registerSecrets(sensitiveValues());
  return await execute(words, personHere(execute));
}

/** Runs one command line and returns its exit code. All errors become messages and exit codes here. */
async function execute(words: readonly string[], around: Surroundings): Promise<number> {
  const { stdout, stderr } = around;
  try {
    if (words[0] === "__complete") {
      stdout.write(await (await import("./shell/complete.ts")).complete(commands, words.slice(1)));
      return 0;
    }
    const parsed = await parse(commands, words);
    if (!("text" in parsed)) return await perform(words, parsed, around);
    stdout.write(safe`${fitToScreen(storedText(parsed.text), stdout)}\n`);
    return 0;
  } catch (thrown) {
    const { describeError, isUsersError } = await import("./shell/print-error.ts");
    const { knownError } = await import("../trust/safe-file.ts");
    const error = knownError(thrown);
    const json = words.includes("--json");
    const shape = asksMemory(words) ? "swarm" : "ralph";
    const text = describeError(error, { json, shape, verbose: words.includes("--verbose") });
    if (json) stdout.write(safe`${text}\n`);
    else stderr.write(safe`${fitToScreen(text, stderr)}\n`);
    return json && shape === "swarm" && isUsersError(error) ? 1 : exitCodeOf(error);
  }
}

/** Reports whether a command line is one of `ralph memory`, whose JSON is that of `swarm memory` (HIVE-5). */
function asksMemory(words: readonly string[]): boolean {
  return words[firstWord(words)] === "memory";
}

/** Runs a command here, or by the run whose agent typed it. */
async function perform(
  words: readonly string[],
  { path, spec, invocation }: ParsedCommand,
  around: Surroundings,
): Promise<number> {
  const address = around.inside ? undefined : runAddress();
  if (address) {
    const { askTheRun } = await import("./door/ask-the-run.ts");
    const code = await askTheRun(address, { words, path, invocation }, around);
    if (code !== undefined) return code;
  }
  const session = createSession(invocation.options, around);
  if (around.inside) (await import("./door/inside-table.ts")).refuseInside(session, path, invocation);
  return (await spec.run(session, invocation)) ?? 0;
}
