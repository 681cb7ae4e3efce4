import fc from "fast-check";

/** The number of code points that are no surrogate. */
const scalars = 0x110000 - 0x800;

/** Any code point but a surrogate: as fast-check's unit `binary`, without its table of a million entries for each use. */
const codePoint = fc.nat(scalars - 1).map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));

/** Texts of any code points but surrogates. */
export function anyText(limits: { readonly maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ unit: codePoint, ...limits });
}
