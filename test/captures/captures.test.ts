import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { impliedKind, readCaptures } from "./capture.ts";
import { readCapture } from "./read-capture.ts";

/** Recorded sessions of pi 0.73.1. */
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

test("AGENT-2: a wrong key names the agent's own login command", () => {
  expect(read("pi-401").error?.hint).toContain("/login");
});

test("AGENT-2: a session states its message, session, tokens and cost", () => {
  expect(read("pi-success")).toMatchObject({
    error: null,
    finalMessage: "All finished.\n<task-done>t-1</task-done>",
    tokens: { input: 301, output: 40, cacheRead: 100, cacheWrite: 0 },
    costUsd: expect.closeTo(0.001533, 9),
    costSource: "measured",
    model: "m1",
    contextUsed: 201,
    sessionId: expect.stringMatching(/^[0-9a-f]{8}-/),
  });
});
