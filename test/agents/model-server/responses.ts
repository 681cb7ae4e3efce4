import {
  type Body,
  type Call,
  halves,
  newId,
  type Protocol,
  type Reply,
  type Typed,
  typedEvents,
} from "./step.ts";

interface Item {
  readonly type?: string;
  readonly tools?: readonly Tool[];
}

/** A tool, or a namespace of tools. */
interface Tool {
  readonly type?: string;
  readonly name?: string;
  readonly tools?: readonly Tool[];
}

/** OpenAI Responses: Codex. */
export const responses: Protocol = {
  path: /\/responses$/,
  results: (body) => inputOf(body).filter(({ type }) => /_call_output$/.test(type ?? "")).length,
  command: (cmd) => ({ name: "exec_command", input: { cmd } }),
  tools: (body) =>
    offered(body).flatMap(
      ({ name, type, tools }) => tools?.map((one) => one.name ?? "") ?? name ?? type ?? [],
    ),
  ralphTool(body, name, input) {
    const space = offered(body).find(({ tools }) => tools?.some((tool) => tool.name === name));
    if (space) return { name, input, fields: { namespace: space.name } };
    const search = offered(body).some(({ type }) => type === "tool_search");
    const hasSearched = inputOf(body).some(({ type }) => type === "tool_search_output");
    return search && !hasSearched ? searchFor(name) : undefined;
  },
  stream(reply) {
    const { says, usage } = reply;
    const [first, second] = halves("text" in says ? says.text : "");
    const id = `resp_${newId()}`;
    const item = itemOf(reply);
    const part = (delta: string) => ({ type: "response.output_text.delta", item_id: "m1", delta });
    const words = "text" in says;
    const added = { type: "response.output_item.added", item: { ...item, content: [] } };
    const begin = [{ type: "response.created", response: { id } }, ...(words ? [added, part(first)] : [])];
    const input = usage.input + usage.cacheRead;
    const used = {
      input_tokens: input,
      input_tokens_details: { cached_tokens: usage.cacheRead },
      output_tokens: usage.output,
      total_tokens: input + usage.output,
    };
    const rest = [
      ...(words ? [part(second)] : []),
      { type: "response.output_item.done", item },
      { type: "response.completed", response: { id, usage: used } },
    ];
    return [typedEvents(begin), typedEvents(rest)];
  },
  whole: () => ({}),
  error: ({ message, type, fields }) => ({ error: { message, type, ...fields } }),
  streamError: ({ message, type, fields }) => {
    const error = { code: type, message, ...fields };
    const id = `resp_${newId()}`;
    return typedEvents([
      { type: "response.created", response: { id } },
      { type: "response.failed", response: { id, status: "failed", error } },
    ]);
  },
};

function inputOf({ input }: Body): readonly Item[] {
  return Array.isArray(input) ? (input as readonly Item[]) : [];
}

/** Tools that it found by a search are in the answer to the search. */
function offered(body: Body): readonly Tool[] {
  const found = inputOf(body).flatMap(({ type, tools }) =>
    type === "tool_search_output" ? (tools ?? []) : [],
  );
  return [...((body.tools ?? []) as readonly Tool[]), ...found];
}

/** Newer models get the tools of servers by a search. */
function searchFor(query: string): Call {
  return { name: "tool_search", input: { query, limit: 5 } };
}

function itemOf({ says }: Reply): Typed {
  if ("text" in says) {
    const content = [{ type: "output_text", text: says.text }];
    return { type: "message", id: "m1", role: "assistant", content };
  }
  const { name, input, fields } = says.call;
  const ids = { id: `fc_${newId()}`, call_id: `call_${newId()}`, status: "completed" };
  if (name === "tool_search")
    return { type: "tool_search_call", ...ids, execution: "client", arguments: input };
  return { type: "function_call", ...ids, name, ...fields, arguments: JSON.stringify(input) };
}
