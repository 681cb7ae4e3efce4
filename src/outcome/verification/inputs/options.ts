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

/** Longer words are no paths, and longer options none that we know. */
const maxPathChars = 1000;
const maxOptionChars = 64;
const maxNamed = 10;

const configEnding =
  /\.(?:json[5c]?|toml|ini|cfg|conf|ya?ml)$|\.(?:config|conf)\.\w{1,5}$|(?:^|\/)\.\w[\w-]*rc(?:\.\w{1,5})?$|(?:^|\/)[\w-]*\.env(?:\.[\w-]+){0,3}$/;
/** A task changes them with each dependency. */
const lockFile = /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml)$/;
const configOption =
  /^-[pc]$|^--env-file(?:-if-exists)?$|^--?(?!-|no-|show|print|find)[\w-]*(?:config|project|rcfile)[\w-]*$/i;
/** Of programs that set variables from a file: `dotenv -e FILE -- npm test`. */
const variablesOption = /^-[ef]$/;
const setsVariables = /^(?:dotenvx?|env-cmd)$/;
/** Options whose value is written, such as a report. */
const outputOption =
  /^\d?&?>{1,2}\|?$|^-o$|^--?[\w-]*(?:out|report|log|cache|write|result|save|update)[\w-]*$/i;
/** With `-c` a compiler reads sources of the project. */
const compiled = /\.(?:[cCmsS]|cc|cpp|cxx|mm|f90|go|rs|java|kt|swift|zig)$/;
const copying = /^(?:cp|mv|cat|head|tail|sort|tee|jq|tar|install|ln)$/;

/** Returns the words that name a configuration: by their endings, or as the value of an option such as `--config`. */
export function namedConfigurations(program: string, args: readonly string[]): readonly string[] {
  if (copying.test(program)) return [];
  const isSetter = [program, ...args.slice(0, 2)].some((word) => setsVariables.test(word));
  const named = args.flatMap((word, at) => {
    const equals = word.startsWith("-") ? word.indexOf("=") : -1;
    const option = equals > 0 ? word.slice(0, equals) : (args[at - 1] ?? "");
    const value = word.slice(equals + 1);
    const isNamed =
      (isSetter && variablesOption.test(option)) ||
      isConfiguration(value, option.length > maxOptionChars ? "" : option);
    return isNamed ? [value] : [];
  });
  return named.slice(0, maxNamed);
}

/** Returns the files that a program reads if they exist: `node --env-file-if-exists=FILE`. */
export function optionalFiles(args: readonly string[]): readonly string[] {
  return valuesOf(args, /^--env-file-if-exists$/).slice(0, maxNamed);
}

function isConfiguration(value: string, option: string): boolean {
  if (value === "" || value.startsWith("-") || value.length > maxPathChars) return false;
  if (outputOption.test(option) || lockFile.test(value)) return false;
  return configEnding.test(value) || (configOption.test(option) && !compiled.test(value));
}
