import { messageOf, RalphError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import type { SafeText } from "../base/safe-text.ts";
import { clip } from "../base/text.ts";
import { safeJson, safeLine, safeText } from "../trust/safe-text.ts";
import { memoryTools } from "./memory-tools.ts";
import { noteTools } from "./note-tools.ts";
import { taskTools } from "./task-tools.ts";
import type { Tool, ToolActions } from "./tool.ts";

/** The tools that agents can call. */
export const allTools: readonly Tool[] = [...memoryTools, ...noteTools, ...taskTools];

/** A call of a tool, as an agent sends it. */
export interface ToolCall {
  readonly name: string;
  readonly given: unknown;
}

/** Executes a call. Never throws: an error is an answer. `open` opens the project for it and closes it afterwards. */
export async function callTool(
  { name, given }: ToolCall,
  open: (work: (actions: ToolActions) => Promise<object>) => Promise<object>,
): Promise<ToolAnswer> {
  try {
    const tool = allTools.find((one) => one.name === name);
    if (!tool) return unknownTool(name, allTools);
    return answerOf(await open(tool.prepare(given)));
  } catch (error) {
    return answerOfError(error);
  }
}

/** Returns the answer that another process gave. */
export function toolAnswer(text: string, isError: boolean): ToolAnswer {
  return { ...textAnswer(safeText(text)), ...(isError ? { isError } : {}) };
}

/** The answer to a call of a tool that does not exist, or is not offered. */
export function unknownTool(name: string, offered: readonly Tool[]): ToolAnswer {
  const names = offered.map((tool) => tool.name);
  const meant = nearest(name, names);
  const error = new RalphError("RALPH_USAGE", `unknown tool ${clip(JSON.stringify(safeLine(name)), 100)}`, {
    hint: meant
      ? `did you mean ${meant}?`
      : names.length > 0
        ? `use one of ${names.join(", ")}`
        : "this server has no tools here",
  });
  return answerOfError(error);
}

/** The answer to a call: one text, as the protocol expects. */
export interface ToolAnswer {
  readonly content: readonly [{ readonly type: "text"; readonly text: SafeText }];
  readonly isError?: true;
}

/**
 * Encodes data as JSON, which keeps each text inside its string; a `plainText` is answered as it is. Removes secrets and
 * control characters.
 */
function answerOf(data: object): ToolAnswer {
  return textAnswer("plainText" in data ? safeText(String(data.plainText)) : safeJson(data));
}

/** An error with its hint, if it has one. */
export function answerOfError(error: unknown): ToolAnswer {
  const hint = error instanceof RalphError && error.hint !== undefined ? `\nhint: ${error.hint}` : "";
  const origin = error instanceof RalphError ? "" : "a bug in ralph: ";
  return { ...textAnswer(clip(safeText(`${origin}${messageOf(error)}${hint}`), 4000)), isError: true };
}

/** Returns one text as an answer. */
function textAnswer(text: SafeText): ToolAnswer {
  return { content: [{ type: "text", text }] };
}
