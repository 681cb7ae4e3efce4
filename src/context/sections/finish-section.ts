import { joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { safeText } from "../../trust/safe-text.ts";
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
): SafeText {
  const more = [stuck ? subtasks.trim() : safe``, instructions.trim(), nextModelPart(models)].filter(Boolean);
  const parts = more.length > 0 ? [optional.trim(), ...more] : [];
  return joinSafe([fillTemplate(finish, { taskId: safeText(task.id) }), ...parts], "\n\n");
}

function nextModelPart(models: readonly string[]): SafeText {
  const choice = [...new Set(models)];
  const strongest = choice.at(-1);
  if (strongest === undefined || choice.length < 2) return safe``;
  return fillTemplate(nextModel, {
    names: joinSafe(
      choice.map((name) => codeSpan(name, 60)),
      ", ",
    ),
    strongest: safeText(strongest),
  });
}
