import type { Recalled } from "../memory/memory-kind.ts";
import type { MemoryBudget } from "./prompt.ts";
import { type PackedSection, packSection } from "./sections/pack-section.ts";

/** What a section takes at most, in the order in which the budget is spent. What one leaves serves the next. */
const sectionCaps: readonly (readonly [string, number])[] = [
  ["stuck", 400],
  ["attempts", 3000],
  ["learnings", 1500],
  ["notes", 1500],
  ["hivemind", 1500],
  ["skills", 4000],
  ["structured-context", 2000],
  ["journal", 4000],
  ["status", 500],
];

/** The blank line after a section. */
const separator = 2;

/**
 * Memory within its budget: the sections that fit, by name. Their texts with a blank line each are never longer than
 * `budget.chars`. The stuck warning's ceiling is not for lowering.
 */
export function packMemory(
  recalled: readonly Recalled[],
  budget: MemoryBudget,
): ReadonlyMap<string, PackedSection> {
  const packed = new Map<string, PackedSection>();
  let left = budget.chars;
  for (const [name, builtIn] of sectionCaps) {
    const section = recalled.find((candidate) => candidate.section === name);
    if (!section) continue;
    const ceiling = name === "stuck" ? builtIn : (budget.sections[name] ?? builtIn);
    const result = packSection(section, Math.min(ceiling, left - separator));
    packed.set(name, result);
    if (result.text) left -= result.text.length + separator;
  }
  return packed;
}

/** Whether memory may fill a section of this name. */
export function isMemorySection(name: string): boolean {
  return sectionCaps.some(([known]) => known === name);
}
