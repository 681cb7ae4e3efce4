export type IsInside = (path: string) => boolean;

/** Checks the words after a program's name: true if it only reads, and only what `isInside` allows. */
export type Check = (words: readonly string[], isInside: IsInside) => boolean;

/** Checks that no word leads out of the allowed folders, as an operand or as the value of an option. */
export const areInside: Check = (words, isInside) =>
  words.every((word) => valuesOf(word).every((path) => !leadsAway(path) || isInside(path)));

/** Returns what a word may name: `--file=x` and `-fx` name `x`. */
function valuesOf(word: string): readonly string[] {
  return word.startsWith("-") ? [word.slice(2), word.slice(word.indexOf("=") + 1)] : [word];
}

function leadsAway(path: string): boolean {
  if (path === "/dev/null") return false;
  return /^(?:[A-Za-z]:)?[/\\]/.test(path) || path.split(/[\\/]/).includes("..");
}

/** For programs that search: the first operand is a pattern, unless an option states it or there is none. */
export const search: Check = (words, isInside) => {
  const end = words.indexOf("--");
  const options = end === -1 ? words : words.slice(0, end);
  const isStated = options.some((word) => /^-[^-]*[ef]|^--(?:reg|fil|type-list)/.test(word));
  const { paths, operands } = splitOptions(options);
  const rest = [...operands, ...(end === -1 ? [] : words.slice(end + 1))];
  return areInside(paths, isInside) && areInside(isStated ? rest : rest.slice(1), isInside);
};

/** Splits the words before `--` into options, whose values may be paths, and operands; drops numbers and patterns after their options. */
function splitOptions([word, ...rest]: readonly string[]): Readonly<
  Record<"paths" | "operands", readonly string[]>
> {
  if (word === undefined) return { paths: [], operands: [] };
  const hasValue = word === "-e" || (/^-[ABCm]$/.test(word) && /^\d+$/.test(rest[0] ?? ""));
  const { paths, operands } = splitOptions(hasValue ? rest.slice(1) : rest);
  return word.startsWith("-")
    ? { paths: [word, ...paths], operands }
    : { paths, operands: [word, ...operands] };
}
