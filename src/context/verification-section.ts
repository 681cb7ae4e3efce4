import { joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import { fillTemplate } from "./fill-template.ts";
import { codeSpan } from "./inline-text.ts";
import type { PromptRequest } from "./prompt.ts";
import configured from "./verification.md";
import none from "./verification-none.md";

const mayChangeNothing = safe`A change is not required for this task.`;
const mustChangeSomething = safe`A done claim that changed nothing in the project counts as a failed attempt: if nothing needs to change, claim failed and say why.`;

/** Describes how ralph verifies the work. */
export function verificationSection({ task, checks }: PromptRequest): SafeText {
  const change = task.allowNoChange ? mayChangeNothing : mustChangeSomething;
  const commands = joinSafe(checks.map(describeCommand), "\n");
  return checks.length > 0 ? fillTemplate(configured, { commands, change }) : fillTemplate(none, { change });
}

function describeCommand({ run, when = [] }: PromptRequest["checks"][number]): SafeText {
  const command = safe`- ${codeSpan(run, 1000)}`;
  if (when.length === 0) return command;
  const globs = when.map((glob) => codeSpan(glob, 200));
  return safe`${command} when a changed file matches ${joinSafe(globs, ", ")}`;
}
