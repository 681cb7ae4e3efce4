import type { IsolationLevel, Sandbox } from "../agents/port/confinement.ts";
import { formatDuration } from "../base/duration.ts";
import { clip, count, oneLine } from "../base/text.ts";
import { defaultVerifyTimeoutMs, type VerifyCommand } from "../base/verify-command.ts";
import { type ProcessResult, runProcess } from "../process/run-process.ts";
import { type TailBuffer, tailBuffer } from "../process/tail-buffer.ts";
import { redactedText } from "../trust/safe-text.ts";
import { whyItCannotRun } from "./cannot-run.ts";
import { failuresCounted, ranNoTest, testsRun } from "./count-tests.ts";
import { extractError } from "./extract-error.ts";
import { lostExitCode } from "./lost-exit-code.ts";
import type { CheckResult } from "./outcome.ts";
import type { CannotRun } from "./preflight.ts";

const headBytes = 64 * 1024;
const tailBytes = 256 * 1024;

export interface VerifyOptions {
  /** The project's root. */
  readonly cwd: string;
  /** The complete environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** The marker of the iteration, by which processes that a command leaves running are found and killed. */
  readonly marker: string;
  readonly isolation: IsolationLevel;
  /** Null: the commands see what the user sees. */
  readonly sandbox: Sandbox | null;
  readonly signal: AbortSignal;
  /** Milliseconds left of the attempt's time limit, for all commands together; null: no limit. */
  readonly remainingMs: number | null;
  /** True: a command that fails is repeated once, as its failure may be a flake. */
  readonly repeat?: boolean;
  readonly onStart?: (command: string) => void;
  readonly onEnd?: (result: CheckResult) => void;
}

/**
 * Runs the commands in the shell, in order, until one fails; returns the results of those that ran. A command passes
 * with exit code 0, unless a test runner reports that it ran no test or that a test failed. Each command has its time limit (default 10
 * minutes), and `remainingMs` limits all together. Keeps the first 64 KiB and the last 256 KiB of the output, redacts them
 * and extracts the error. If `signal` is aborted, the reason of the last result is "was stopped".
 */
export async function verify(
  commands: readonly VerifyCommand[],
  options: VerifyOptions,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  const deadline = performance.now() + (options.remainingMs ?? Number.POSITIVE_INFINITY);
  for (const command of commands) {
    options.onStart?.(command.run);
    const first = await check(command, options, deadline);
    const again =
      options.repeat && mayBeFlake(first, options) ? await check(command, options, deadline) : null;
    const result = again?.passed ? { ...again, flaky: first.reason } : first;
    results.push(result);
    options.onEnd?.(result);
    if (!result.passed) break;
  }
  return results;
}

/** A command that was stopped, took too long or cannot be executed ends the same way again. */
function mayBeFlake({ passed, reason, cannotRun }: CheckResult, { signal }: VerifyOptions): boolean {
  return !passed && cannotRun === null && !reason.startsWith("timed out") && !signal.aborted;
}

/** Returns a sentence for each command that failed once and passed when it was repeated. */
export function flakyWarnings(checks: readonly CheckResult[]): readonly string[] {
  return checks.flatMap(({ command, flaky }) =>
    flaky === undefined
      ? []
      : [`${quoted(command)} is flaky: it failed (${flaky}), and passed when repeated`],
  );
}

async function check(command: VerifyCommand, options: VerifyOptions, deadline: number): Promise<CheckResult> {
  const { cwd, env, marker, isolation, signal } = options;
  const output = capture();
  const ownTimeoutMs = command.timeoutMs ?? defaultVerifyTimeoutMs;
  const leftMs = Math.max(1, deadline - performance.now());
  const timeoutMs = Math.min(ownTimeoutMs, leftMs);
  const program = { argv: ["/bin/sh", "-c", command.run] as const, cwd, env };
  const result = await runProcess({
    ...(options.sandbox?.verification(program) ?? program),
    marker,
    isolation,
    timeoutMs,
    idleTimeoutMs: null,
    signal,
    stopSignal: "SIGTERM",
    onStdout: output.stdout,
    onStderr: output.stderr,
  });
  const text = redactedText(withoutCutLines(output.text()));
  const isWhole = output.dropped() === 0;
  const doubt = result.exitCode === 0 ? await whyNoPass(command.run, { cwd, text, isWhole }) : "";
  const ran = isWhole ? testsRun(command.run, text) : null;
  const cannotRun = await whyItCannotRun(command.run, { cwd, env, result, text });
  const reason = failureReason(result, {
    cannotRun,
    timeoutMs,
    attemptIsOver: leftMs < ownTimeoutMs,
    doubt,
  });
  return {
    command: command.run,
    passed: reason === "",
    reason,
    exitCode: result.exitCode,
    durationMs: Math.round(result.durationMs),
    excerpt: extractError(text),
    cannotRun,
    ...(ran === null ? {} : { testsRun: ran }),
  };
}

