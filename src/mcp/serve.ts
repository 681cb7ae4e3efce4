import type { Readable, Writable } from "node:stream";
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { messageOf, RalphError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import { clip } from "../base/text.ts";
import { safeLine } from "../trust/safe-text.ts";
import { limitMessages } from "./input/limit-messages.ts";
import instructions from "./instructions.md";
import type { ToolActions } from "./tool.ts";
import { type Answer, answerOf, answerOfError } from "./tools/answer.ts";
import type { Tool } from "./tools/define-tool.ts";
import { memoryTools } from "./tools/memory-tools.ts";
import { noteTools } from "./tools/note-tools.ts";
import { taskTools } from "./tools/task-tools.ts";

export interface McpSetup {
  readonly version: string;
  /** False: nothing is recalled (`--no-memory`), but everything is still stored. */
  readonly search: boolean;
  /** True: serves no tools, because the session has them from elsewhere or is in no project. */
  readonly silent?: boolean;
  /** Opens the project for one call and closes it afterwards. */
  readonly open: (work: (actions: ToolActions) => Promise<object>) => Promise<object>;
  readonly input: Readable;
  readonly output: Writable;
  /** Reports an error of the protocol itself to a person. */
  readonly warn: (message: string) => void;
}

/** More than the longest message: `limitMessages` answers longer ones. */
const maxBufferBytes = 16 * 1024 * 1024;

/** Serves ralph's tools to an agent until `input` ends. Only protocol goes to `output`. */
export async function serveMcp(setup: McpSetup): Promise<void> {
  const tools = setup.silent
    ? []
    : [...memoryTools, ...noteTools, ...taskTools].filter(
        ({ name }) => setup.search || name !== "memory_search",
      );
  // One call at a time: two calls waiting for each other's write would block the process they share.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (name: string, given: unknown): Promise<Answer> => {
    const answer = last.then(() => call(setup, tools, { name, given }));
    last = answer;
    return answer;
  };
  const input = setup.input.pipe(limitMessages((answer) => void setup.output.write(answer)));
  const transport = new StdioServerTransport(input, setup.output, { maxBufferSize: maxBufferBytes });
  const ended = new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) input.once(event, () => resolve());
    // A pipe does not pass these on.
    for (const event of ["close", "error"]) setup.input.once(event, () => input.end());
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

type Call = (name: string, given: unknown) => Promise<Answer>;

function serverOf({ version, silent }: McpSetup, tools: readonly Tool[], call: Call): Server {
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
    const { content, isError } = await call(params.name, params.arguments);
    return { content: [...content], ...(isError ? { isError } : {}) };
  });
  return server;
}

/** Runs one call. Never throws: an error is an answer. */
async function call(
  { open }: McpSetup,
  tools: readonly Tool[],
  { name, given }: { readonly name: string; readonly given: unknown },
): Promise<Answer> {
  try {
    const tool = tools.find((one) => one.name === name) ?? unknownTool(name, tools);
    return answerOf(await open(tool.prepare(given)));
  } catch (error) {
    return answerOfError(error);
  }
}

function unknownTool(name: string, tools: readonly Tool[]): never {
  const names = tools.map((tool) => tool.name);
  const meant = nearest(name, names);
  throw new RalphError("RALPH_USAGE", `unknown tool ${clip(JSON.stringify(safeLine(name)), 100)}`, {
    hint: meant
      ? `did you mean ${meant}?`
      : names.length > 0
        ? `use one of ${names.join(", ")}`
        : "this server has no tools here",
  });
}
