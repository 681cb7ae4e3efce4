import { tokenize } from "../../../search/tokenize.ts";
import { isPersons, type Learning } from "./learning.ts";

/** Stems that say that something is used, or that it changed: the fact is the same without them. */
const weak: ReadonlySet<string> = new Set(
  `use run need requir expect target version current still now onli alwai must set pin stai
drop replac remov switch upgrad move migrat longer instead anymor former previou old new chang`.split(/\s+/),
);
const digits = /^v?(\d[\d.]*)/;
/** Words that a longer statement of the same fact may have. */
const longerBy = 2;

interface Fact {
  readonly words: readonly string[];
  /** By the word before it: `node` 18. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>>;
}

/** How two lessons relate that state the value of one thing. */
export type SameFact = "restated" | "differs";

/** Compares lessons that state a value, such as `Deploys use Node 18`; null: they state different facts (LEARN-14). */
export function compareFacts(a: string, b: string): SameFact | null {
  const [left, right] = [factOf(a), factOf(b)];
  const [small, large] = left.words.length < right.words.length ? [left, right] : [right, left];
  if (small.words.length < 2 || large.words.length > small.words.length + longerBy) return null;
  if (!small.words.every((word) => large.words.some((other) => isSameWord(word, other)))) return null;
  const shared = [...small.values].flatMap(([name, own]) => {
    const others = large.values.get(name);
    return others ? [{ own, others }] : [];
  });
  if (shared.length === 0) return null;
  const other = shared.filter(
    ({ own, others }) => own.size !== others.size || ![...own].every((value) => others.has(value)),
  );
  // Lessons that differ in several values are about different things.
  if (other.length > 1) return null;
  return other.length === 0 ? "restated" : "differs";
}

/** Reports whether of two lessons that differ in a value the first counts: a person's, else the newer. */
export function counts(a: Learning, b: Learning): boolean {
  if (isPersons(a) !== isPersons(b)) return isPersons(a);
  return a.createdAt > b.createdAt;
}

function factOf(text: string): Fact {
  const words = new Set<string>();
  const values = new Map<string, Set<string>>();
  let name = "";
  for (const word of tokenize(text).words) {
    const value = digits.exec(word)?.[1];
    if (value === undefined) {
      if (weak.has(word)) continue;
      name = word;
      words.add(word);
    } else if (name !== "") values.set(name, (values.get(name) ?? new Set()).add(value));
  }
  return { words: [...words], values };
}

/** `deploi` and `deploy`: other forms of one word may have stems that differ in their last letter. */
function isSameWord(a: string, b: string): boolean {
  // A name with a number is another name with another number.
  if (a === b || /\d/.test(a + b)) return a === b;
  const least = Math.min(a.length, b.length) - 1;
  return least >= 4 && Math.abs(a.length - b.length) <= 1 && a.slice(0, least) === b.slice(0, least);
}
