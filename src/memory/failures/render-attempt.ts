import { clip, oneLine } from "../../base/text.ts";
import { redact } from "../../trust/redact.ts";
import { stripControls } from "../../trust/terminal.ts";
import type { FailedAttempt } from "./failure-store.ts";
import { shrinkError } from "./shrink-error.ts";

/** Each line of foreign output stands behind it: none can pass for a heading, a fence, a list item or a sigil. */
const quote = "    | ";
const maxText = 600;
const maxFiles = 10;
/** The texts are cut further rather than leave the output less than this. */
const isWorthQuoting = 500;

/** An attempt with its presentation. `sameErrorAs`: a later attempt that shows the very same output. */
export interface AttemptView {
  readonly attempt: FailedAttempt;
  readonly sameErrorAs: number | null;
}

/** The attempt as list lines: number, model, outcome; approach, why, type, files, error output. */
export function renderAttempt(view: AttemptView): string {
  return [...facts(view.attempt, maxText), ...outputLines(view, errorOf(view.attempt))].join("\n");
}

/** The same within `room` characters: the error output gives way first, to its error lines, then the texts. */
export function fitAttempt(view: AttemptView, room: number): string {
  const { attempt } = view;
  const wanted = view.sameErrorAs === null ? Math.min(errorOf(attempt).length, isWorthQuoting) : 0;
  for (const textChars of [maxText, 300, 120]) {
    const described = facts(attempt, textChars).join("\n");
    const left = room - described.length - 1;
    const least = textChars > 120 ? wanted : -1;
    if (left >= least) return [described, fittedOutput(view, left)].filter(Boolean).join("\n");
  }
  const short = shortAttempt(attempt);
  return room > 60 ? clip(short, room) : "";
}

/** The attempt in one line, for when a later one needs the room. */
export function shortAttempt(attempt: FailedAttempt): string {
  const why = inline(attempt.whyFailed ?? attempt.reason ?? "", 120);
  return `${head(attempt)}: ${typeOf(attempt)}${why ? `; ${why}` : ""}`;
}

/** `text` as part of one line: what could end the line or hide in it is gone. */
export function inline(text: string, max: number): string {
  return clip(oneLine(stripControls(redact(text))), max);
}

/** Returns the text by which outputs are compared. */
export function errorOf(attempt: FailedAttempt): string {
  return stripControls(redact(attempt.errorOutput || attempt.snippet)).trim();
}

function head(attempt: FailedAttempt): string {
  return `- **Attempt ${attempt.attempt}** (${inline(attempt.model, 60)}, ${attempt.outcome})`;
}

function typeOf(attempt: FailedAttempt): string {
  return inline(attempt.category ?? "unknown", 60);
}

function facts(attempt: FailedAttempt, textChars: number): readonly string[] {
  const tried = inline(attempt.whatTried ?? "", textChars);
  const why = inline(attempt.whyFailed ?? attempt.reason ?? "", textChars);
  const more = attempt.files.length > maxFiles ? ` and ${attempt.files.length - maxFiles} more` : "";
  const files = attempt.files.slice(0, maxFiles).map((file) => inline(file, 120));
  return [
    head(attempt),
    ...(tried ? [`  - Approach: ${tried}`] : []),
    ...(why ? [`  - Why it failed: ${why}`] : []),
    `  - Type: ${typeOf(attempt)}`,
    ...(files.length > 0 ? [`  - Files: ${clip(files.join(", "), textChars)}${more}`] : []),
  ];
}

const outputHead = "  - Error output:";

function outputLines(view: AttemptView, error: string): readonly string[] {
  if (error === "") return [];
  if (view.sameErrorAs !== null) return [`${outputHead} the same as of attempt ${view.sameErrorAs}`];
  return [outputHead, ...error.split("\n").map((line) => `${quote}${line}`)];
}

/** The output's error lines, quoted; "" when there is no room for any of them. */
function fittedOutput(view: AttemptView, room: number): string {
  const error = errorOf(view.attempt);
  const head = outputHead.length + 1 + quote.length;
  const shown = view.sameErrorAs === null ? shrinkError(error, room - head, quote.length) : error;
  const text = shown ? outputLines(view, shown).join("\n") : "";
  return text.length <= room ? text : "";
}
