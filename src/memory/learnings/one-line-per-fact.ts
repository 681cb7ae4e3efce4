import type { SearchHit } from "../../search/search.ts";
import type { LeftOut } from "../port/memory-kind.ts";
import { isFixLesson } from "./known-fix.ts";
import { isSummary, type Learning } from "./store/learning.ts";
import { compareFacts, counts, type SameFact } from "./store/one-fact.ts";

/**
 * Keeps one hit of those that state one fact (LEARN-14): the first, or where they differ in a value the one that counts, also of `others`,
 * which the task's words alone would not show.
 */
export function oneLinePerFact(
  hits: readonly SearchHit[],
  others: readonly SearchHit[],
  read: ReadonlyMap<string, Learning>,
): { readonly kept: readonly SearchHit[]; readonly leftOut: readonly LeftOut[] } {
  const kept: SearchHit[] = [];
  const leftOut: LeftOut[] = [];
  for (const hit of [...hits, ...others]) {
    const at = kept.findIndex((one) => relation(one, hit, read) !== null);
    const known = kept[at];
    if (known === undefined) {
      if (hits.includes(hit)) kept.push(hit);
      continue;
    }
    const [shown, dropped] = replaces(hit, known, read) ? [hit, known] : [known, hit];
    kept[at] = shown;
    const differs = relation(shown, dropped, read) === "differs";
    const reason = `${differs ? "replaced by" : "says the same as"} ${shown.document.id}`;
    if (hits.includes(dropped)) leftOut.push({ id: dropped.document.id, reason });
  }
  return { kept, leftOut };
}

function relation(a: SearchHit, b: SearchHit, read: ReadonlyMap<string, Learning>): SameFact | null {
  const [left, right] = [read.get(a.document.id), read.get(b.document.id)];
  if (!left || !right || [left, right].some((one) => isFixLesson(one) || isSummary(one))) return null;
  return compareFacts(left.lesson, right.lesson);
}

function replaces(hit: SearchHit, known: SearchHit, read: ReadonlyMap<string, Learning>): boolean {
  const [a, b] = [read.get(hit.document.id), read.get(known.document.id)];
  return a !== undefined && b !== undefined && relation(hit, known, read) === "differs" && counts(a, b);
}
