import { messageOf, RalphError } from "../../base/errors.ts";
import { clip } from "../../base/text.ts";
import { redact } from "../../trust/redact.ts";
import { stripControls } from "../../trust/terminal.ts";

/** The answer to a call: one text, as the protocol expects. */
export interface Answer {
  readonly content: readonly [{ readonly type: "text"; readonly text: string }];
  readonly isError?: true;
}

/**
 * Encodes data as JSON, which keeps each text inside its string; a `plainText` is answered as it is. Removes secrets and
 * control characters.
 */
export function answerOf(data: object): Answer {
  if ("plainText" in data) return textAnswer(printable(String(data.plainText)));
  return textAnswer(
    JSON.stringify(data, (_, value) => (typeof value === "string" ? printable(value) : value)),
  );
}

/** An error with its hint, if it has one. */
export function answerOfError(error: unknown): Answer {
  const hint = error instanceof RalphError && error.hint !== undefined ? `\nhint: ${error.hint}` : "";
  const origin = error instanceof RalphError ? "" : "a bug in ralph: ";
  return { ...textAnswer(clip(printable(`${origin}${messageOf(error)}${hint}`), 4000)), isError: true };
}

function textAnswer(text: string): Answer {
  return { content: [{ type: "text", text }] };
}

function printable(text: string): string {
  return stripControls(redact(text));
}
