import type { ReportedPattern } from "../../src/memory/skills/learn/cluster-patterns.ts";
import { readPairs } from "./read-pairs.ts";

/**
 * Returns the patterns of so many records, by category: three in each record, taken from 30 wordings of the tuning set
 * for each category; one in three names one of 200 files.
 */
export function reportedPatterns(
  records: number,
  categories: number,
): readonly (readonly ReportedPattern[])[] {
  const { same, different } = readPairs("tuning");
  const texts = [...same, ...different.map(({ pair }) => pair)].flat();
  const found: ReportedPattern[][] = Array.from({ length: categories }, () => []);
  for (let record = 0; record < records; record += 1) {
    const category = record % categories;
    for (let part = 0; part < 3; part += 1) {
      const text = texts[(category * 31 + ((record * 7 + part * 11) % 30)) % texts.length] ?? "";
      const file = part === 0 ? ` in src/part-${record % 200}.ts` : "";
      found[category]?.push({ id: `r-${record}.${part}`, text: `${text}${file}` });
    }
  }
  return found;
}
