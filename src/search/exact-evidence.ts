import type { SearchDocument } from "./document.ts";
import { namesIn } from "./names-in-text.ts";
import { type ScoreParts, type ScoringContext, sharesRareLabel } from "./score.ts";
import { tokenize } from "./tokenize.ts";

/** A name of the query that a document has too, and its rarity: 1 for one that no other document has. */
export interface SharedName {
  readonly name: string;
  readonly rarity: number;
}

/** Returns the rarest name that query and document share; null for none. */
export function rarestSharedName(
  { title, body }: SearchDocument,
  { query, collection }: ScoringContext,
): SharedName | null {
  if (query.names.size === 0) return null;
  const text = `${title}\n${body}`;
  const lower = text.toLowerCase();
  // Most documents contain none: reading all their names would take most of the time.
  if (![...query.names].some((name) => lower.includes(name))) return null;
  const own = namesIn(text);
  let rarest: SharedName | null = null;
  for (const name of query.names) {
    if (!own.has(name)) continue;
    const { words, parts } = tokenize(name);
    const known = [...words, ...parts].map((word) => collection.idf(word));
    const rarity = Math.max(0, ...known) / collection.unknown;
    if (rarity > (rarest?.rarity ?? 0)) rarest = { name, rarity };
  }
  return rarest;
}

/** Minimum rarity of a shared name: at most about n^.4 of n documents have it. */
const minNameRarity = 0.6;

/** Returns what is exactly the same in query and document, which is enough to show it; null when nothing is. */
export function exactEvidence(
  {
    document,
    parts,
    name,
  }: { readonly document: SearchDocument; readonly parts: ScoreParts; readonly name: SharedName | null },
  context: ScoringContext,
): string | null {
  if (parts.error > 0) return "the same error";
  if (parts.files > 0) return "a file of the task";
  if (parts.tasks > 0) return "the same or a related task";
  if (sharesRareLabel(document, context)) return "a rare tag or folder of the task";
  return name !== null && name.rarity >= minNameRarity ? `the name ${name.name}` : null;
}