interface Passed {
  readonly cwd: string;
  readonly text: string;
  /** False: the middle of its output is missing. */
  readonly isWhole: boolean;
}

/** Returns why a command that exited with 0 did not pass: by its own summary it ran no test, or one failed (LOOP-24). */
async function whyNoPass(command: string, { cwd, text, isWhole }: Passed): Promise<string> {
  const failed = failuresCounted(command, text);
  if (failed > 0) {
    const lost = await lostExitCode(command, cwd);
    const how = lost ? `: ${lost.why}; ${lost.fix}` : ", which the exit code does not show";
    return `exit code 0, but its summary counts ${count(failed, "failure")}${how}`;
  }
  return isWhole && ranNoTest(text) ? "exit code 0, but it ran no test" : "";
}

/**
 * Returns a sentence for each of the commands whose exit code says nothing of the tests, by the command; for one that only
 * passes without a test, such as `true`, if the others do too.
 */
export async function formWarnings(
  commands: readonly VerifyCommand[],
  cwd: string,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  let tests = false;
  for (const { run } of commands) {
    const lost = await lostExitCode(run, cwd);
    const name = quoted(run);
    if (lost?.fix) found.set(run, `${name} passes also when a test fails: ${lost.why}; ${lost.fix}`);
    tests ||= lost === null || lost.fix !== null;
  }
  if (tests) return found;
  return new Map(commands.map(({ run }) => [run, `${quoted(run)} always passes: it runs no test`]));
}

const maxCommandChars = 80;

function quoted(command: string): string {
  return `\`${clip(oneLine(command), maxCommandChars)}\``;
}

interface Capture {
  readonly stdout: (chunk: Buffer) => void;
  readonly stderr: (chunk: Buffer) => void;
  text(): string;
  dropped(): number;
}

/** Captures both streams together while they fit, otherwise separately, so that neither displaces errors of the other. */
function capture(): Capture {
  const both = tailBuffer({ headBytes, tailBytes });
  const out = tailBuffer({ headBytes, tailBytes });
  const err = tailBuffer({ headBytes, tailBytes });
  const into = (own: TailBuffer) => (chunk: Buffer) => {
    both.push(chunk);
    own.push(chunk);
  };
  return {
    stdout: into(out),
    stderr: into(err),
    text: () => (both.dropped() === 0 ? both.text() : `${out.text()}\n${err.text()}`),
    dropped: () => both.dropped(),
  };
}

const gap = /\n\[… \d+ bytes left out\]\n/g;
const maxCutChars = 500;

/** Removes the lines next to a gap: redaction would not recognise half a secret. */
function withoutCutLines(text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { index, 0: mark } of text.matchAll(gap)) {
    const before = text.slice(Math.max(at, index - maxCutChars), index);
    const end = index + mark.length;
    const [after = ""] = text.slice(end, end + maxCutChars).split("\n", 1);
    parts.push(text.slice(at, index - before.length), before.slice(0, before.lastIndexOf("\n") + 1), mark);
    at = end + after.length;
  }
  return parts.join("") + text.slice(at);
}

interface CheckCircumstances {
  readonly cannotRun: CannotRun | null;
  readonly timeoutMs: number;
  /** True: the attempt's time limit was shorter than the command's. */
  readonly attemptIsOver: boolean;
  /** Why exit code 0 is not a pass; "": it is. */
  readonly doubt: string;
}

function failureReason(
  { ended, exitCode, signal, spawnError }: ProcessResult,
  { cannotRun, timeoutMs, attemptIsOver, doubt }: CheckCircumstances,
): string {
  if (ended === "spawn-failed") return `could not be started: ${spawnError}`;
  if (ended === "timeout") {
    const limit = attemptIsOver ? ": the attempt reached its time limit (--task-timeout)" : "";
    return `timed out after ${formatDuration(timeoutMs)}${limit}`;
  }
  if (ended === "cancelled") return "was stopped";
  if (signal) return `was ended by ${signal}`;
  if (cannotRun) return `exit code ${exitCode}: ${cannotRun.missing}`;
  if (exitCode === 127) return "exit code 127: a command was not found";
  if (exitCode !== 0) return `exit code ${exitCode}`;
  return doubt;
}
