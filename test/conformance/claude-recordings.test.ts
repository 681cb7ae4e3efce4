import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refusalFromClaude } from "../../src/agents/formats/claude-failure.ts";
import { claudeStream } from "../../src/agents/formats/claude-stream.ts";
import type { AgentError, AgentErrorKind } from "../../src/agents/port/agent.ts";
import { silentHost } from "../fakes/session-host.ts";
import { claudeRecordings, type Expected } from "./claude-recordings.ts";
import { readRecording } from "./read-recording.ts";

const folder = join(import.meta.dirname, "../fixtures/claude");

test("every recorded stream has its expectation", () => {
  expect(Object.keys(claudeRecordings).sort()).toEqual(
    readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => name.replace(/\.jsonl$/, ""))
      .sort(),
  );
});

const hinted: ReadonlySet<AgentErrorKind | null> = new Set<AgentErrorKind | null>([
  "auth",
  "permission",
  "unusable",
  "prompt_too_long",
]);

function checkError(error: AgentError | null, { kind, message, resetAt }: Expected): void {
  expect(error?.kind ?? null).toBe(kind);
  expect(error?.message ?? "").toContain(message ?? "");
  expect(error?.resetAt ?? null).toBe(resetAt ?? null);
  expect(error !== null && error.hint !== null).toBe(hinted.has(kind));
  if (kind === "auth") expect(error?.hint).toContain("claude /login");
}

function read(name: string, exit: number | string): ReturnType<typeof readRecording> {
  const told = join(folder, `${name}.stderr`);
  const stderr = existsSync(told) ? readFileSync(told, "utf8") : "";
  const file = join(folder, `${name}.jsonl`);
  return readRecording(claudeStream, { file, exit, stderr, explain: refusalFromClaude });
}

test.each(Object.entries(claudeRecordings))("AGENT-2: %s", (name, expected) => {
  const session = read(name, expected.exit);
  const { input, output, cacheRead, cacheWrite } = session.tokens ?? {};
  checkError(session.error, expected);
  expect(session.finalMessage).toBe(expected.finalMessage);
  expect(session.tokens && [input, output, cacheRead, cacheWrite]).toEqual(expected.tokens);
  expect(session.costUsd).toEqual(expected.costUsd && expect.closeTo(expected.costUsd, 9));
  expect(session.costSource).toBe(expected.costSource === undefined ? "measured" : expected.costSource);
  expect(session.model).toBe(expected.model === undefined ? "claude-sonnet-4-5" : expected.model);
  expect(session.sessionId?.slice(0, 8) ?? null).toBe(expected.session);
  expect(session.stopReason).toBe(expected.stop ?? null);
  expect(session.permissionDenials).toEqual(expected.denials ?? []);
});

test.each([
  "claude-2.1.330-background",
  "claude-2.1.330-no-states",
  "claude-2.1.330-wake-up",
  "claude-2.1.330-sub-agent",
  "claude-2.1.330-denials",
  "claude-2.1.197-sub-agent",
  "claude-2.1.197-background",
])("AGENT-2: %s is over at its last event, not at its first result", (name) => {
  let finished = false;
  const onFinished = () => {
    finished = true;
  };
  const stream = claudeStream(silentHost({ onFinished }));
  const lines = readFileSync(join(folder, `${name}.jsonl`), "utf8")
    .trim()
    .split("\n");
  const over = lines.map((line) => {
    stream.line?.(line);
    return finished;
  });
  expect(over.indexOf(true)).toBe(lines.length - 1);
});

test.each([
  ["claude-success", 181, 200_000, 0],
  ["claude-2.1.330-compaction", 2601, 200_000, 1],
  ["claude-root-skip", null, null, 0],
] as const)("AGENT-7: %s states how full the context is", (name, contextUsed, contextSize, compactions) => {
  expect(read(name, 0)).toMatchObject({ contextUsed, contextSize, compactions });
});
