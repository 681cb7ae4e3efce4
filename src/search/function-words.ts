import { functionWords } from "./function-words-data.ts";

/** Words that carry no information about a task: most texts contain them, and they would take most of a search's time. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about am an and any are as at be because been being both but by can could did do does doing each either else etc
few for from had has have having he her here hers him his how however i if in into is it its itself just let ll me might
more most much must my nor of off on or other our ours out over own please quite rather re really s shall she should
since so some such t than that the their theirs them then there these they this those through thus to too up upon us ve
very via was we well were what when where whether which while who whom whose why will with would yet you your`.split(
    /\s+/,
  ),
);

/** Words read to decide which language a text is in. */
const readWords = 200;

interface Languages {
  /** The languages that a word identifies, by their place in `all`. */
  readonly byOwn: ReadonlyMap<string, readonly number[]>;
  /** All function words of each language. */
  readonly all: readonly ReadonlySet<string>[];
}

let known: Languages | undefined;

/** Made when first needed: most commands load this file and read no text. */
function languages(): Languages {
  if (known) return known;
  const byOwn = new Map<string, number[]>();
  const all: Set<string>[] = [];
  const split = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean);
  for (const [at, { own, shared }] of Object.values(functionWords).entries()) {
    for (const word of split(own)) {
      const of = byOwn.get(word);
      if (of) of.push(at);
      else byOwn.set(word, [at]);
    }
    all.push(new Set([...split(own), ...split(shared)]));
  }
  known = { byOwn, all };
  return known;
}

/**
 * Reports which tokens of a text are function words of its language, if that is not English: of the languages that have a word of their own
 * in it, the one with the most of its words. English words of the text that it lacks count against it: an error message in German still
 * has its English words. Several, if they have equally many: `de` is a word of five. Null: no token is.
 */
export function functionWordsIn(tokens: readonly string[]): ((token: string) => boolean) | null {
  const { byOwn, all } = languages();
  const read = tokens.slice(0, readWords).map(lowerCase);
  const own = new Map<number, number>();
  for (const word of read) for (const at of byOwn.get(word) ?? []) own.set(at, (own.get(at) ?? 0) + 1);
  if (own.size === 0) return null;
  const english = read.filter((word) => stopWords.has(word) && !byOwn.has(word));
  const counted = [...own].flatMap(([at, count]) => {
    const words = all[at] ?? new Set<string>();
    const against = english.filter((word) => !words.has(word)).length;
    return count > against ? [{ words, count: read.filter((word) => words.has(word)).length }] : [];
  });
  const most = Math.max(...counted.map(({ count }) => count));
  const best = counted.filter(({ count }) => count === most);
  return best.length === 0 ? null : (token) => best.some(({ words }) => words.has(lowerCase(token)));
}

/** Only the first letter of a function word is ever a capital: `De` is one, `DE` and `IDs` are none. */
function lowerCase(token: string): string {
  const first = token.charCodeAt(0);
  if (first < 65 || (first > 90 && first < 128)) return token;
  return isLower(token.slice(1)) ? token.toLowerCase() : token;
}

const isLower = (text: string): boolean => text === text.toLowerCase();
