import { joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { clip } from "../../base/text.ts";
import { escapeFences } from "../../trust/fence.ts";
import { safeLine, safeText } from "../../trust/safe-text.ts";
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
export function renderAttempt(view: AttemptView): SafeText {
  return joinSafe([...facts(view.attempt, maxText), ...outputLines(view, shownError(view.attempt))], "\n");
}

/** The same within `room` characters: the error output gives way first, to its error lines, then the texts. */
export function fitAttempt(view: AttemptView, room: number): SafeText {
  const { attempt } = view;
  const wanted = view.sameErrorAs === null ? Math.min(shownError(attempt).length, isWorthQuoting) : 0;
  for (const textChars of [maxText, 300, 120]) {
    const described = joinSafe(facts(attempt, textChars), "\n");
    const left = room - described.length - 1;
    const least = textChars > 120 ? wanted : -1;
    if (left >= least) return joinSafe([described, fittedOutput(view, left)].filter(Boolean), "\n");
  }
  const short = shortAttempt(attempt);
  return room > 60 ? clip(short, room) : safe``;
}

/** The attempt in one line, for when a later one needs the room. */
export function shortAttempt(attempt: FailedAttempt): SafeText {
  const why = inline(attempt.whyFailed ?? attempt.reason ?? "", 120);
  const facts = joinSafe([typeOf(attempt), why].filter(Boolean), "; ");
  return facts ? safe`${head(attempt)}: ${facts}` : head(attempt);
}

/** `text` as part of one line: what could end the line or hide in it is gone, and nothing looks like a line of a fence. */
export function inline(text: string, max: number): SafeText {
  return clip(escapeFences(safeLine(text, max)), max);
}

/** Returns the text by which outputs are compared. */
export function errorOf(attempt: FailedAttempt): SafeText {
  return escapeFences(safeText(attempt.errorOutput || attempt.snippet)).trim();
}

/** The output; "" if it is the agent's own message, and the approach states all of it. */
function shownError(attempt: FailedAttempt): SafeText {
  const error = errorOf(attempt);
  const isStated = inline(attempt.whatTried ?? "", maxText).includes(inline(error, maxText));
  return isStated ? safe`` : error;
}

function head(attempt: FailedAttempt): SafeText {
  const outcome = attempt.outcome === "no_sigil" ? safe`no claim` : safeText(attempt.outcome);
  return safe`- **Attempt ${attempt.attempt}** (${inline(attempt.model, 60)}, ${outcome})`;
}

/** "" where it is not known. */
function typeOf({ category }: FailedAttempt): SafeText {
  return category === null || category === "unknown" ? safe`` : inline(category, 60);
}

function facts(attempt: FailedAttempt, textChars: number): readonly SafeText[] {
  const tried = inline(attempt.whatTried ?? "", textChars);
  const why = inline(attempt.whyFailed ?? attempt.reason ?? "", textChars);
  // The approach names most of them with their changes.
  const others = attempt.files.filter((file) => !tried.includes(inline(file, 120)));
  const more = others.length > maxFiles ? safe` and ${others.length - maxFiles} more` : safe``;
  const files = others.slice(0, maxFiles).map((file) => inline(file, 120));
  const type = typeOf(attempt);
  return [
    head(attempt),
    ...(tried ? [safe`  - Approach: ${tried}`] : []),
    ...(why ? [safe`  - Why it failed: ${why}`] : []),
    ...(type ? [safe`  - Type: ${type}`] : []),
    ...(files.length > 0 ? [safe`  - Files: ${clip(joinSafe(files, ", "), textChars)}${more}`] : []),
  ];
}

const outputHead = safe`  - Error output:`;

function outputLines(view: AttemptView, error: SafeText): readonly SafeText[] {
  if (error === "") return [];
  if (view.sameErrorAs !== null) return [safe`${outputHead} the same as of attempt ${view.sameErrorAs}`];
  return [outputHead, ...error.split("\n").map((line) => safe`${quote}${line}`)];
}

/** The output's error lines, quoted; "" when there is no room for any of them. */
function fittedOutput(view: AttemptView, room: number): SafeText {
  const error = shownError(view.attempt);
  const head = outputHead.length + 1 + quote.length;
  const shown = view.sameErrorAs === null ? shrinkError(error, room - head, quote.length) : error;
  const text = shown ? joinSafe(outputLines(view, shown), "\n") : safe``;
  return text.length <= room ? text : safe``;
}
