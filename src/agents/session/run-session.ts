import { clip, oneLine } from "../../base/text.ts";
import { lineSplitter } from "../../process/line-splitter.ts";
import { type ProcessResult, runProcess } from "../../process/run-process.ts";
import { tailBuffer } from "../../process/tail-buffer.ts";
import { redactedText } from "../../trust/safe-text.ts";
import type { AgentActivity, AgentCommand, AgentError, AgentRequest, AgentResult } from "../agent.ts";
import type { AgentOutput } from "../limits/refusal-text.ts";
import { skillsIn } from "./loaded-skills.ts";
import { openRawLog, type RawLog } from "./raw-log.ts";
import { limitInMessage, sessionError } from "./session-error.ts";
import type { OpenStream, Reading } from "./session-stream.ts";

export interface SessionPlan {
  readonly agent: string;
  readonly command: AgentCommand;
  readonly inheritedEnv: Readonly<Record<string, string>>;
  readonly openStream: OpenStream;
  /** Interprets the agent's last output if it gave no result. */
  readonly explain: (words: AgentOutput) => AgentError | null;
  /** False for output whose end only the exit shows. */
  readonly endsWithEvent: boolean;
}

const maxLineBytes = 8 * 1024 * 1024;
const stderrHeadBytes = 4 * 1024;
const stderrTailBytes = 16 * 1024;
const activityChars = 200;
const errorChars = 2000;
/** Agents sometimes hang after their last event. A normal exit takes well under a second. */
const afterResultMs = 5000;

const denialChars = 200;
const maxLoadedSkills = 20;

/** Runs one session of an agent: prompt on stdin, stream read and logged as it arrives, process tree killed at the end. */
export async function runSession(request: AgentRequest, plan: SessionPlan): Promise<AgentResult> {
  const log = await openRawLog(request.logFile, request.cwd);
  try {
    return await supervise(request, plan, log);
  } finally {
    log.close();
  }
}

/** The variables in every agent's environment (IF-1). `RALPH_MARKER` is added where the process is started. */
export function iterationEnv(request: AgentRequest): Record<string, string> {
  return {
    RALPH_TASK_ID: request.taskId,
    RALPH_RUN_ID: request.runId,
    RALPH_ITERATION: String(request.iteration),
    RALPH_ATTEMPT: String(request.attempt),
    RALPH_MODEL: request.model,
    ...(request.journal && { RALPH_JOURNAL: request.journal.path }),
    TMPDIR: request.tmpDir,
  };
}

async function supervise(request: AgentRequest, plan: SessionPlan, log: RawLog): Promise<AgentResult> {
  const finished = new AbortController();
  const loadedSkills = new Set<string>();
  const stream = plan.openStream({
    onActivity: (activity) => {
      for (const name of skillsIn(activity)) if (loadedSkills.size < maxLoadedSkills) loadedSkills.add(name);
      request.onActivity(toDisplay(activity));
    },
    onFinished: () => finished.abort(),
    now: () => new Date(),
  });
  const stdout = lineSplitter({
    maxLineBytes,
    onLine: ({ text }) => {
      log.line(text);
      stream.line?.(text);
    },
  });
  const stderr = lineSplitter({ maxLineBytes, onLine: ({ text }) => log.line(`stderr: ${text}`) });
  const stderrEnd = tailBuffer({ headBytes: stderrHeadBytes, tailBytes: stderrTailBytes });

  const ran = await runProcess({
    argv: plan.command.argv,
    cwd: request.cwd,
    env: { ...plan.inheritedEnv, ...plan.command.env },
    stdin: request.prompt,
    marker: request.marker,
    isolation: request.isolation,
    timeoutMs: request.timeoutMs,
    idleTimeoutMs: request.idleTimeoutMs,
    silenceExpected: () => stream.reading().waiting,
    signal: request.signal,
    forceSignal: request.forceSignal,
    afterResult: plan.endsWithEvent ? { seen: finished.signal, graceMs: afterResultMs } : undefined,
    onStdout: (chunk) => {
      stream.chunk?.(chunk);
      stdout.push(chunk);
    },
    onStderr: (chunk) => {
      stderrEnd.push(chunk);
      stderr.push(chunk);
    },
  });
  stdout.end();
  stderr.end();
  const result = resultOf(request, plan, { reading: stream.reading(), ran, stderr: stderrEnd.text() });
  return { ...result, loadedSkills: [...loadedSkills] };
}

interface EndedSession {
  readonly reading: Reading;
  readonly ran: ProcessResult;
  readonly stderr: string;
}

function resultOf(request: AgentRequest, plan: SessionPlan, ended: EndedSession): AgentResult {
  const { reading, ran } = ended;
  const { timeoutMs, idleTimeoutMs } = request;
  const { agent, explain, endsWithEvent } = plan;
  const program = plan.command.argv[0];
  const facts = {
    ...{ ...ended, agent, program, explain, endsWithEvent },
    ...{ timeoutMs, idleTimeoutMs, now: new Date() },
  };
  const error = sessionError(facts);
  const onlyLimitText = error ? null : limitInMessage(facts);
  return {
    finalMessage: redactedText(reading.finalMessage),
    error: error && forReports(error),
    onlyLimitText: onlyLimitText && forReports(onlyLimitText),
    model: reading.model,
    tokens: reading.tokens,
    costUsd: reading.costUsd,
    costSource: reading.costSource,
    durationMs: ran.durationMs,
    sessionId: reading.sessionId,
    stopReason: reading.stopReason,
    permissionDenials: reading.permissionDenials.map(denialToDisplay),
    exitCode: ran.exitCode,
    signal: ran.signal,
    stderrTail: redactedText(ended.stderr),
    survivorsKilled: ran.survivorsKilled,
  };
}

function forReports(error: AgentError): AgentError {
  return { ...error, message: clip(redactedText(error.message), errorChars) };
}

function denialToDisplay(denial: string): string {
  return clip(oneLine(redactedText(denial.slice(0, denialChars * 40))), denialChars);
}

function toDisplay({ kind, text }: AgentActivity): AgentActivity {
  // Cut far beyond what is shown, so that no secret is cut and missed; a tool's input may have megabytes.
  return { kind, text: clip(oneLine(redactedText(text.slice(0, activityChars * 40))), activityChars) };
}
