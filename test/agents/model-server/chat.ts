import { dataEvents, halves, newId, type Protocol, type Reply } from "./step.ts";

interface Message {
  readonly role?: string;
}

interface Tool {
  readonly function: { readonly name: string };
}

/** OpenAI Chat Completions: OpenCode, pi and most local servers. */
export const chat: Protocol = {
  path: /\/chat\/completions$/,
  results: ({ messages }) => (messages as readonly Message[]).filter(({ role }) => role === "tool").length,
  command: (command) => ({ name: "bash", input: { command, description: "a step of the script" } }),
  tools: ({ tools = [] }) => (tools as unknown as readonly Tool[]).map((tool) => tool.function.name),
  ralphTool(body, name, input) {
    const offered = chat.tools(body).find((tool) => /ralph__?(.*)$/.exec(tool)?.[1] === name);
    return offered === undefined ? undefined : { name: offered, input };
  },
  stream(reply, { model }) {
    const base = { id: `chatcmpl-${newId()}`, object: "chat.completion.chunk", created: 1, model };
    const chunk = (delta: object, finish_reason: string | null = null): object => ({
      ...base,
      choices: [{ index: 0, delta, finish_reason }],
    });
    const { says } = reply;
    const [first, second] = halves("text" in says ? says.text : "");
    const begin = "text" in says ? { role: "assistant", content: first } : callOf(reply);
    const rest = [
      ...("text" in says ? [chunk({ content: second })] : []),
      chunk({}, "text" in says ? "stop" : "tool_calls"),
      { ...base, choices: [], usage: usageOf(reply) },
    ];
    return [dataEvents([chunk(begin)]), [...dataEvents(rest), "data: [DONE]\n\n"]];
  },
  whole(reply, { model }) {
    const { says } = reply;
    const message = "text" in says ? { role: "assistant", content: says.text } : callOf(reply);
    const finish_reason = "text" in says ? "stop" : "tool_calls";
    const choices = [{ index: 0, message, finish_reason }];
    return { id: newId(), object: "chat.completion", created: 1, model, choices, usage: usageOf(reply) };
  },
  error: ({ message, type, fields }) => ({ error: { message, type, code: type, ...fields } }),
  streamError: (refusal) => dataEvents([chat.error(refusal)]),
};

function callOf({ says }: Reply): object {
  if ("text" in says) return {};
  const { name, input } = says.call;
  const call = { name, arguments: JSON.stringify(input) };
  return {
    role: "assistant",
    content: null,
    tool_calls: [{ index: 0, id: `call_${newId()}`, type: "function", function: call }],
  };
}

function usageOf({ usage }: Reply): object {
  const prompt_tokens = usage.input + usage.cacheRead;
  return {
    prompt_tokens,
    completion_tokens: usage.output,
    total_tokens: prompt_tokens + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
  };
}
