import { commandKind } from "./command-kind.ts";
import { type ErrorCategory, textRules, toolRules } from "./error-categories.ts";

interface FailedCommand {
  /** The command that failed, if one did. */
  readonly command: string | null;
  /** The output of the command, or the message of the agent. */
  readonly text: string;
}

/** Categories that a failure of a command of each kind can have besides its own. */
const otherCategories: Readonly<Partial<Record<ErrorCategory, readonly ErrorCategory[]>>> = {
  type_error: [],
  lint_error: [],
  test_failure: ["type_error", "test_failure", "timeout", "dependency_error", "missing_file"],
  build_error: ["type_error", "dependency_error", "missing_file"],
};

/**
 * Returns the category of a failure (FAIL-3): `type_error`, `test_failure`, `lint_error`, `build_error`, `timeout`,
 * `dependency_error`, `missing_file`, `logic_error` or `unknown`. The failing command takes precedence over its output: a
 * linter's output is a lint error whatever words it contains, and a test runner that names a bundler is not a build error.
 */
export function classify({ command, text }: FailedCommand): ErrorCategory | "unknown" {
  const kind = commandKind(command ?? "") ?? commandKind(lastScript(text));
  if (kind === null) return firstMatch(text) ?? "unknown";
  return firstMatch(text, otherCategories[kind]) ?? kind;
}

function firstMatch(text: string, admitted?: readonly ErrorCategory[]): ErrorCategory | null {
  const matches = ([category, pattern]: readonly [ErrorCategory, RegExp]): boolean =>
    (!admitted || admitted.includes(category)) && pattern.test(text);
  return (textRules.find(matches) ?? toolRules.find(matches))?.[0] ?? null;
}

/** Returns the last command that npm announces: `> shop@1.0.0 lint`, then `> eslint .`. */
function lastScript(text: string): string {
  let command = "";
  for (const match of text.matchAll(/^> \S+@\S* (\S+).*\n> (.+)$/gm)) command = `${match[2]}`;
  return command;
}
