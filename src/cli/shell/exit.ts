import { RalphError } from "../../base/errors.ts";

/** Every exit code with its meaning; `ralph help exit-codes` prints this table (LOOP-14). */
export const exitCodes: readonly (readonly [number, string])[] = [
  [0, "all tasks are done (or the command succeeded)"],
  [1, "a task was marked failed (`ralph verify`: a command failed)"],
  [2, "usage error: invalid arguments, configuration or input"],
  [3, "stopped with tasks left: limit or budget reached, or `ralph stop`"],
  [4, "stuck, or the verification fails before any attempt: needs a person"],
  [
    5,
    "environment error: agent missing or not logged in, out of credit, verification not executable, store locked or too new, not approved, git unusable",
  ],
  [70, "a bug in ralph"],
  [130, "ended by Ctrl-C (SIGINT); SIGHUP: 129, SIGTERM: 143"],
];

const environmentCodes =
  /^RALPH_(?:(?:STORE|GIT|AGENT|RUN|TRUST|ISOLATION)_|FILE_(?:READ|WRITE)$|VERIFY_CANNOT_RUN$)/;
/** Codes of the environment families that report a usage error instead. */
const usageCodes: ReadonlySet<string> = new Set([
  "RALPH_AGENT_UNKNOWN",
  "RALPH_RUN_NO_TASKS",
  "RALPH_RUN_UNKNOWN",
]);

/** Returns the exit code for a thrown value: 2 for usage errors, 5 for the environment, 70 for a bug. */
export function exitCodeOf(error: unknown): 2 | 5 | 70 {
  if (!(error instanceof RalphError)) return 70;
  if (usageCodes.has(error.code)) return 2;
  return environmentCodes.test(error.code) ? 5 : 2;
}
