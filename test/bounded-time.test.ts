import { expect, test } from "vitest";
import { claudeFailure, refusalFromClaude } from "../src/agents/formats/claude/claude-failure.ts";
import { streamReaders } from "../src/agents/formats/stream-readers.ts";
import { refusalIn } from "../src/agents/limits/refusal-text.ts";
import type { OpenStream } from "../src/agents/session/session-stream.ts";
import { withoutPrivateData } from "../src/memory/hivemind/capture/without-private-data.ts";
import { readPattern } from "../src/memory/skills/aggregate/read-pattern.ts";
import { whyItCannotRun } from "../src/outcome/cannot-run.ts";
import { closingSentences } from "../src/outcome/closing-sentences.ts";
import { extractError } from "../src/outcome/extract-error.ts";
import { readClaims } from "../src/outcome/read-claims.ts";
import { ranNoTest } from "../src/outcome/verification/ran-no-test.ts";
import { verificationFileWarnings } from "../src/outcome/verification-files.ts";
import type { ProcessResult } from "../src/process/run-process.ts";
import { redactedText, safeText } from "../src/trust/safe-text.ts";
import { configValues } from "../src/workspace/guarded/config-values.ts";
import { silentHost } from "./fakes/session-host.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const origin = { id: "p", name: safeText("project"), root: "/home/ada/project", privateTexts: ["ada"] };
const ended: ProcessResult = {
  ended: "exited",
  exitCode: 127,
  signal: null,
  spawnError: null,
  durationMs: 1,
  survivorsKilled: 0,
};

/** Reads a line of an agent's stream, alone and as a message. */
function readStream(open: OpenStream, text: string): void {
  const stream = open(silentHost({ now: () => now }));
  const item = { type: "agent_message", text };
  const content = [
    { type: "text", text },
    { type: "tool_use", name: text, input: { command: text } },
  ];
  const events = [
    { type: "item.completed", item },
    { type: "assistant", message: { content } },
    { type: "result", subtype: "success", result: text },
    { type: "turn.failed", error: { message: text } },
    { type: "result", status: "error", error: { type: "unknown", message: text } },
    { type: "error", error: { name: "UnknownError", data: { message: text, ref: text } } },
    { type: "message_end", message: { role: "assistant", stopReason: "error", errorMessage: text } },
    { type: "agent_end" },
  ];
  stream.chunk?.(Buffer.from(text));
  for (const line of [text, ...events.map((event) => JSON.stringify(event))]) stream.line?.(line);
  for (const line of [text, `Attempt 1 failed with status 429. ${text}`, `level=ERROR APICallError ${text}`])
    stream.errorLine?.(line);
  stream.ended?.({ exitCode: 1, signal: null, overdue: false });
  stream.reading();
}

/** Each format of an agent's stdout. */
const streamParsers = Object.fromEntries(
  Object.entries(streamReaders).map(([format, { open }]) => [
    `stream ${format}`,
    (text: string) => readStream(open, text),
  ]),
);

/** Every parser of text that an agent, its programs or its files can choose. */
const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  "claims of the final message": (text) => readClaims(text, "t-1"),
  "learnings and subtasks": (text) =>
    readClaims(`<learning category="a">${text}</learning>\n<subtasks>\n${text}\n</subtasks>`, "t-1"),
  "closing sentences": (text) => closingSentences(redactedText(text), 500),
  "what leaves the project": (text) => withoutPrivateData(text, origin),
  "refusal in the message": (text) => refusalIn({ stderr: "", finalMessage: text, isFinal: false, now }),
  "refusal of Claude": (text) => refusalFromClaude({ stderr: text, finalMessage: text, isFinal: true, now }),
  "failure of Claude": (text) =>
    claudeFailure(
      { type: "result", is_error: true, result: text },
      { errorClass: null, resetsAt: null, limitType: null, now },
    ),
  ...streamParsers,
  "summary of a test runner": ranNoTest,
  "error in an output": (text) => extractError(text),
  "program that was not found": (text) =>
    whyItCannotRun("true", { cwd: "/", env: { PATH: "/bin:/usr/bin" }, result: ended, text }),
  "diff of git": (text) => verificationFileWarnings(["a.test.ts"], { diff: text }),
  "configuration of git": configValues,
  "pattern of a record": readPattern,
  "text for a store, a prompt or the screen": (text) => safeText(text),
};

const repeated = (text: string): string => text.repeat(Math.ceil(200_000 / text.length));

/** Texts on which a regular expression of one of the parsers took quadratic time, and others of that kind. */
const hostile: readonly string[] = [
  repeated(" "),
  repeated("\n"),
  repeated("\t\n"),
  repeated("a"),
  repeated("0"),
  repeated(":["),
  repeated("<learning>"),
  repeated("<learning \n"),
  repeated("```\n"),
  repeated("{{"),
  repeated("\u001b["),
  repeated("\u001b]"),
  repeated("a=b "),
  repeated("https://a:"),
  repeated("Summary ["),
  repeated("error: "),
  repeated("resets at 12:"),
  `Tests  ${repeated(" ")}a\nTests  (0)`,
  `Tests: 1 failed, ${repeated("1 passed, ")}x`,
  `ok ${repeated("a")} \n`,
  `ERROR: OPTION ${repeated(" ARGUMENT W")}\n`,
  `C: cannot execute ${repeated("\tC: cannot execute")}\u2028x`,
  `[-${repeated("-")}`,
  `a=b${repeated(" ")}c`,
  `a="${repeated("\\a")}x`,
  `kind: Secret\ndata:\n${repeated(`  a: x${" ".repeat(19_000)}"x\n`)}`,
  `diff --git a/${repeated(" b/")}\u2028`,
  `- [ ] ${repeated(" ")}\u2028x`,
  `hit your ${repeated("a ")}`,
  repeated("."),
  repeated("a."),
  repeated("a'"),
  repeated("1,000"),
  repeated("never a(b "),
  repeated("turn it "),
  repeated("never. "),
  `{${repeated(" {")}`,
  repeated("url: "),
  repeated("(code -1)"),
  `model ${repeated("a ")}`,
  repeated('error.error="'),
  repeated("Tool execution "),
  repeated("to from xing "),
];

test.each(Object.entries(parsers))(
  "TASK-5 SIG-7: %s: a hostile text of 200,000 characters is read in bounded time",
  async (_, parse) => {
    for (const text of hostile) {
      const before = process.cpuUsage();
      await parse(text);
      const { user, system } = process.cpuUsage(before);
      expect([text.slice(0, 40), user + system < 1_500_000]).toEqual([text.slice(0, 40), true]);
    }
  },
  120_000,
);
