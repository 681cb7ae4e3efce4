import type { PromptRequest } from "../prompt.ts";
import { fillTemplate } from "./fill-template.ts";
import finish from "./finish.md";
import optional from "./finish-optional.md";
import { codeSpan } from "./inline-text.ts";
import nextModel from "./next-model.md";
import subtasks from "./subtasks.md";

/** Documents exactly the active sigils (SIG-9). The examples are fenced, so an echo of the prompt is not a signal. */
export function finishSection(
  { task, instructions, models }: PromptRequest,
  { stuck }: { readonly stuck: boolean },
): string {
  const more = [stuck ? subtasks.trim() : "", instructions.trim(), nextModelPart(models)].filter(Boolean);
  const parts = more.length > 0 ? [optional.trim(), ...more] : [];
  return [fillTemplate(finish, { taskId: task.id }), ...parts].join("\n\n");
}

function nextModelPart(models: readonly string[]): string {
  const choice = [...new Set(models)];
  const strongest = choice.at(-1);
  if (strongest === undefined || choice.length < 2) return "";
  return fillTemplate(nextModel, { names: choice.map((name) => codeSpan(name, 60)).join(", "), strongest });
}
