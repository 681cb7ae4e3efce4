import type { PromptRequest } from "../prompt.ts";
import { fillTemplate } from "./fill-template.ts";
import { codeSpan } from "./inline-text.ts";
import configured from "./verification.md";
import none from "./verification-none.md";

const mayChangeNothing = "A change is not required for this task.";
const mustChangeSomething = "A done claim that changed nothing in the project counts as a failed attempt.";

/** Describes how ralph verifies the work. */
export function verificationSection({ task, checks }: PromptRequest): string {
  const change = task.allowNoChange ? mayChangeNothing : mustChangeSomething;
  const commands = checks.map(({ run }) => `- ${codeSpan(run, 1000)}`).join("\n");
  return checks.length > 0 ? fillTemplate(configured, { commands, change }) : fillTemplate(none, { change });
}
