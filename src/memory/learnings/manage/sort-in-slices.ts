import type { Pacer } from "../../../base/clock.ts";

/** Items that are sorted, or merged, without a pause: less than a millisecond of work. */
const sliceItems = 512;

/** Sorts like `toSorted`, stably, with pauses: in parts that are then merged. */
export async function sortInSlices<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  pacer?: Pacer,
): Promise<readonly T[]> {
  let parts: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += sliceItems) {
    parts.push(items.slice(at, at + sliceItems).sort(compare));
    await pacer?.pause();
  }
  while (parts.length > 1) {
    const merged: (readonly T[])[] = [];
    for (let at = 0; at < parts.length; at += 2) {
      merged.push(await merge(parts[at] ?? [], parts[at + 1] ?? [], compare, pacer));
    }
    parts = merged;
  }
  return parts[0] ?? [];
}

async function merge<T>(
  a: readonly T[],
  b: readonly T[],
  compare: (a: T, b: T) => number,
  pacer: Pacer | undefined,
): Promise<readonly T[]> {
  const merged: T[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [first, second] = [a[i], b[j]];
    // Of equal items the one of `a` comes first, which keeps the sort stable.
    const takeFirst = j >= b.length || (i < a.length && compare(first as T, second as T) <= 0);
    merged.push((takeFirst ? first : second) as T);
    if (takeFirst) i += 1;
    else j += 1;
    if (merged.length % sliceItems === 0) await pacer?.pause();
  }
  return merged;
}
