import { claudeFailure, refusalFromClaude } from "../../src/agents/formats/claude-failure.ts";
import { jsonRpcClient } from "../../src/agents/formats/json-rpc-client.ts";
import { streamReaders } from "../../src/agents/formats/stream-readers.ts";
import { refusalIn } from "../../src/agents/limits/refusal-text.ts";
import type { OpenStream } from "../../src/agents/port/session-stream.ts";
import { parseDuration } from "../../src/base/duration.ts";
import { nearest } from "../../src/base/nearest.ts";
import { parseYaml } from "../../src/base/yaml.ts";
import { editedSettings } from "../../src/config/settings-file.ts";
import { parseTemplate } from "../../src/context/template.ts";
import { parseLine } from "../../src/events/log-line.ts";
import { redactObject } from "../../src/events/redact-json.ts";
import { readExtract } from "../../src/loop/iteration/read-extract.ts";
import { withoutPrivateData } from "../../src/memory/hivemind/without-private-data.ts";
import { contentOf } from "../../src/memory/journal/journal-file.ts";
import { readEntries } from "../../src/memory/learnings/manage/read-export.ts";
import { splitLesson } from "../../src/memory/learnings/store/learning-text.ts";
import { readRecordFile } from "../../src/memory/records/read-record-file.ts";
import { patternKey } from "../../src/memory/skills/learn/pattern-key.ts";
import { parseSkillFile } from "../../src/memory/skills/store/parse-skill-file.ts";
import { whyItCannotRun } from "../../src/outcome/cannot-run.ts";
import { closingSentences } from "../../src/outcome/closing-sentences.ts";
import { commandReads } from "../../src/outcome/command-files.ts";
import { ranNoTest } from "../../src/outcome/count-tests.ts";
import { extractError } from "../../src/outcome/extract-error.ts";
import { readClaims } from "../../src/outcome/read-claims.ts";
import { weakenings } from "../../src/outcome/weakenings.ts";
import type { ProcessResult } from "../../src/process/run-process.ts";
import { findSigils } from "../../src/sigils/find-sigils.ts";
import { checkboxes, listItems, withoutFences } from "../../src/tasks/import/source/list-items.ts";
import { formatNamed } from "../../src/tasks/import/source-formats.ts";
import { redactedText, safeText } from "../../src/trust/safe-text.ts";
import { hasNoFlags } from "../../src/workspace/tree/index-flags.ts";
import { silentHost } from "../fakes/session-host.ts";

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

const verifiers = { commands: ["npm test"], texts: new Map(), isProtected: () => false, task: "" };

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

/** Reads, ticks and unticks a task file; a malformed one is refused. */
async function readTaskFile(name: string, path: string, text: string): Promise<void> {
  const format = formatNamed(name);
  const source = { path, text };
  format.holds?.(source);
  for (const { key } of (await format.parse(source)).tasks.slice(0, 3)) {
    const ticked = await format.mark(source, new Map([[key, true]]));
    if (ticked !== undefined) await format.mark({ path, text: ticked }, new Map([[key, false]]));
  }
}

const taskFiles = {
  "tasks-yaml": "tasks.yaml",
  markdown: "tasks.md",
  prd: "prd.json",
  "github-issues": "issues.json",
  beads: "beads.jsonl",
};

const taskFileParsers = Object.fromEntries(
  Object.entries(taskFiles).map(([name, path]) => [
    `task file ${path}`,
    (text: string) => readTaskFile(name, path, text),
  ]),
);

const skill = { file: "SKILL.md", name: "a", layout: "skills" } as const;

/** Every parser of text that an agent, its programs or its files can choose. A RalphError is an answer, not a crash. */
export const parsers: Readonly<Record<string, (text: string) => unknown>> = {
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
  "diff of git": (text) =>
    weakenings(verifiers, { files: ["a.test.ts", "package.json"], diff: text, created: new Map() }),
  "what commands read": (text) => commandReads(["make test", text], () => text),
  "pattern of a record": patternKey,
  "text for a store, a prompt or the screen": (text) => safeText(text),
  ...taskFileParsers,
  YAML: (text) => parseYaml(text, { file: "a.yaml" }),
  "a configuration that is edited": (text) => editedSettings(text, { agent: "claude", verify: [] }),
  "prompt template": (text) => parseTemplate(text, "prompt.md"),
  "skill file": (text) => parseSkillFile(text, skill),
  "skill file with frontmatter": (text) => parseSkillFile(`---\nname: a\n${text}\n---\n${text}`, skill),
  "exported learnings": (text) => readEntries(text, now),
  "record file": (text) => readRecordFile(text, "learning-a.yaml", now),
  "answer of an extraction": readExtract,
  journal: (text) => contentOf(text),
  "line of the event log": parseLine,
  sigils: findSigils,
  "items of a list": (text) => [listItems(text), checkboxes(text), withoutFences(text)],
  "lesson and detail": (text) => splitLesson(safeText(text)),
  "JSON-RPC of an agent": (text) => {
    const client = jsonRpcClient(
      { write: () => undefined },
      { onRequest: () => null, onNotification: () => undefined },
    );
    for (const line of text.split("\n")) client.line(line);
    client.line(JSON.stringify({ jsonrpc: "2.0", method: text, params: { text } }));
  },
  "events that are redacted": (text) => redactObject({ text, nested: [text] }),
  "index of git": (text) => hasNoFlags(Buffer.from(text, "latin1"), 20),
  duration: parseDuration,
  "ids that are alike": (text) => nearest(text.slice(0, 2000), ["task", "text"]),
};
