import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { anthropic } from "./anthropic.ts";
import { chat } from "./chat.ts";
import { gemini } from "./gemini.ts";
import { responses } from "./responses.ts";
import type { Body, Protocol, Refusal, Reply, Step, Usage } from "./step.ts";

export type Script = readonly Step[] | ((body: Body) => readonly Step[]);

export interface ModelServer {
  /** The base of the APIs' paths, without `/v1`. */
  readonly url: string;
  /** The bodies of all requests so far, as they came. */
  readonly bodies: readonly string[];
  requests(): number;
  /** What all complete answers used. */
  tokens(): Usage;
  close(): Promise<void>;
}

const protocols: readonly Protocol[] = [anthropic, responses, chat, gemini];
const plainUsage: Usage = { input: 100, output: 20, cacheRead: 50, cacheWrite: 30 };

/**
 * A model server on 127.0.0.1 without a model, for genuine agents: it speaks Anthropic Messages, OpenAI Responses, Chat Completions and
 * Gemini, as far as a session of tool calls needs them. The number of tool results in a request says which step of the
 * script comes next; the last one is repeated. A function chooses the script by the request's body.
 */
export async function startModelServer(script: Script): Promise<ModelServer> {
  const bodies: string[] = [];
  const used: Usage[] = [];
  const next = followScript(script);
  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    const path = (request.url ?? "").split("?")[0] ?? "";
    const protocol = protocols.find((one) => one.path.test(path));
    if (request.method !== "POST" || !protocol) return response.writeHead(404).end("{}");
    bodies.push(text);
    const body = JSON.parse(text) as Body;
    const isStream = body.stream === true || /:stream/.test(path);
    const step = next(body, protocol);
    if (step.waitMs !== undefined) await sleep(step.waitMs);
    const usage = answer({ protocol, body, response, isStream }, step);
    if (usage) used.push(usage);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const sum = (name: keyof Usage): number => used.reduce((total, usage) => total + usage[name], 0);
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    requests: () => bodies.length,
    tokens: () => ({
      input: sum("input"),
      output: sum("output"),
      cacheRead: sum("cacheRead"),
      cacheWrite: sum("cacheWrite"),
    }),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Returns the function that chooses the step which answers a request. */
function followScript(script: Script): (body: Body, protocol: Protocol) => Step {
  const counts = new Map<Step, number>();
  const isOver = (step: Step): boolean => (counts.get(step) ?? 0) >= (step.times ?? Number.POSITIVE_INFINITY);
  return (body, protocol) => {
    const steps = typeof script === "function" ? script(body) : script;
    // Other requests without tools are side errands, such as a title for the session.
    if (protocol.tools(body).length === 0) return steps.find(({ bare }) => bare) ?? { text: "A title" };
    const left = steps.filter((step) => !isOver(step));
    const step = left[Math.min(protocol.results(body), left.length - 1)];
    if (!step) return { status: 500, message: "the script is over" };
    counts.set(step, (counts.get(step) ?? 0) + 1);
    return step;
  };
}

interface Call {
  readonly protocol: Protocol;
  readonly body: Body;
  readonly response: ServerResponse;
  readonly isStream: boolean;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function replyTo({ protocol, body }: Call, step: Exclude<Step, Refusal>): Reply {
  const usage = { ...plainUsage, ...step.usage };
  const { text, command, tool, ralph, input = {} } = step;
  if (text !== undefined) return { says: { text }, usage };
  if (command !== undefined) return { says: { call: protocol.command(command) }, usage };
  if (tool !== undefined) return { says: { call: { name: tool, input } }, usage };
  const call = protocol.ralphTool(body, ralph ?? "", input);
  const offered = protocol.tools(body).join(", ");
  return { says: call ? { call } : { text: `There is no tool ${ralph} among ${offered}.` }, usage };
}

function refuse({ protocol, response }: Call, step: Refusal): void {
  if (step.status === 200) {
    response.writeHead(200, { "content-type": "text/event-stream", ...step.headers });
    response.end(protocol.streamError(step).join(""));
    return;
  }
  response.writeHead(step.status, { "content-type": "application/json", ...step.headers });
  response.end(JSON.stringify(protocol.error(step)));
}

const beforeCutMs = 50;

/** Answers a request; returns what a complete answer used. */
function answer(call: Call, step: Step): Usage | undefined {
  if ("status" in step) {
    refuse(call, step);
    return undefined;
  }
  const reply = replyTo(call, step);
  const isWhole = !step.cut && !step.hang;
  if (call.isStream) stream(call, step, reply);
  else if (step.cut) call.response.destroy();
  else if (!step.hang) {
    call.response.writeHead(200, { "content-type": "application/json" });
    call.response.end(JSON.stringify(call.protocol.whole(reply, call.body)));
  }
  return isWhole ? reply.usage : undefined;
}

function stream(
  { protocol, body, response }: Call,
  { cut, hang }: Exclude<Step, Refusal>,
  reply: Reply,
): void {
  const [begin, rest] = protocol.stream(reply, body);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(begin.join(""), () => {
    if (cut) setTimeout(() => response.destroy(), beforeCutMs);
    else if (!hang) response.end(rest.join(""));
  });
}
