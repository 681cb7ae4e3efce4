import { expect, test } from "vitest";
import { redactedText } from "../../trust/safe-text.ts";
import { joinedLog } from "./joined-log.ts";

// Put together at run time, lest scanners take this file for a leak.
const token = ["ghp", "88aQ7Rw2Zk9Xv4Tn8Lp3Bs6Yd1Hf5Gj0McUe"].join("_");

/** Returns the lines that reach the log. */
async function logged(lines: Iterable<string>): Promise<readonly string[]> {
  const out: string[] = [];
  let closed = false;
  const log = joinedLog({
    line: (text) => void out.push(text),
    async close() {
      closed = true;
    },
  });
  for (const line of lines) log.line(line);
  await log.close();
  expect(closed).toBe(true);
  return out;
}

const update = (more: object): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    method: "session/update",
    params: { sessionId: "s", update: more },
  });
const chunk = (text: string, sessionUpdate = "agent_message_chunk"): string =>
  update({ sessionUpdate, content: { type: "text", text } });
const usage = update({ sessionUpdate: "usage_update", used: 5 });
const tool = update({ sessionUpdate: "tool_call", toolCallId: "a", title: "ls" });

/** The text in pieces of six characters. */
function piecesOf(text: string): readonly string[] {
  return text.match(/[\s\S]{1,6}/g) ?? [];
}

let n = 0;
const formats: readonly (readonly [string, (text: string) => object, string])[] = [
  [
    "an ACP agent's thoughts",
    (text) => JSON.parse(chunk(text, "agent_thought_chunk")),
    chunk("TEXT", "agent_thought_chunk"),
  ],
  ["an ACP agent's message", (text) => JSON.parse(chunk(text)), chunk("TEXT")],
  [
    "Codex",
    (delta) => ({ method: "item/agentMessage/delta", params: { threadId: "t", itemId: "i", delta } }),
    '{"method":"item/agentMessage/delta","params":{"threadId":"t","itemId":"i","delta":"TEXT"}}',
  ],
  [
    "output of a command in Codex",
    (delta) => ({ method: "item/commandExecution/outputDelta", params: { itemId: "i", delta } }),
    '{"method":"item/commandExecution/outputDelta","params":{"itemId":"i","delta":"TEXT"}}',
  ],
  [
    "Claude Code",
    (text) => ({
      type: "stream_event",
      event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
      uuid: `u${n++}`,
    }),
    '{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"TEXT"}},"uuid":"u0"}',
  ],
  [
    "pi, which repeats the message so far",
    (delta) => ({
      type: "message_update",
      assistantMessageEvent: {
        type: "text_delta",
        contentIndex: 0,
        delta,
        partial: { content: token.slice(0, 39) },
      },
      message: { content: token.slice(0, 39) },
    }),
    '{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"TEXT"}}',
  ],
];

test.each(formats)(
  "TRUST-1, AGENT-5: the pieces of a message are one line: %s",
  async (_, write, expected) => {
    n = 0;
    const lines = piecesOf(`The token is ${token} and\ndone`).map((text) => JSON.stringify(write(text)));
    expect((await logged(lines)).map((line) => redactedText(line))).toEqual([
      expected.replace("TEXT", "The token is [redacted:github] and\\ndone"),
    ]);
  },
);

test("AGENT-5: other lines keep their order and text; reports of usage and stderr do not part a message", async () => {
  const asIs = ["text", "{", '{"delta":{"a":1}}', '{"type":"message","content":"whole, no \\"delta\\""}', ""];
  expect(await logged([...asIs, chunk("a"), ...asIs])).toEqual([...asIs, chunk("a"), ...asIs]);
  const lines = [
    chunk("a"),
    usage,
    "stderr: x",
    chunk("b"),
    chunk("t", "agent_thought_chunk"),
    chunk("c"),
    tool,
  ];
  expect(await logged([...lines, chunk("d")])).toEqual([
    ...[usage, "stderr: x", chunk("abc"), chunk("t", "agent_thought_chunk"), tool, chunk("d")],
  ]);
});

test("AGENT-5: a message that never ends is written in parts, between its lines", async () => {
  const words = "one two three four five\n";
  const lines = await logged(Array<string>(40_000).fill(chunk(words)));
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.length).toBeLessThan(10);
  const texts = lines.map((line) => JSON.parse(line).params.update.content.text as string);
  expect(texts.join("")).toBe(words.repeat(40_000));
  expect(texts.every((text) => text.endsWith("\n"))).toBe(true);
  for (const first of ["", "a"]) {
    const long = await logged(
      [first, ...Array<string>(3).fill("😀".repeat(100_000))].map((text) => chunk(text)),
    );
    const parts = long.map((line) => JSON.parse(line).params.update.content.text as string);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.every((part) => part.isWellFormed())).toBe(true);
    expect(parts.join("")).toBe(first + "😀".repeat(300_000));
  }
});

test("AGENT-5: the messages that are open at a time are limited", async () => {
  const lines = Array.from({ length: 1000 }, (_, id) =>
    update({ sessionUpdate: "agent_message_chunk", messageId: id, content: { type: "text", text: "x" } }),
  );
  const out: string[] = [];
  const log = joinedLog({ line: (text) => void out.push(text), close: async () => undefined });
  for (const line of lines) log.line(line);
  expect(out.length).toBeGreaterThan(980);
  await log.close();
  expect(out).toEqual(lines);
});
