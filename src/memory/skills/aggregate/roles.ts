import type { Token } from "./read-tokens.ts";

/**
 * Distinctions that word order or a small word makes, each a bit: recommended or rejected (`polarity`), done before or
 * after (`stage`), converted from or to (`transit`), more or less (`rank`), doing or done to (`agent`).
 */
const bits = { polarity: 1, stage: 2, transit: 4, rank: 8, agent: 16 } as const;
export type Dimension = keyof typeof bits;

/** The dimensions in which a token stands on the one side, and those in which it stands on the other. */
export interface Sides {
  readonly yes: number;
  readonly no: number;
}

/** A token with its sides. */
export interface RoledToken {
  readonly token: Token;
  yes: number;
  no: number;
}

/** Puts a token on one side of a dimension. */
export function setSide(item: RoledToken, dimension: Dimension, side: boolean): void {
  const bit = bits[dimension];
  item.yes = side ? item.yes | bit : item.yes & ~bit;
  item.no = side ? item.no & ~bit : item.no | bit;
}

/** Reports whether something stands only on the rejected side. */
export function isRejected({ yes, no }: Sides): boolean {
  return (no & ~yes & bits.polarity) !== 0;
}

/** The sides of the words that two patterns have in common. */
export interface SideComparison {
  /** Both patterns reject a word. */
  readonly bothReject: boolean;
  /** One of them recommends a word that the other rejects. */
  readonly polarityDiffers: boolean;
  /** In some dimension, words of either side stand on the other side in the other pattern. */
  readonly swapped: boolean;
}

/** Compares sides; a word that stands on both sides of a dimension, or on none, says nothing about it. */
export function compareSides(a: ReadonlyMap<string, Sides>, b: ReadonlyMap<string, Sides>): SideComparison {
  let bothReject = false;
  let first = 0;
  let second = 0;
  for (const [part, own] of a) {
    const other = b.get(part);
    if (!other) continue;
    const ownClear = own.yes ^ own.no;
    const clear = ownClear & (other.yes ^ other.no);
    first |= own.yes & other.no & clear;
    second |= own.no & other.yes & clear;
    bothReject ||= (own.no & other.no & clear & bits.polarity) !== 0;
  }
  return {
    bothReject,
    polarityDiffers: ((first | second) & bits.polarity) !== 0,
    swapped: (first & second) !== 0,
  };
}
