import { clip, count, oneLine } from "../../base/text.ts";
import type { CheckResult } from "../../outcome/outcome.ts";

/** How many tests each command ran when it last passed, by the command. */
export type TestsRun = Readonly<Record<string, number>>;

const maxCommandChars = 80;

/** Returns a sentence for each command that passed and ran fewer tests than before, or no longer says how many. */
export function fewerRan(checks: readonly CheckResult[], before: TestsRun): readonly string[] {
  return checks.flatMap(({ command, passed, testsRun }) => {
    const last = Object.hasOwn(before, command) ? (before[command] ?? 0) : 0;
    if (!passed || last === 0 || (testsRun !== undefined && testsRun >= last)) return [];
    const name = `\`${clip(oneLine(command), maxCommandChars)}\``;
    return testsRun === undefined
      ? [`${name} no longer says how many tests it ran: ${last} before`]
      : [`${name} ran ${count(testsRun, "test")}, ${last} before`];
  });
}

/** The number of commands that are remembered. */
const maxCommands = 100;

/** Returns `before` with what these commands ran; a command that passed and did not say how many is forgotten. */
export function withTestsRun(checks: readonly CheckResult[], before: TestsRun): TestsRun {
  const passed = checks.filter((check) => check.passed);
  const names = new Set(passed.map(({ command }) => command));
  const others = Object.entries(before).filter(([command]) => !names.has(command));
  const own = passed.flatMap(({ command, testsRun }) =>
    testsRun === undefined ? [] : [[command, testsRun] as const],
  );
  return Object.fromEntries([...others, ...own].slice(-maxCommands));
}
