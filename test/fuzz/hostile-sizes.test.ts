import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { acpRecord } from "../../src/agents/acp/acp-record.ts";
import { codexRecord } from "../../src/agents/codex/codex-record.ts";
import { streamReaders } from "../../src/agents/formats/stream-readers.ts";
import type { SessionStream } from "../../src/agents/port/session-stream.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { silentHost } from "../fakes/session-host.ts";
import { scaledLimit } from "../scaled-limit.ts";
import { variants } from "../test-size.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const megabyte = 1024 * 1024;
const filler = "x".repeat(megabyte);

/** Returns the megabytes that 30 events of 1 MB leave behind; `text` is new each time, as that of a parsed line is. */
function keptBy(take: (n: number, text: string) => void): number {
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 30; n += 1) take(n, JSON.parse(JSON.stringify(`${n}${filler}`)));
  collect();
  return Math.round((process.memoryUsage().heapUsed - before) / megabyte);
}

const programOf = { hints: {}, usageOfLastCall: false };

test.each<[string, (n: number, text: string) => JsonObject]>(
  variants(
    [
      ["ever new keys of one call", (n, text) => ({ toolCallId: "a", [`k${n}`]: text })],
      ["the input of many calls", (n, text) => ({ toolCallId: `a${n}`, rawInput: { x: text } })],
      ["commands", (n, text) => ({ toolCallId: `a${n}`, rawInput: { command: [text] } })],
      ["titles", (n, text) => ({ toolCallId: `a${n}`, kind: "edit", title: text })],
      ["ids", (_, text) => ({ toolCallId: text, title: "t" })],
      [
        "paths",
        (n, text) => ({ toolCallId: `a${n}`, locations: [{ path: text }], content: [{ path: text }] }),
      ],
    ],
    1,
  ),
)("TRUST-12: tool calls of an ACP agent are kept in part only: %s", (_, callOf) => {
  const record = acpRecord(silentHost(), programOf);
  const sessionUpdate = "tool_call_update";
  expect(keptBy((n, text) => record.update({ sessionUpdate, ...callOf(n, text) }))).toBeLessThan(12);
  record.reading();
});

test("TRUST-12: items and refusals of Codex are kept in part only", () => {
  const record = codexRecord(silentHost(), () => undefined);
  const start = (item: JsonObject): void => record.notify("item/started", { item });
  expect(keptBy((n, text) => start({ id: `${n}`, type: "x", output: text }))).toBeLessThan(12);
  expect(keptBy((n, text) => start({ id: `${n}`, command: text, changes: [{ path: text }] }))).toBeLessThan(
    12,
  );
  expect(keptBy((_, text) => record.deny(text))).toBeLessThan(12);
  expect(record.reading().permissionDenials).toHaveLength(20);
});

const line = (stream: SessionStream, event: object): void => stream.line?.(JSON.stringify(event));

test("TRUST-12: denied requests of Claude Code are kept in part only, and as many as are shown", () => {
  const stream = streamReaders["claude-stream-json"].open(silentHost());
  const denied = { type: "system", subtype: "permission_denied" };
  const kept = keptBy((n, text) => line(stream, { ...denied, tool_use_id: `u${n}`, tool_name: n + text }));
  expect(kept).toBeLessThan(12);
  expect(stream.reading().permissionDenials).toHaveLength(20);
  const uses = keptBy((n, text) => {
    const content = [{ type: "tool_use", id: `u${n}`, name: "Bash", input: { command: text } }];
    line(stream, { type: "assistant", message: { content } });
  });
  expect(uses).toBeLessThan(12);
});

test.each<[string, () => string]>([
  [
    "ACP",
    () => {
      const record = acpRecord(silentHost(), programOf);
      const chunk = (text: string): void =>
        record.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
      feed(chunk);
      return record.reading().finalMessage;
    },
  ],
  [
    "claude",
    () => {
      const stream = streamReaders["claude-stream-json"].open(silentHost());
      feed((text) =>
        line(stream, { type: "assistant", message: { id: "m", content: [{ type: "text", text }] } }),
      );
      return stream.reading().finalMessage;
    },
  ],
])("AGENT-2: a message beyond 1 MiB that arrives in 30,000 parts is read in linear time: %s", (_, read) => {
  const start = performance.now();
  const message = read();
  expect(performance.now() - start).toBeLessThan(scaledLimit(3000));
  expect(message).toHaveLength(megabyte);
  expect(message.endsWith("<task-done>t-1</task-done>")).toBe(true);
});

function feed(send: (text: string) => void): void {
  send("y".repeat(1.1 * megabyte));
  for (let n = 0; n < 30_000; n += 1) send("ab ");
  send("<task-done>t-1</task-done>");
}
