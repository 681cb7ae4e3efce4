import type { IsolationLevel, Sandbox } from "../agents/port/confinement.ts";
import { formatDuration } from "../base/duration.ts";
import { defaultVerifyTimeoutMs, type VerifyCommand } from "../base/verify-command.ts";
import { type ProcessResult, runProcess } from "../process/run-process.ts";
import { type TailBuffer, tailBuffer } from "../process/tail-buffer.ts";
import { redactedText } from "../trust/safe-text.ts";
import { whyItCannotRun } from "./cannot-run.ts";
import { extractError } from "./extract-error.ts";
import type { CheckResult } from "./outcome.ts";
import type { CannotRun } from "./preflight.ts";
import { ranNoTest, testsRun } from "./ran-no-test.ts";

const headBytes = 64 * 1024;
const tailBytes = 256 * 1024;

interface VerifyOptions {
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
  readonly onStart?: (command: string) => void;
  readonly onEnd?: (result: CheckResult) => void;
}

/**
 * Runs the commands in the shell, in order, until one fails; returns the results of those that ran. A command passes
 * with exit code 0, unless it is a test runner that reports running no test. Each command has its time limit (default 10
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
    const result = await check(command, options, deadline);
    results.push(result);
    options.onEnd?.(result);
    if (!result.passed) break;
  }
  return results;
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
  const noTest = isWhole && ranNoTest(text);
  const ran = isWhole ? testsRun(command.run, text) : null;
  const cannotRun = await whyItCannotRun(command.run, { cwd, env, result, text });
  const reason = failureReason(result, {
    cannotRun,
    timeoutMs,
    attemptIsOver: leftMs < ownTimeoutMs,
    noTest,
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
  readonly noTest: boolean;
}

function failureReason(
  { ended, exitCode, signal, spawnError }: ProcessResult,
  { cannotRun, timeoutMs, attemptIsOver, noTest }: CheckCircumstances,
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
  return noTest ? "exit code 0, but it ran no test" : "";
}
