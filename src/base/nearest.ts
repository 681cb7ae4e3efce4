/** Counts the insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`; `limit + 1` if more. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replace = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swaps = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swap = swaps ? at(before, column - 2) + 1 : replace;
      current.push(Math.min(at(previous, column) + 1, at(current, column - 1) + 1, replace, swap));
    }
    if (Math.min(...current) > limit) return limit + 1;
    before = previous;
    previous = current;
  }
  return at(previous, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

/** Nobody mistypes a longer word, and comparing takes time in proportion to the square of its length. */
const maxChars = 200;

/** A shorter beginning says too little. */
const minBeginning = 4;

/**
 * Returns the candidate that `word` was probably meant to be, for "did you mean": the one with the fewest edits, ignoring
 * case, and the first of equals. At most a third of the word's length in edits, but at least one, is allowed. The only candidate that
 * begins with `word` (`--budget` of `--budget-usd`) comes before one with two edits or more.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > maxChars) return undefined;
  const wanted = word.toLowerCase();
  const begun: string[] = [];
  let best: string | undefined;
  let limit = Math.max(1, Math.floor(wanted.length / 3));
  let edits = limit;
  for (const candidate of candidates) {
    if (candidate.toLowerCase().startsWith(wanted)) begun.push(candidate);
    const distance = editDistance(wanted, candidate.toLowerCase(), limit);
    if (distance > limit) continue;
    if (distance === 0) return candidate;
    best = candidate;
    edits = distance;
    limit = distance - 1;
  }
  const isBegun = begun.length === 1 && wanted.length >= minBeginning && (best === undefined || edits > 1);
  return isBegun ? begun[0] : best;
}
