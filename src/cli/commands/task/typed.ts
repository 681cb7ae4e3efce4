import type { OptionValue } from "../../command.ts";

/** A single word as typed; "" when it was left out. */
export function word(value: OptionValue): string {
  return optionalWord(value) ?? "";
}

export function optionalWord(value: OptionValue): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** All words of what may be given several times. */
export function words(value: OptionValue): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value : [];
}
