import { messageOf, RalphError } from "../base/errors.ts";
import type { SafeText } from "../base/safe-text.ts";
import { clip } from "../base/text.ts";
import { safeJson, safeText } from "../trust/safe-text.ts";

/** The answer to a call: one text, as the protocol expects. */
export interface Answer {
  readonly content: readonly [{ readonly type: "text"; readonly text: SafeText }];
  readonly isError?: true;
}

/**
 * Encodes data as JSON, which keeps each text inside its string; a `plainText` is answered as it is. Removes secrets and
 * control characters.
 */
export function answerOf(data: object): Answer {
  return textAnswer("plainText" in data ? safeText(String(data.plainText)) : safeJson(data));
}

/** An error with its hint, if it has one. */
export function answerOfError(error: unknown): Answer {
  const hint = error instanceof RalphError && error.hint !== undefined ? `\nhint: ${error.hint}` : "";
  const origin = error instanceof RalphError ? "" : "a bug in ralph: ";
  return { ...textAnswer(clip(safeText(`${origin}${messageOf(error)}${hint}`), 4000)), isError: true };
}

/** Returns one text as an answer. */
export function textAnswer(text: SafeText): Answer {
  return { content: [{ type: "text", text }] };
}
