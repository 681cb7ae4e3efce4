import type { Readable, Writable } from "node:stream";
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { messageOf } from "../base/errors.ts";
import { allTools, type ToolAnswer, type ToolCall, unknownTool } from "./call-tool.ts";
import instructions from "./instructions.md";
import type { Tool } from "./tool.ts";

export interface McpSetup {
  readonly version: string;
  /** False: nothing is recalled (`--no-memory`), but everything is still stored. */
  readonly search: boolean;
  /** True: serves no tools, because the session has them from elsewhere or is in no project. */
  readonly silent?: boolean;
  /** Executes one call. Never throws: an error is an answer. */
  readonly call: (call: ToolCall) => Promise<ToolAnswer>;
  readonly input: Readable;
  readonly output: Writable;
  /** Reports an error of the protocol itself to a person. */
  readonly warn: (message: string) => void;
}

/** Serves ralph's tools to an agent until `input` ends. Only protocol goes to `output`. */
export async function serveMcp(setup: McpSetup): Promise<void> {
  const tools = setup.silent ? [] : allTools.filter(({ name }) => setup.search || name !== "memory_search");
  // One call at a time: two calls waiting for each other's write would block the process they share.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn: McpSetup["call"] = (call) => {
    const isOffered = tools.some(({ name }) => name === call.name);
    const answer = last.then(() => (isOffered ? setup.call(call) : unknownTool(call.name, tools)));
    last = answer;
    return answer;
  };
  // It skips what is no message, and ends at one of more than 10 MB.
  const transport = new StdioServerTransport(setup.input, setup.output);
  const ended = new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) setup.input.once(event, () => resolve());
    setup.output.once("error", () => resolve());
  });
  const served = serveStdio(() => serverOf(setup, tools, inTurn), {
    transport,
    onerror: (error) => setup.warn(messageOf(error)),
  });
  await ended;
  await last;
  await served.close();
}

function serverOf({ version, silent }: McpSetup, tools: readonly Tool[], call: McpSetup["call"]): Server {
  const options = { capabilities: { tools: {} }, ...(silent ? {} : { instructions }) };
  const server = new Server({ name: "ralph", version }, options);
  server.setRequestHandler("tools/list", () => ({
    tools: tools.map(({ name, description, reads, schema }) => ({
      name,
      description,
      inputSchema: schema(),
      annotations: { readOnlyHint: reads, destructiveHint: false, openWorldHint: false },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const { content, isError } = await call({ name: params.name, given: params.arguments });
    return { content: [...content], ...(isError ? { isError } : {}) };
  });
  return server;
}
