import type { SearchDocument } from "./document.ts";
import { namesIn, quotedMessages, runLength, runsOf } from "./exact-tokens.ts";
import { type ScoreParts, type ScoringContext, sharesRareLabel } from "./score.ts";
import { type TextTokens, tokenize } from "./tokenize.ts";

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

/** Reports whether enough words in a row are in the query, in whatever order there. */
function hasRun(words: readonly string[], wanted: ReadonlyMap<string, number>): boolean {
  let length = 0;
  for (const word of words) {
    length = wanted.has(word) ? length + 1 : 0;
    if (length >= runLength) return true;
  }
  return false;
}

/** Returns the total rarity of the rarest run of four stems that query and document share; 0 for none. */
export function sharedRun(texts: readonly TextTokens[], { query, collection }: ScoringContext): number {
  if (query.runs.size === 0) return 0;
  let rarest = 0;
  for (const { words } of texts) {
    if (!hasRun(words, query.words)) continue;
    for (const run of runsOf(words)) {
      if (!query.runs.has(run.join(" "))) continue;
      const rarity = run.reduce((sum, word) => sum + collection.idf(word), 0) / collection.unknown;
      rarest = Math.max(rarest, rarity);
    }
  }
  return rarest;
}

/** Minimum rarity of a shared name: at most about n^.4 of n documents have it. */
const minNameRarity = 0.6;
/** Minimum total rarity of four shared words in a row, each at most 1: the core of a message, not a common phrase. */
const minRunRarity = 2.2;

/** Text or facts that are exactly the same in query and document. */
export interface ExactEvidence {
  readonly kind: "error" | "file" | "task" | "label" | "name" | "message";
  readonly text: string;
}

/** Returns what is exactly the same in query and document, which is enough to show it; null when nothing is. */
export function exactEvidence(
  document: SearchDocument,
  {
    parts,
    name,
    run,
  }: { readonly parts: ScoreParts; readonly name: SharedName | null; readonly run: number },
  context: ScoringContext,
): ExactEvidence | null {
  if (parts.error > 0) return { kind: "error", text: "the same error" };
  if (parts.files > 0) return { kind: "file", text: "a file of the task" };
  if (parts.tasks > 0) return { kind: "task", text: "the same or a related task" };
  if (sharesRareLabel(document, context)) return { kind: "label", text: "a rare tag or folder of the task" };
  if (name !== null && name.rarity >= minNameRarity) return { kind: "name", text: `the name ${name.name}` };
  return run >= minRunRarity || quotesQuery(document, context)
    ? { kind: "message", text: "the same message" }
    : null;
}

/** Reports whether a document quotes a message that is in the query, word for word. */
function quotesQuery({ title, body }: SearchDocument, { query }: ScoringContext): boolean {
  return quotedMessages(`${title}\n${body}`).some((message) => query.plain.includes(message));
}
