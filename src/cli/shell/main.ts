import { safe } from "../../base/safe-text.ts";
import { sensitiveValues } from "../../config/environment.ts";
import { registerSecrets } from "../../trust/registered-secrets.ts";
import { storedText } from "../../trust/stored-text.ts";
import type { CommandSpec, Invocation } from "./command.ts";
import { exitCodeOf } from "./exit.ts";
import { asksMemory, findCommand } from "./find-command.ts";
import { insideRule } from "./groups/inside-table.ts";
import { ignoreClosedPipes } from "./ignore-closed-pipes.ts";
import type { Parsed } from "./parse-words.ts";
import { quickParse } from "./quick-parse.ts";
import { createSession, fitToScreen } from "./session.ts";

/**
 * Runs one command line and returns its exit code. All errors become messages and exit codes here.
 */
export async function main(words: readonly string[]): Promise<number> {
  ignoreClosedPipes();
  // Whatever a command stores, shows or passes on, no rule recognizes these values themselves.
  registerSecrets(sensitiveValues());
  try {
    if (words[0] === "__complete") {
      process.stdout.write(await (await import("./complete.ts")).complete(words.slice(1)));
      return 0;
    }
    const asked = findCommand(words);
    switch (asked.kind) {
      case "version":
        return print((await import("./version.ts")).version);
      case "help": {
        const { helpOn, overview } = await import("./help.ts");
        return print(asked.topic ? helpOn(asked.topic) : overview());
      }
      case "command": {
        const spec = await asked.entry.load();
        const parsed = await parse(asked.path, spec, asked.words);
        if ("help" in parsed) return print(parsed.help);
        return await execute(asked.path, spec, parsed.invocation);
      }
    }
  } catch (thrown) {
    const { describeError, isUsersError } = await import("./print-error.ts");
    const { knownError } = await import("../../trust/safe-file.ts");
    const error = knownError(thrown);
    const json = words.includes("--json");
    const shape = asksMemory(words) ? "swarm" : "ralph";
    const text = describeError(error, { json, shape, verbose: words.includes("--verbose") });
    if (json) process.stdout.write(safe`${text}\n`);
    else process.stderr.write(safe`${fitToScreen(text, process.stderr)}\n`);
    return json && shape === "swarm" && isUsersError(error) ? 1 : exitCodeOf(error);
  }
}

async function execute(path: string, spec: CommandSpec, invocation: Invocation): Promise<number> {
  const session = createSession(invocation.options);
  // Only commands that an iteration may not use look for one.
  if (insideRule(path, invocation) !== "refused") return (await spec.run(session, invocation)) ?? 0;
  const { refuseInside } = await import("../project/refuse-inside.ts");
  const project = await refuseInside(session, path, { opens: reusesProject.test(path) });
  if (project) session.keepProject(project);
  return (await spec.run(session, invocation).finally(() => session.closeKept())) ?? 0;
}

/** Commands that neither change the settings nor the store's file, so that the project that is open serves them. */
const reusesProject = /^(?:task|memory|learnings|skills|journal|stop|pause|resume|message)\b/;

async function parse(path: string, spec: CommandSpec, words: readonly string[]): Promise<Parsed> {
  const invocation = quickParse(spec, words);
  if (invocation) return { invocation };
  const { parseWords } = await import("./parse-words.ts");
  return parseWords(path, spec, words);
}

function print(help: string): number {
  process.stdout.write(safe`${fitToScreen(storedText(help), process.stdout)}\n`);
  return 0;
}
