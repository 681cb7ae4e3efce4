import { type SafeText, safe } from "../../base/safe-text.ts";
import { count } from "../../base/text.ts";
import { storedJson } from "../../trust/stored-text.ts";
import type { Session } from "./command.ts";

/** Prints the result of a command: `json` with `--json`, else `text`. */
export function printResult({ json, out }: Session, value: unknown, text: SafeText): void {
  out(json ? storedJson(value) : text);
}

/** Notes how many of all things were listed. */
export function noteCount({ note }: Session, { shown, total, what }: Listed): void {
  if (total > shown) note(safe`${shown} of ${count(total, what)} (use --limit for more)`);
  else note(count(shown, what));
}

interface Listed {
  readonly shown: number;
  readonly total: number;
  /** `learning` */
  readonly what: SafeText;
}
