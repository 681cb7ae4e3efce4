import { messageOf, RalphError } from "../../base/errors.ts";
import { clip } from "../../base/text.ts";
import { redact } from "../../trust/redact.ts";
import { stripControls } from "../../trust/terminal.ts";

/** What a call answers: one text, as a protocol of texts has it. */
export interface Answer {
  readonly content: readonly [{ readonly type: "text"; readonly text: string }];
  readonly isError?: true;
}

/** Data as JSON, in which no text can pass for anything else; secrets and control characters are taken out of each. */
export function answerOf(data: object): Answer {
  return textAnswer(
    JSON.stringify(data, (_, value) => (typeof value === "string" ? printable(value) : value)),
  );
}

/** What went wrong, and the hint of what can be done. */
export function answerOfError(error: unknown): Answer {
  const hint = error instanceof RalphError && error.hint !== undefined ? `\nhint: ${error.hint}` : "";
  const what = error instanceof RalphError ? "" : "a bug in ralph: ";
  return { ...textAnswer(clip(printable(`${what}${messageOf(error)}${hint}`), 4000)), isError: true };
}

function textAnswer(text: string): Answer {
  return { content: [{ type: "text", text }] };
}

function printable(text: string): string {
  return stripControls(redact(text));
}
