import { newId } from "../base/ids.ts";
import { clip, oneLine } from "../base/text.ts";
import { runProcess } from "../process/run-process.ts";
import { tailBuffer } from "../process/tail-buffer.ts";
import type { IsolationLevel } from "./port/confinement.ts";

interface ProgramCall {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The complete environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly isolation: IsolationLevel;
}

/** Runs a person's own program and kills what it leaves running. Returns why it failed, or null. Never throws for it. */
export async function runProgram({ signal, ...call }: ProgramCall): Promise<string | null> {
  const stderr = tailBuffer({ headBytes: 0, tailBytes: 2000 });
  const {
    ended,
    spawnError,
    exitCode,
    signal: died,
  } = await runProcess({
    ...call,
    marker: newId("hook", 6),
    idleTimeoutMs: null,
    signal,
    stopSignal: "SIGTERM",
    graceMs: 500,
    onStderr: (chunk) => stderr.push(chunk),
  });
  if (spawnError !== null) return spawnError;
  if (ended === "cancelled") return "cancelled: the run ended before it finished";
  if (ended !== "exited") return `timed out after ${call.timeoutMs} ms`;
  if (exitCode === 0) return null;
  const why = died === null ? `exit code ${exitCode}` : `killed by ${died}`;
  const words = oneLine(stderr.text());
  return clip(words === "" ? why : `${why}: ${words}`, 300);
}
