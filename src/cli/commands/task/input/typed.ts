import type { OptionValue } from "../../../shell/command.ts";

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
