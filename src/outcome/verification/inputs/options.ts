/** Returns the values of an option: `-C web`, `--prefix web`, `--prefix=web` and `-Cweb`. */
export function valuesOf(args: readonly string[], option: RegExp): readonly string[] {
  return args.flatMap((word, at) => {
    if (option.test(word)) return args.slice(at + 1, at + 2);
    const equals = word.indexOf("=");
    if (equals > 0 && option.test(word.slice(0, equals))) return [word.slice(equals + 1)];
    return /^-[A-Za-z][^-=]/.test(word) && option.test(word.slice(0, 2)) ? [word.slice(2)] : [];
  });
}

/** Returns the words that are neither options nor values of those that have one. */
export function withoutOptions(
  args: readonly string[],
  hasValue: (word: string) => boolean,
): readonly string[] {
  return args.filter((word, at) => !word.startsWith("-") && !hasValue(args[at - 1] ?? ""));
}
