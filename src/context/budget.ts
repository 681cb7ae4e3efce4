import { kindSections } from "../memory/port/kind-sections.ts";
import type { Recalled } from "../memory/port/memory-kind.ts";
import { type PackedSection, packSection } from "./pack-section.ts";
import type { MemoryBudget } from "./prompt.ts";

/** The maximum characters per section, in spending order. What one section leaves is available to the next. */
const sectionCaps: readonly (readonly [string, number])[] = [
  ["stuck", 400],
  ...kindSections.map(({ name, maxChars }) => [name, maxChars] as const),
  ["status", 500],
];

/** The blank line after a section. */
const separator = 2;

/**
 * Packs memory into its budget and returns the sections by name. Their texts, with a blank line each, never exceed
 * `budget.chars`. The maximum of the stuck warning cannot be lowered. `seed` is that of the prompt's fences.
 */
export function packMemory(
  recalled: readonly Recalled[],
  budget: MemoryBudget,
  seed: string,
): ReadonlyMap<string, PackedSection> {
  const packed = new Map<string, PackedSection>();
  let left = budget.chars;
  for (const [name, builtIn] of sectionCaps) {
    const section = recalled.find((candidate) => candidate.section === name);
    if (!section) continue;
    const ceiling = name === "stuck" ? builtIn : (budget.sections[name] ?? builtIn);
    const result = packSection(section, Math.min(ceiling, left - separator), seed);
    packed.set(name, result);
    if (result.text) left -= result.text.length + separator;
  }
  return packed;
}

/** Checks whether memory may fill the section `name`. */
export function isMemorySection(name: string): boolean {
  return sectionCaps.some(([known]) => known === name);
}
