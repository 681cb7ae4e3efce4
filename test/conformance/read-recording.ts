import { readFileSync } from "node:fs";
import type { AgentError } from "../../src/agents/port/agent.ts";
import type { OpenStream, Reading, StreamReader } from "../../src/agents/port/session-stream.ts";
import { sessionError } from "../../src/agents/session/session-error.ts";
import { lineSplitter } from "../../src/process/line-splitter.ts";
import type { ProcessResult } from "../../src/process/run-process.ts";
import { silentHost } from "../fakes/session-host.ts";

interface Recording {
  readonly file: string;
  /** Exit code, or the signal it died by. */
  readonly exit: number | string;
  readonly stderr?: string;
  readonly explain?: StreamReader["explain"];
  readonly ended?: ProcessResult["ended"];
}

interface Session extends Reading {
  readonly error: AgentError | null;
}

/** An adapter's reading of a recorded stdout, read in pieces that fall anywhere, and of how the agent ended. */
export function readRecording(open: OpenStream, { file, exit, stderr = "", ...rest }: Recording): Session {
  const bytes = readFileSync(file);
  const stream = open(silentHost({ now: () => new Date("2026-11-20T12:00:00Z") }));
  const lines = lineSplitter({ maxLineBytes: 8 * 1024 * 1024, onLine: ({ text }) => stream.line?.(text) });
  for (let at = 0, size = 1; at < bytes.length; at += size, size = (size % 997) + 1) {
    const chunk = bytes.subarray(at, at + size);
    stream.chunk?.(chunk);
    lines.push(chunk);
  }
  lines.end();
  const reading = stream.reading();
  const died = typeof exit === "string";
  const process: ProcessResult = {
    spawnError: null,
    exitCode: died ? null : exit,
    signal: died ? exit : null,
    ended: rest.ended ?? "exited",
    durationMs: 1000,
    survivorsKilled: 0,
  };
  const error = sessionError({
    agent: "claude",
    program: "claude",
    reading,
    ran: process,
    stderr,
    timeoutMs: 60_000,
    idleTimeoutMs: 5000,
    failure: null,
    reader: { explain: rest.explain ?? (() => null), endsWithEvent: true },
    now: new Date(),
  });
  return { ...reading, error };
}
