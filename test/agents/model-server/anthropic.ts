import { type Body, halves, newId, type Protocol, type Reply, type Typed, typedEvents } from "./step.ts";

interface Block {
  readonly type?: string;
}

/** Anthropic Messages: Claude Code. */
export const anthropic: Protocol = {
  path: /\/v1\/messages$/,
  results({ messages }) {
    const blocks = (messages as readonly { content: string | readonly Block[] }[]).flatMap(({ content }) =>
      typeof content === "string" ? [] : content,
    );
    return blocks.filter(({ type }) => type === "tool_result").length;
  },
  command: (command) => ({ name: "Bash", input: { command, description: "a step of the script" } }),
  tools: ({ tools = [] }) => tools.map(({ name }) => name),
  ralphTool(body, name, input) {
    const offered = anthropic.tools(body).find((tool) => tool.endsWith(`ralph__${name}`));
    return offered === undefined ? undefined : { name: offered, input };
  },
  stream(reply, body) {
    const { block, delta, text, stopReason } = blockOf(reply);
    const [first, second] = halves(text);
    const part = (value: string): Typed => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: delta.type, [delta.field]: value },
    });
    // It begins with one token of output.
    const message = messageOf(body, { ...usageOf(reply), output_tokens: 1 }, null, []);
    const begin = [
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block: block },
      part(first),
    ];
    const ended = {
      type: "message_delta",
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: reply.usage.output },
    };
    const rest = [part(second), { type: "content_block_stop", index: 0 }, ended, { type: "message_stop" }];
    return [typedEvents(begin), typedEvents(rest)];
  },
  whole(reply, body) {
    const { block, stopReason } = blockOf(reply);
    const content =
      "text" in reply.says ? { ...block, ...reply.says } : { ...block, input: reply.says.call.input };
    return messageOf(body, usageOf(reply), stopReason, [content]);
  },
  error: ({ message, type = "api_error", fields }) => ({
    type: "error",
    error: { type, message, ...fields },
  }),
  streamError: (refusal) => typedEvents([{ type: "error", ...anthropic.error(refusal) }]),
};

function blockOf({ says }: Reply) {
  if ("text" in says) {
    const delta = { type: "text_delta", field: "text" };
    return { block: { type: "text", text: "" }, delta, text: says.text, stopReason: "end_turn" };
  }
  const block = { type: "tool_use", id: `toolu_${newId()}`, name: says.call.name, input: {} };
  const delta = { type: "input_json_delta", field: "partial_json" };
  return { block, delta, text: JSON.stringify(says.call.input), stopReason: "tool_use" };
}

function usageOf({ usage }: Reply): object {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
  };
}

function messageOf({ model }: Body, usage: object, stop_reason: string | null, content: readonly object[]) {
  return {
    id: `msg_${newId()}`,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason,
    stop_sequence: null,
    usage,
  };
}
