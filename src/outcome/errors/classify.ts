import { commandKind } from "./command-kind.ts";
import { textRules, toolRules } from "./error-categories.ts";

interface FailedCommand {
  /** The command that failed, if one did. */
  readonly command: string | null;
  /** What it, or the agent, said. */
  readonly text: string;
}

/** What else the output of a command of a kind may show than a failure of that kind. */
const mayShow: Readonly<Record<string, readonly string[]>> = {
  type_error: [],
  lint_error: [],
  test_failure: ["type_error", "test_failure", "timeout", "dependency_error", "missing_file"],
  build_error: ["type_error", "dependency_error", "missing_file"],
};

/**
 * The category of a failure (FAIL-3): `type_error`, `test_failure`, `lint_error`, `build_error`, `timeout`,
 * `dependency_error`, `missing_file`, `logic_error` or `unknown`. The failing command is looked at first: a linter's
 * output is a lint error whatever words stand in it, a test runner's is none for naming a bundler.
 */
export function classify({ command, text }: FailedCommand): string {
  const kind = commandKind(command ?? "") ?? commandKind(lastScript(text));
  if (kind === null) return firstMatch(text) ?? "unknown";
  return firstMatch(text, mayShow[kind]) ?? kind;
}

function firstMatch(text: string, admitted?: readonly string[]): string | null {
  const holds = ([category, pattern]: readonly [string, RegExp]): boolean =>
    (!admitted || admitted.includes(category)) && pattern.test(text);
  return (textRules.find(holds) ?? toolRules.find(holds))?.[0] ?? null;
}

/** The command that npm says it runs: `> shop@1.0.0 lint`, then `> eslint .`. */
function lastScript(text: string): string {
  let command = "";
  for (const match of text.matchAll(/^> \S+@\S* (\S+).*\n> (.+)$/gm)) command = `${match[2]}`;
  return command;
}
