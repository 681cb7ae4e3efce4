import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { impliedKind, readCaptures } from "./capture.ts";
import { readCapture } from "./read-capture.ts";

/** Recorded sessions of codex 0.169.0, opencode 1.18.33, gemini 0.61.0 and pi 0.73.1. */
const captures = readCaptures(join(import.meta.dirname, "../fixtures/captures"));
const byName = new Map(captures.map((capture) => [capture.name, capture]));

function read(name: string): ReturnType<typeof readCapture> {
  const capture = byName.get(name);
  if (!capture) throw new Error(`there is no capture ${name}`);
  return readCapture(capture);
}

describe.each(captures.map((capture) => [capture.name, capture] as const))("AGENT-2: %s", (_, capture) => {
  test.each(["stdout", "stderr"])("is what its name and facts imply, %s read first", (first) => {
    expect(readCapture(capture, first === "stderr").error?.kind ?? null).toBe(impliedKind(capture));
  });

  test("an error is one plain sentence", () => {
    const { message = "none" } = readCapture(capture).error ?? {};
    expect(message).toMatch(/^[^\n{}]{4,400}$/);
    expect(message).not.toMatch(/url:|API Error|^\s|\s$/);
  });
});

test.each([
  ["codex-401", "codex login"],
  ["codex-missing-key", "codex login"],
  ["gemini-401", "`gemini`"],
  ["pi-401", "/login"],
])("AGENT-2: %s names the agent's own login command", (name, command) => {
  expect(read(name).error?.hint).toContain(command);
});

const done = "All finished.\n<task-done>t-1</task-done>";

test.each([
  ["codex-success", { tokens: [301, 40, 100, 0], costUsd: null, model: null, contextUsed: null }],
  ["opencode-success", { tokens: [301, 40, 100, 0], costUsd: 0.001533, model: null, contextUsed: 201 }],
  [
    "gemini-success",
    { tokens: [301, 50, 100, 0], costUsd: null, model: "gemini-2.5-flash", contextUsed: null },
  ],
  ["pi-success", { tokens: [301, 40, 100, 0], costUsd: 0.001533, model: "m1", contextUsed: 201 }],
])("AGENT-2: %s states its message, session, tokens and cost", (name, { tokens, costUsd, ...facts }) => {
  const session = read(name);
  const { input, output, cacheRead, cacheWrite } = session.tokens ?? {};
  expect(session).toMatchObject({ error: null, finalMessage: done, ...facts });
  expect([input, output, cacheRead, cacheWrite]).toEqual(tokens);
  expect(session.costUsd).toEqual(costUsd === null ? null : expect.closeTo(costUsd, 9));
  expect(session.costSource).toBe(costUsd === null ? null : "measured");
  expect(session.sessionId).toMatch(/^(ses_|[0-9a-f]{8}-)/);
});

test("AGENT-2: a resumed thread of codex counts only what its session adds", () => {
  read("codex-success");
  expect(read("codex-resume").tokens).toEqual({ input: 151, output: 20, cacheRead: 50, cacheWrite: 0 });
});

test("AGENT-2: a tool that codex refused is a denial, not an error", () => {
  expect(read("codex-mcp-noapprove-ws")).toMatchObject({
    error: null,
    permissionDenials: ["ralph.note_add"],
  });
});
