import type { Pacer } from "../../../base/clock.ts";
import type { ClusterFields } from "../store/read-learnings.ts";

/** Two learnings are similar when each shares at least this part of its tags with the other (LEARN-8). */
const sharedTags = 0.5;

/** Learnings whose tags are indexed without a pause. */
const sliceItems = 256;

/**
 * Yields clusters of learnings of one category and scope that share tags. Clusters, and the learnings of a cluster, are
 * ordered newest first. Clusters of one learning are left out; each cluster is computed on demand.
 */
export async function* clusterLearnings(
  learnings: readonly ClusterFields[],
  pacer?: Pacer,
): AsyncGenerator<readonly ClusterFields[]> {
  const inOrder = learnings.toSorted(newestFirst);
  const byTag = new Map<string, number[]>();
  for (const [at, learning] of inOrder.entries()) {
    for (const tag of new Set(learning.tags)) {
      const key = `${learning.category}\n${learning.scope}\n${tag}`;
      const list = byTag.get(key);
      if (list) list.push(at);
      else byTag.set(key, [at]);
    }
    if (at % sliceItems === 0) await pacer?.pause();
  }
  const taken = new Set<number>();
  for (const [at, seed] of inOrder.entries()) {
    if (taken.has(at)) continue;
    taken.add(at);
    await pacer?.pause();
    const members = similarTo(seed, byTag)
      .filter(([other, shared]) => !taken.has(other) && sharesHalf(shared, seed, inOrder[other]))
      .map(([other]) => other)
      .sort((a, b) => a - b);
    for (const other of members) taken.add(other);
    if (members.length > 0) yield [seed, ...members.flatMap((other) => inOrder[other] ?? [])];
  }
}

function newestFirst(a: ClusterFields, b: ClusterFields): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}

/** Returns the index of each learning that shares a tag with `seed`, with the number of shared tags. */
function similarTo(
  seed: ClusterFields,
  byTag: ReadonlyMap<string, readonly number[]>,
): readonly (readonly [number, number])[] {
  const shared = new Map<number, number>();
  for (const tag of new Set(seed.tags)) {
    for (const at of byTag.get(`${seed.category}\n${seed.scope}\n${tag}`) ?? [])
      shared.set(at, (shared.get(at) ?? 0) + 1);
  }
  return [...shared];
}

function sharesHalf(shared: number, a: ClusterFields, b: ClusterFields | undefined): boolean {
  return b !== undefined && shared >= sharedTags * Math.max(new Set(a.tags).size, new Set(b.tags).size);
}
