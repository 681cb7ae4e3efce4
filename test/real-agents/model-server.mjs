import { createServer } from "node:http";

/**
 * A model server for the genuine Claude Code, scripted and without a model: the Anthropic Messages API on
 * 127.0.0.1, as far as one session of tool calls needs it. Nothing is remembered between requests: the number of
 * tool results in a request says which step of the script comes next.
 *
 * A step is `{ bash: "command" }`, `{ tool: "name", input: {…} }`, `{ text: "words" }`, or for the whole session `{ status, type, message }`;
 * `{ text, cut: true }` breaks the connection in the middle of the words, `{ hang: true }` says nothing for good.
 * `script` may be a function of the request's body, for a server that answers several sessions or sub-agents, or that
 * offers another step after a notification. `tokens()` is what all complete answers used.
 */
export async function startModelServer(script) {
  let requests = 0;
  let answers = 0;
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method !== "POST" || !request.url?.startsWith("/v1/messages"))
      return response.writeHead(404).end();
    requests++;
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const steps = typeof script === "function" ? script(body) : script;
    // Requests without tools are side errands, such as a title for the session.
    const step = body.tools?.length
      ? steps[Math.min(toolResults(body), steps.length - 1)]
      : { text: "A title" };
    if (!step.status && !step.hang && !step.cut) answers++;
    answer(response, body, step);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests: () => requests,
    tokens: () => ({
      input: usage.input_tokens * answers,
      output: outputTokens * answers,
      cacheRead: usage.cache_read_input_tokens * answers,
      cacheWrite: usage.cache_creation_input_tokens * answers,
    }),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What an answer uses; it begins with one token of output. */
const usage = {
  input_tokens: 100,
  cache_creation_input_tokens: 30,
  cache_read_input_tokens: 50,
  output_tokens: 1,
};
const outputTokens = 20;

function toolResults({ messages }) {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return blocks.filter(({ type }) => type === "tool_result").length;
}

function answer(response, body, step) {
  if (step.status) {
    const error = { type: "error", error: { type: step.type, message: step.message } };
    response.writeHead(step.status, { "content-type": "application/json", ...step.headers });
    return response.end(JSON.stringify(error));
  }
  const id = Math.random().toString(36).slice(2);
  const input = JSON.stringify(step.input ?? { command: step.bash, description: "a step of the script" });
  const tool = step.tool ?? (step.bash && "Bash");
  const [block, delta, stopReason] = tool
    ? [
        { type: "tool_use", id: `toolu_${id}`, name: tool, input: {} },
        { type: "input_json_delta", partial_json: input },
        "tool_use",
      ]
    : [{ type: "text", text: "" }, { type: "text_delta", text: step.text }, "end_turn"];
  const { model } = body;
  const message = {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    usage,
  };
  const events = [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: outputTokens },
    },
    { type: "message_stop" },
  ];
  const stream = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  if (step.cut && !body.stream) return response.destroy();
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (step.hang) return response.write(stream.slice(0, stream.indexOf("event: content_block_start")));
  if (!step.cut) return response.end(stream);
  response.write(stream.slice(0, stream.indexOf("event: content_block_stop")), () => {
    setTimeout(() => response.destroy(), 50);
  });
}
