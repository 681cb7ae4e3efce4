import { streamReaders } from "../../src/agents/formats/stream-readers.ts";
import type { AgentError } from "../../src/agents/port/agent.ts";
import type { Reading } from "../../src/agents/port/session-stream.ts";
import { limitInMessage, sessionError } from "../../src/agents/session/session-error.ts";
import { lineSplitter } from "../../src/process/line-splitter.ts";
import type { ProcessResult } from "../../src/process/run-process.ts";
import { silentHost } from "../fakes/session-host.ts";
import type { Capture } from "./capture.ts";

interface Session extends Reading {
  readonly error: AgentError | null;
}

const signals: Readonly<Record<number, string>> = { 2: "SIGINT", 9: "SIGKILL", 15: "SIGTERM" };
const now = () => new Date("2026-11-20T18:00:00Z");

/** Reads a capture as a session of the agent `command` would; `stderrFirst`: the order of the streams is not recorded. */
export function readCapture(capture: Capture, stderrFirst = false): Session {
  const { stdout, stderr, meta } = capture;
  const reader = streamReaders[capture.format];
  const stream = reader.open(silentHost({ now }));
  const out = lineSplitter({ maxLineBytes: 8 * 1024 * 1024, onLine: ({ text }) => stream.line?.(text) });
  const err = lineSplitter({ maxLineBytes: 8 * 1024 * 1024, onLine: ({ text }) => stream.errorLine?.(text) });
  const reads = [
    () => {
      stream.chunk?.(stdout);
      out.push(stdout);
      out.end();
    },
    () => {
      err.push(stderr);
      err.end();
    },
  ];
  for (const read of stderrFirst ? reads.reverse() : reads) read();
  const ran: ProcessResult = {
    spawnError: null,
    exitCode: meta.rc < 0 ? null : meta.rc,
    signal: meta.rc < 0 ? (signals[-meta.rc] ?? "SIGKILL") : null,
    ended: meta.signal === "TIMEOUT" ? "timeout" : "exited",
    durationMs: 1000,
    survivorsKilled: 0,
  };
  stream.ended?.({ exitCode: ran.exitCode, signal: ran.signal, overdue: ran.ended === "timeout" });
  const reading = stream.reading();
  const facts = {
    ...{ agent: "command", program: "agent", reading, ran, reader, failure: null, stderr: stderr.toString() },
    ...{ timeoutMs: 60_000, idleTimeoutMs: 60_000, now: now() },
  };
  return { ...reading, error: sessionError(facts) ?? limitInMessage(facts) };
}
