import type { OptionValue } from "../../../shell/command.ts";

/** A single word as typed; "" when it was left out. */
export function textOption(value: OptionValue): string {
  return optionalText(value) ?? "";
}

export function optionalText(value: OptionValue): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** All words of what may be given several times. */
export function textOptions(value: OptionValue): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value : [];
}
