import { joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import { safeText } from "../trust/safe-text.ts";
import { fillTemplate } from "./fill-template.ts";
import finish from "./finish.md";
import optional from "./finish-optional.md";
import { inlineText } from "./inline-text.ts";
import nextModel from "./next-model.md";
import type { PromptRequest } from "./prompt.ts";
import subtasks from "./subtasks.md";

/**
 * Documents exactly the active sigils (SIG-9), each optional one in a line. The examples stand within lines, so an echo of
 * the prompt is not a signal.
 */
export function finishSection(
  { task, instructions, models }: PromptRequest,
  { stuck }: { readonly stuck: boolean },
): SafeText {
  const items = [stuck ? subtasks.trim() : safe``, instructions.trim(), nextModelLine(models)].filter(
    Boolean,
  );
  const claims = fillTemplate(finish, { taskId: safeText(task.id) });
  return items.length > 0 ? safe`${claims}\n\n${joinSafe([optional.trim(), ...items], "\n")}` : claims;
}

function nextModelLine(models: readonly string[]): SafeText {
  const choice = [...new Set(models)].map((name) => inlineText(name, 60));
  return choice.length < 2 ? safe`` : fillTemplate(nextModel, { names: joinSafe(choice, "|") });
}
