import { RalphError } from "../../base/errors.ts";

/** Every exit code that ralph has, with its meaning; `ralph help exit-codes` prints this table (LOOP-14). */
export const exitCodes: readonly (readonly [number, string])[] = [
  [0, "all tasks are done (or the command did what it was asked)"],
  [1, "a task was marked failed"],
  [2, "wrong usage: arguments, configuration or input that ralph cannot use"],
  [3, "stopped with tasks left: a limit, the budget, or asked to stop"],
  [4, "stuck: a person is needed"],
  [
    5,
    "the environment: agent missing or not logged in, out of credit, verification not executable, store locked or newer, not approved, git",
  ],
  [70, "a bug in ralph"],
];

const environmentCodes = /^RALPH_(?:(?:STORE|GIT|AGENT|RUN|TRUST|ISOLATION)_|FILE_WRITE$)/;
/** Of the environment's families, what is the caller's own words rather than the machine's state. */
const usageCodes: ReadonlySet<string> = new Set([
  "RALPH_AGENT_UNKNOWN",
  "RALPH_RUN_NO_TASKS",
  "RALPH_RUN_UNKNOWN",
  "RALPH_STORE_UNSUPPORTED",
]);

/** The exit code for anything thrown: 2 for usage, 5 for the environment, 70 for a bug. */
export function exitCodeOf(error: unknown): 2 | 5 | 70 {
  if (!(error instanceof RalphError)) return 70;
  if (usageCodes.has(error.code)) return 2;
  return environmentCodes.test(error.code) ? 5 : 2;
}
