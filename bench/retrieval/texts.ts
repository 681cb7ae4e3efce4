import { type SearchQuery, textQuery } from "../../src/search/query.ts";

/** Made-up texts, always the same for the same seed. */
export interface Texts {
  /** About 200 characters, some with a path. */
  learning(): string;
  /** A title of 8 words and a description of 30. */
  query(): SearchQuery;
}

const vocabulary = 30_000;
/** Zipf-Mandelbrot: without stop words, so that the commonest word stands in about a sixth of all texts. */
const shift = 20;
const syllables =
  "ba ce di fo gu ha ke li mo nu pa re si to vu wa xe zi jo ly bra cle dri flo gru ske tri plo".split(" ");

export function createTexts(seed: number): Texts {
  const random = randomFrom(seed);
  const words = Array.from({ length: vocabulary }, (_, at) => wordOf(at));
  const sums: number[] = [];
  for (let rank = 1, sum = 0; rank <= vocabulary; rank += 1) {
    sum += 1 / (rank + shift);
    sums.push(sum);
  }
  const word = (): string => words[lowerBound(sums, random() * (sums.at(-1) ?? 1))] ?? "";
  const sentence = (length: number): string => Array.from({ length }, word).join(" ");
  return {
    learning: () => `${sentence(24)} src/${word()}/${word()}.ts`,
    query: () => ({
      ...textQuery(sentence(8)),
      description: sentence(30),
      files: [`src/${word()}/${word()}.ts`],
    }),
  };
}

function wordOf(at: number): string {
  let rest = at + syllables.length;
  let word = "";
  while (rest > 0) {
    word += syllables[rest % syllables.length];
    rest = Math.floor(rest / syllables.length);
  }
  return word;
}

function lowerBound(sums: readonly number[], wanted: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Numerical Recipes' linear congruential generator. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
