import { createServer } from "node:http";

/**
 * A model server on 127.0.0.1 without a model, for the genuine agents that speak ACP: Gemini's API and Chat Completions. The number of tool
 * results in a request says which step comes next: `{ command }`, `{ text }` or, for the whole session, `{ status, message }`.
 */
export async function startAcpModelServer(steps) {
  let requests = 0;
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = (request.url ?? "").split("?")[0];
    const api = /generateContent$/i.test(path) ? gemini : path.endsWith("/chat/completions") ? chat : null;
    if (request.method !== "POST" || !api) return response.writeHead(404).end("{}");
    requests += 1;
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const step = steps[Math.min(api.results(body), steps.length - 1)];
    if (step.status) {
      const error = { code: step.status, message: step.message };
      return response
        .writeHead(step.status, { "content-type": "application/json" })
        .end(JSON.stringify({ error }));
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    return response.end(
      api
        .events(step, body)
        .map((event) => `data: ${event}\n\n`)
        .join(""),
    );
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests: () => requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const gemini = {
  results: ({ contents }) =>
    contents.flatMap(({ parts }) => parts ?? []).filter((part) => part.functionResponse).length,
  events({ command, text }) {
    const args = { command, description: "a step of the script" };
    const part = text
      ? { text }
      : { functionCall: { name: "run_shell_command", args }, thoughtSignature: "c2ln" };
    const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 5, totalTokenCount: 105 };
    const candidates = [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }];
    return [JSON.stringify({ candidates, usageMetadata })];
  },
};

const chat = {
  results: ({ messages }) => messages.filter(({ role }) => role === "tool").length,
  events({ command, text }, { model, tools }) {
    const call = {
      name: "bash",
      arguments: JSON.stringify({ command, description: "a step of the script" }),
    };
    // Requests without tools are side errands, such as a title for the session.
    const says = text ?? (tools?.length ? null : "A title");
    const delta = says
      ? { role: "assistant", content: says }
      : {
          role: "assistant",
          tool_calls: [{ index: 0, id: `c${Math.random()}`, type: "function", function: call }],
        };
    const base = { id: "x", object: "chat.completion.chunk", created: 1, model };
    const usage = { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 };
    const chunk = (fields) => JSON.stringify({ ...base, ...fields });
    return [
      chunk({ choices: [{ index: 0, delta, finish_reason: null }] }),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: says ? "stop" : "tool_calls" }] }),
      chunk({ choices: [], usage }),
      "[DONE]",
    ];
  },
};
