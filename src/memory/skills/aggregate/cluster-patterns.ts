import { type Pattern, readPattern } from "./read-pattern.ts";
import { minSimilarity, similarity } from "./same-pattern.ts";

/** A sentence that an agent reported, with the id of its record. */
export interface ReportedPattern {
  readonly id: string;
  readonly text: string;
}

/** Wordings of one lesson. */
export interface Cluster {
  /** The most frequent wording, of these the shortest. */
  readonly text: string;
  /** Sorted ids of the reported patterns. */
  readonly members: readonly string[];
  readonly count: number;
}

/** How many words of a wording are compared at most, with one cluster after another. Bounds the time for texts made to be alike. */
const maxComparedWords = 2000;

interface Wording {
  readonly text: string;
  readonly ids: readonly string[];
  readonly pattern: Pattern;
}

interface Leader {
  readonly wording: Wording;
  readonly ids: string[];
}

/**
 * Merges patterns that are the same lesson in other words, the most frequent clusters first. The order of the input
 * changes nothing. Takes near-linear time. Duplicate ids count once per text.
 */
export function clusterPatterns(patterns: readonly ReportedPattern[]): readonly Cluster[] {
  const buckets = new Map<string, Wording[]>();
  for (const wording of wordingsOf(patterns)) addTo(buckets, wording.pattern.bucket, wording);
  const clusters = [...buckets.values()].flatMap(clusterBucket);
  return clusters.sort((a, b) => b.count - a.count || byText(a.text, b.text));
}

/** Groups equal wordings; sorted so that the first of a cluster is its representative. */
function wordingsOf(patterns: readonly ReportedPattern[]): readonly Wording[] {
  const byKey = new Map<string, Wording & { readonly ids: string[] }>();
  const idsOf = new Map<string, string[]>();
  for (const { id, text } of patterns) addTo(idsOf, text, id);
  for (const text of [...idsOf.keys()].sort(byText)) {
    const pattern = readPattern(text);
    const known = byKey.get(pattern.key) ?? { pattern, ids: [], text };
    for (const id of idsOf.get(text) ?? []) known.ids.push(id);
    byKey.set(pattern.key, known);
  }
  const wordings = [...byKey.values()];
  return wordings.sort(
    (a, b) => b.ids.length - a.ids.length || a.pattern.total - b.pattern.total || byText(a.text, b.text),
  );
}

function clusterBucket(wordings: readonly Wording[]): readonly Cluster[] {
  const frequency = new Map<string, number>();
  for (const { pattern } of wordings) {
    for (const part of pattern.weights.keys()) frequency.set(part, (frequency.get(part) ?? 0) + 1);
  }
  const leaders: Leader[] = [];
  const leadersOf = new Map<string, Leader[]>();
  for (const wording of wordings) {
    const prefix = rarestParts(wording.pattern, frequency);
    const best = bestLeader(wording.pattern, prefix, leadersOf);
    if (best) {
      for (const id of wording.ids) best.ids.push(id);
      continue;
    }
    const leader: Leader = { wording, ids: [...wording.ids] };
    leaders.push(leader);
    for (const part of prefix) addTo(leadersOf, part, leader);
  }
  return leaders.map(({ wording, ids }) => {
    return { text: wording.text, members: [...new Set(ids)].sort(byText), count: ids.length };
  });
}

/**
 * Returns a pattern's rarest parts: enough that two similar patterns have one of them in common (prefix filtering:
 * Chaudhuri, Ganti, Kaushik, "A primitive operator for similarity joins in data cleaning", 2006).
 */
function rarestParts({ weights, total }: Pattern, frequency: ReadonlyMap<string, number>): readonly string[] {
  const parts = [...weights.keys()].sort(
    (a, b) => (frequency.get(a) ?? 0) - (frequency.get(b) ?? 0) || byText(a, b),
  );
  let rest = total;
  const cut = parts.findIndex((part) => {
    if (rest < minSimilarity * total) return true;
    rest -= weights.get(part) ?? 0;
    return false;
  });
  return cut < 0 ? parts : parts.slice(0, cut);
}

/** Returns the most similar leader, of equally similar ones the first; undefined for none. */
function bestLeader(
  pattern: Pattern,
  prefix: readonly string[],
  leadersOf: ReadonlyMap<string, readonly Leader[]>,
): Leader | undefined {
  const seen = new Set<Leader>();
  const maxComparisons = Math.ceil(maxComparedWords / (pattern.weights.size + 1));
  let best: Leader | undefined;
  let bestSimilarity = 0;
  for (const part of prefix) {
    for (const leader of leadersOf.get(part) ?? []) {
      if (seen.size >= maxComparisons) return best;
      if (seen.has(leader)) continue;
      seen.add(leader);
      const found = similarity(pattern, leader.wording.pattern);
      if (found <= bestSimilarity) continue;
      best = leader;
      bestSimilarity = found;
    }
  }
  return best;
}

function addTo<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}

/** Orders by code units: the same on every machine. */
function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
