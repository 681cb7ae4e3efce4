import { join } from "node:path";
import { expect, test } from "vitest";
import { streamReaders } from "../../src/agents/formats/stream-readers.ts";
import type { OpenStream, Reading } from "../../src/agents/port/session-stream.ts";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../../src/base/json.ts";
import { readCaptures } from "../captures/capture.ts";
import { silentHost } from "../fakes/session-host.ts";

const captures = readCaptures(join(import.meta.dirname, "../fixtures/captures"));

/** Values that break code which trusts a type: conversions of their own, names that all objects have, no real numbers. */
const hostile: readonly string[] = [
  '{"toString":1,"valueOf":1}',
  '"constructor"',
  '"__proto__"',
  "1e999",
  "-1",
  "null",
  "[[{}]]",
  `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
];
const mark = "\u0001hostile\u0001";

/** Returns each way to replace one field of `value`. */
function* replaced(value: JsonValue): Generator<JsonValue> {
  yield mark;
  if (Array.isArray(value)) {
    for (const [at, item] of value.slice(0, 2).entries())
      for (const one of replaced(item)) yield value.with(at, one);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value))
      for (const one of replaced(item ?? null)) yield { ...value, [key]: one };
  }
}

/** Returns the keys of an event: two with the same are read by the same code. */
const shapeOf = (value: JsonValue | undefined): string =>
  isObject(value)
    ? `{${Object.entries(value).map(([key, one]) => (key === "type" || key === "subtype" ? `${key}=${String(one)}` : `${key}${shapeOf(one)}`))}}`
    : Array.isArray(value)
      ? `[${shapeOf(value[0])}]`
      : typeof value;

/** Events of Claude Code, of which there are no recordings here. */
const ofClaude: readonly JsonObject[] = [
  { type: "system", subtype: "init", session_id: "s", model: "opus" },
  { type: "system", subtype: "session_state_changed", state: "idle" },
  { type: "system", subtype: "background_tasks_changed", tasks: [{}] },
  { type: "system", subtype: "permission_denied", tool_use_id: "u", tool_name: "Bash" },
  { type: "system", subtype: "compact_boundary", compact_metadata: { post_tokens: 5 } },
  { type: "system", subtype: "api_retry", error: "x", error_status: 500, attempt: 1, max_retries: 10 },
  {
    type: "rate_limit_event",
    rate_limit_info: { status: "rejected", resetsAt: 1, rateLimitType: "seven_day" },
  },
  {
    ...{ type: "assistant", error: null, parent_tool_use_id: null },
    message: {
      id: "m",
      usage: { input_tokens: 1, cache_read_input_tokens: 1 },
      content: [
        { type: "text", text: "words" },
        { type: "tool_use", id: "u", name: "Bash", input: { command: "ls" } },
      ],
    },
  },
  {
    ...{ type: "result", subtype: "x", is_error: true, result: "", errors: ["e"], api_error: "e" },
    ...{ api_error_status: 400, terminal_reason: "r", stop_reason: "r", session_id: "s", num_turns: 1 },
    permission_denials: [{ tool_name: "Bash", tool_input: { command: "ls" } }],
  },
  { type: "result", subtype: "error_during_execution", is_error: true, terminal_reason: "aborted" },
  {
    ...{ type: "result", subtype: "success", is_error: false, result: "", num_turns: 1, total_cost_usd: 1 },
    usage: { input_tokens: 1, output_tokens: 1, cache_read_input_tokens: 1 },
    modelUsage: { opus: { inputTokens: 1, outputTokens: 1, contextWindow: 1, costBasis: "known" } },
  },
];

function eventsOf(format: string): readonly JsonObject[] {
  const byShape = new Map<string, JsonObject>();
  for (const capture of captures.filter((one) => one.format === format)) {
    for (const line of capture.stdout.toString().split("\n")) {
      const event = parseJson(line);
      if (isObject(event)) byShape.set(shapeOf(event), event);
    }
  }
  return format === "claude-stream-json" ? [...byShape.values(), ...ofClaude] : [...byShape.values()];
}

/** Returns the lines that `event` becomes with a hostile value in place of each of its fields. */
function linesOf(event: JsonObject): readonly string[] {
  const texts = [...replaced(event)].map((changed) => JSON.stringify(changed));
  return texts.flatMap((text) => hostile.map((value) => text.replace(JSON.stringify(mark), () => value)));
}

function readLine(open: OpenStream, line: string): Reading {
  const stream = open(silentHost());
  stream.line?.(line);
  stream.ended?.({ exitCode: 1, signal: null, overdue: false });
  return stream.reading();
}

test.each(Object.entries(streamReaders))(
  "TRUST-12: no field of an event breaks the reader of %s, whatever its type",
  (format, { open }) => {
    for (const line of eventsOf(format).flatMap(linesOf)) {
      const { failure, retrying, tokens } = readLine(open, line);
      const kinds = [failure, retrying].flatMap((error) => (error ? [typeof error.kind] : []));
      expect(kinds.filter((type) => type !== "string")).toEqual([]);
      expect(Object.values(tokens ?? {})).not.toContain(Number.POSITIVE_INFINITY);
    }
  },
);

test("TRUST-12: a message that arrives in parts without an end takes no memory without an end", () => {
  const part = "x".repeat(100_000);
  const parts: Readonly<Record<string, JsonObject>> = {
    "claude-stream-json": {
      type: "assistant",
      message: { id: "m", content: [{ type: "text", text: part }] },
    },
  };
  for (const [format, event] of Object.entries(parts)) {
    const stream = streamReaders[format as keyof typeof streamReaders].open(silentHost());
    for (let n = 0; n < 40; n += 1) stream.line?.(JSON.stringify(event));
    expect(stream.reading().finalMessage.length).toBeLessThan(2_000_000);
  }
});
