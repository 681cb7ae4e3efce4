import { RalphError } from "../../base/errors.ts";
import { type SafeText, safe } from "../../base/safe-text.ts";
import { count } from "../../base/text.ts";
import { storedJson } from "../../trust/stored-text.ts";
import type { OptionValue, Session } from "./command.ts";

/** Returns the error of a command line that cannot be meant; exit code 2. */
export function usageError(message: string, hint: string): RalphError {
  return new RalphError("RALPH_USAGE", message, { hint });
}

/** Returns a single value; "" when it was not given. */
export function textOption(value: OptionValue): string {
  return optionalText(value) ?? "";
}

export function optionalText(value: OptionValue): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns all values of a repeatable option or argument. */
export function textOptions(value: OptionValue): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value : [];
}

/** Returns the positive integer of an option; undefined without one. Throws `RALPH_USAGE`. */
export function positiveInteger(value: OptionValue, flag: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && /^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw usageError(
    `invalid ${flag} ${JSON.stringify(value)}: expected a positive integer`,
    `use a number such as ${flag} 10`,
  );
}

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
  readonly what: SafeText;
}
