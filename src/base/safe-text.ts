declare const isRedacted: unique symbol;
declare const isPrintable: unique symbol;

/** Text without recognised secrets: what the store, the event log and the raw logs may contain. */
export type RedactedText = Parts<RedactedText> & string & { readonly [isRedacted]: true };

/** An object whose texts contain no recognised secrets: what the event log and its listeners receive. */
export type Redacted<T extends object> = T & { readonly [isRedacted]: true };

/**
 * Redacted text without control characters: what the screen, prompts, answers and other programs may receive. Outside
 * text becomes it only in `trust/safe-text.ts`; text that did not pass there does not compile where this is expected.
 */
export type SafeText = Parts<SafeText> & RedactedText & { readonly [isPrintable]: true };

/** The methods of a string whose result has the string's own type, because they add nothing to it. */
interface Parts<T> {
  slice(start?: number, end?: number): T;
  trim(): T;
  trimEnd(): T;
  split(separator: string): T[];
  padEnd(length: number): T;
  padStart(length: number): T;
  toWellFormed(): T;
}

/** `T` if the program itself determines its values: safe text, a number, a fixed set of words. Otherwise `never`. */
export type Safe<T> = T extends SafeText | number ? T : T extends string ? FixedWord<T> : never;

/** `T` if it is a literal or a union of literals; `never` for `string` and for patterns, which allow any content. */
type FixedWord<T extends string> = Readonly<Record<never, 1>> extends Readonly<Record<T, 1>> ? never : T;

/** The parameter of a sink that also takes literals: `print<const T extends string>(text: SafeOrFixed<T>)`. */
export type SafeOrFixed<T extends string> = T & Safe<T>;

/** Template tag that composes safe text. Its values must be safe themselves. */
export function safe<const V extends readonly unknown[]>(
  parts: TemplateStringsArray,
  ...values: { readonly [K in keyof V]: Safe<V[K]> }
): SafeText {
  return composed(parts, values) as SafeText;
}

/** Template tag that composes redacted text. Its values must be redacted themselves. */
export function redacted<const V extends readonly unknown[]>(
  parts: TemplateStringsArray,
  ...values: { readonly [K in keyof V]: V[K] extends RedactedText ? V[K] : Safe<V[K]> }
): RedactedText {
  return composed(parts, values) as RedactedText;
}

function composed(parts: TemplateStringsArray, values: readonly unknown[]): string {
  let text = parts[0] ?? "";
  for (const [at, value] of values.entries()) text += `${value}${parts[at + 1]}`;
  return text;
}

/** Joins redacted texts. */
export function joinRedacted<const S extends string>(
  texts: readonly RedactedText[],
  separator: FixedWord<S>,
): RedactedText {
  return texts.join(separator) as RedactedText;
}

/** Returns literal or safe text as safe text. */
export function fixed<const T extends string>(text: SafeOrFixed<T>): SafeText {
  return text as string as SafeText;
}

/** Joins safe texts. */
export function joinSafe<const S extends string>(
  texts: readonly (SafeText | "")[],
  separator: FixedWord<S>,
): SafeText {
  return texts.join(separator) as SafeText;
}

/** Replaces each match of `pattern` in safe text; the match and its groups are safe as parts of it. */
export function replaceSafe(
  text: SafeText,
  pattern: RegExp,
  replacement: (match: SafeText, group: SafeText | undefined) => SafeText,
): SafeText {
  const plain: string = text;
  // Without a group in the pattern, the second argument is the offset.
  return plain.replace(pattern, (match, group: unknown) =>
    replacement(match as SafeText, typeof group === "string" ? (group as SafeText) : undefined),
  ) as SafeText;
}

/** `n` with exactly `digits` decimals. */
export function decimal(n: number, digits: number): SafeText {
  return n.toFixed(digits) as SafeText;
}
