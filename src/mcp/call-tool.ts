import { RalphError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import { clip } from "../base/text.ts";
import { safeLine, safeText } from "../trust/safe-text.ts";
import { type Answer, answerOf, textAnswer, answerOfError as toAnswer } from "./answer.ts";
import type { Tool } from "./define-tool.ts";
import { memoryTools } from "./memory-tools.ts";
import { noteTools } from "./note-tools.ts";
import { taskTools } from "./task-tools.ts";
import type { ToolActions } from "./tool.ts";

/** The tools that agents can call. */
export const allTools: readonly Tool[] = [...memoryTools, ...noteTools, ...taskTools];

/** A call of a tool, as an agent sends it. */
export interface ToolCall {
  readonly name: string;
  readonly given: unknown;
}

/** The answer to a call: one text, and whether it reports an error. */
export type ToolAnswer = Answer;

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
    return toAnswer(error);
  }
}

/** Returns the answer that another process gave. */
export function toolAnswer(text: string, isError: boolean): ToolAnswer {
  return { ...textAnswer(safeText(text)), ...(isError ? { isError } : {}) };
}

/** The answer to a call that could not be executed. */
export function answerOfError(error: unknown): ToolAnswer {
  return toAnswer(error);
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
  return toAnswer(error);
}
