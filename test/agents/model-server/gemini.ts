import { type Body, dataEvents, halves, type Protocol, type Reply } from "./step.ts";

interface Tools {
  readonly functionDeclarations?: readonly { readonly name: string }[];
}

interface Content {
  readonly parts?: readonly { readonly functionResponse?: object }[];
}

/** The Gemini API: Gemini CLI. */
export const gemini: Protocol = {
  path: /:(?:stream)?[gG]enerateContent$/,
  results: ({ contents }) =>
    (contents as readonly Content[])
      .flatMap(({ parts = [] }) => parts)
      .filter((part) => part.functionResponse).length,
  command: (command) => ({
    name: "run_shell_command",
    input: { command, description: "a step of the script" },
  }),
  tools: ({ tools = [] }) =>
    (tools as readonly Tools[])
      .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
      .map(({ name }) => name),
  ralphTool(body, name, input) {
    const offered = gemini.tools(body).find((tool) => tool.endsWith(`ralph_${name}`));
    return offered === undefined ? undefined : { name: offered, input };
  },
  stream(reply) {
    const { says } = reply;
    if ("call" in says) {
      // The whole call is in one part.
      const begin = candidate([{ text: "" }]);
      return [dataEvents([begin]), dataEvents([ended(reply, [callOf(says.call)])])];
    }
    const [first, second] = halves(says.text);
    return [dataEvents([candidate([{ text: first }])]), dataEvents([ended(reply, [{ text: second }])])];
  },
  whole(reply, body) {
    const { says } = reply;
    if ("text" in says) return ended(reply, [{ text: wantsJson(body) ? "{}" : says.text }]);
    return ended(reply, [callOf(says.call)]);
  },
  error: ({ status: code, message, type: status, fields }) => ({
    error: { code, message, status, ...fields },
  }),
  streamError: (refusal) => dataEvents([gemini.error(refusal)]),
};

function callOf({ name, input }: { readonly name: string; readonly input: object }): object {
  return { functionCall: { name, args: input }, thoughtSignature: "c2ln" };
}

function candidate(parts: readonly object[], more: object = {}): object {
  return { candidates: [{ content: { role: "model", parts }, index: 0, ...more }] };
}

function ended({ usage }: Reply, parts: readonly object[]): object {
  const promptTokenCount = usage.input + usage.cacheRead;
  const usageMetadata = {
    promptTokenCount,
    cachedContentTokenCount: usage.cacheRead,
    candidatesTokenCount: usage.output,
    totalTokenCount: promptTokenCount + usage.output,
  };
  return { ...candidate(parts, { finishReason: "STOP" }), usageMetadata };
}

function wantsJson({ generationConfig }: Body): boolean {
  return (
    (generationConfig as { responseMimeType?: string } | undefined)?.responseMimeType === "application/json"
  );
}
