import { readFileSync } from "node:fs";
import { clusterPatterns } from "../../src/memory/skills/learn/cluster-patterns.ts";

type Pair = readonly [string, string];

/** Pairs of patterns that a reader takes for the same lesson, and pairs that differ in one thing. */
export interface PairSet {
  readonly same: readonly Pair[];
  readonly different: readonly { readonly why: string; readonly pair: Pair }[];
}

/** `tuning`: the matching was made on it. `held-out`: nothing was changed because of it. */
export function readPairs(set: "tuning" | "held-out"): PairSet {
  return JSON.parse(readFileSync(new URL(`${set}.json`, import.meta.url), "utf8"));
}

/** Reports whether two patterns become one. */
function merges([a, b]: Pair): boolean {
  const patterns = [a, b].map((text, at) => ({ id: `${at}`, text }));
  return clusterPatterns(patterns).length === 1;
}

/** A set's pairs that were decided wrongly, with the two figures, each 0 to 1. */
export interface PairScore {
  readonly precision: number;
  readonly recall: number;
  readonly missed: readonly Pair[];
  readonly wrong: readonly Pair[];
}

/** Precision: the share of merged pairs that are the same lesson. Recall: the share of the same lessons that are merged. */
export function scorePairs({ same, different }: PairSet): PairScore {
  const missed = same.filter((pair) => !merges(pair));
  const wrong = different.map(({ pair }) => pair).filter(merges);
  const merged = same.length - missed.length;
  return { precision: merged / (merged + wrong.length), recall: merged / same.length, missed, wrong };
}
