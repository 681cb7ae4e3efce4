import { lineSplitter } from "../../process/line-splitter.ts";
import { runProcess } from "../../process/run-process.ts";
import { tailBuffer } from "../../process/tail-buffer.ts";
import { writeFileSafely } from "../../trust/safe-file.ts";
import type { AgentRequest, AgentResult } from "../port/agent.ts";
import type { SessionPlan, SessionStream } from "../port/session-stream.ts";
import { containedStream } from "./contained-stream.ts";
import { joinedLog } from "./joined-log.ts";
import { type OpenHost, openHost } from "./open-host.ts";
import { openRawLog, type RawLog } from "./raw-log.ts";
import { sessionResult } from "./session-result.ts";

const maxLineBytes = 8 * 1024 * 1024;
const stderrHeadBytes = 4 * 1024;
const stderrTailBytes = 16 * 1024;

/**
 * Runs one session of an agent: writes its files, gives it the prompt, reads and logs its output as it arrives, writes
 * what its stream says, and kills its process tree at the end.
 */
export async function runSession(request: AgentRequest, plan: SessionPlan): Promise<AgentResult> {
  const log = joinedLog(await openRawLog(request.logFile, request.cwd));
  try {
    for (const [path, text] of Object.entries(plan.command.files ?? {}))
      await writeFileSafely(path, text, { root: request.tmpDir, durable: false, tidy: false });
    return await converse(request, plan, log);
  } finally {
    await log.close();
  }
}

async function converse(request: AgentRequest, plan: SessionPlan, log: RawLog): Promise<AgentResult> {
  const { reader } = plan;
  const { stop } = reader;
  const host = openHost(request, log);
  const stream = containedStream(reader.open(host), (why) => log.line(`ralph: cannot read this: ${why}`));
  const output = readOutput(stream, log);
  const stderrEnd = tailBuffer({ headBytes: stderrHeadBytes, tailBytes: stderrTailBytes });
  const { start } = stream;
  try {
    const ran = await runProcess({
      ...launchOf(request, plan),
      stdin: start
        ? (input) => {
            host.connect(input);
            start();
            offerSteering(request, stream, host);
          }
        : request.prompt,
      marker: request.marker,
      isolation: request.isolation,
      timeoutMs: request.timeoutMs,
      idleTimeoutMs: request.idleTimeoutMs,
      silenceExpected: () => stream.reading().waiting,
      signal: request.signal,
      forceSignal: request.forceSignal,
      onStart: request.onStart,
      hopeless: host.hopeless,
      stopSignal: stop.signal,
      graceMs: stop.graceMs,
      afterResult: reader.endsWithEvent ? { seen: host.finished, graceMs: stop.lingerMs } : undefined,
      onStdout: output.stdout,
      onStderr: (chunk) => {
        stderrEnd.push(chunk);
        output.stderr(chunk);
      },
    });
    output.end();
    const overdue = ran.ended === "timeout" || ran.ended === "idle";
    stream.ended?.({ exitCode: ran.exitCode, signal: ran.signal, overdue });
    const ended = { reading: stream.reading(), ran, stderr: stderrEnd.text(), ...host.outcome() };
    return sessionResult(request, plan, ended);
  } finally {
    host.close();
  }
}

/** The program to start: the agent's, or the sandbox around it. */
function launchOf(request: AgentRequest, { agent, command, inheritedEnv }: SessionPlan): Launch {
  const { cwd, tmpDir, marker, journal, service, sandbox } = request;
  const program = { argv: command.argv, cwd, env: { ...inheritedEnv, ...command.env } };
  if (!sandbox) return program;
  const folders = [...(journal ? [journal.folder] : []), ...(service?.folders ?? [])];
  return sandbox.agent({ ...program, agent, tmpDir, marker, folders, added: Object.keys(command.env) });
}

type Launch = Pick<Parameters<typeof runProcess>[0], "argv" | "cwd" | "env" | "sandbox">;

interface OutputReader {
  stdout(chunk: Buffer): void;
  stderr(chunk: Buffer): void;
  end(): void;
}

/** Splits both streams into lines; logs each and passes it on. */
function readOutput(stream: SessionStream, log: RawLog): OutputReader {
  const stdout = lineSplitter({
    maxLineBytes,
    onLine: ({ text }) => {
      log.line(text);
      stream.line?.(text);
    },
  });
  const stderr = lineSplitter({
    maxLineBytes,
    onLine: ({ text }) => {
      log.line(`stderr: ${text}`);
      stream.errorLine?.(text);
    },
  });
  return {
    stdout(chunk) {
      stream.chunk?.(chunk);
      stdout.push(chunk);
    },
    stderr: (chunk) => stderr.push(chunk),
    end() {
      stdout.end();
      stderr.end();
    },
  };
}

/** Passes `steer` to the caller if the stream takes messages; a message after the session's end is refused. */
function offerSteering(request: AgentRequest, { steer }: SessionStream, host: OpenHost): void {
  if (!steer) return;
  request.onSteerable?.(async (text) => host.isConnected() && (await steer(text)));
}
