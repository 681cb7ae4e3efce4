import type { OptionValue } from "./command.ts";
import { usageError } from "./usage-error.ts";

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

/**
 * Returns the positive integer of an option; undefined without one.
 *
 * @throws RalphError `RALPH_USAGE`
 */
export function positiveInteger(value: OptionValue, flag: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && /^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw usageError(
    `invalid ${flag} ${JSON.stringify(value)}: expected a positive integer`,
    `use a number such as ${flag} 10`,
  );
}
