import { areInside, type Check, type IsInside, search } from "./command-words.ts";
import { readsGit } from "./reading-git.ts";

const anyWords: Check = () => true;
/** Refuses options by which a program writes a file or starts another. */
const without =
  (refused: RegExp): Check =>
  (words, isInside) =>
    !words.some((word) => refused.test(word)) && areInside(words, isInside);

const address = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\[^\n])*/)`;
const printing = String.raw`(?:${address}(?:,(?:\+?\d+|${address}))?)?!?[pdq=]`;
const replacing = String.raw`s([/|#,])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpI\d]*`;
const sedScript = new RegExp(`^(?:${replacing}|${printing}(?:;[ ]*${printing})*;?)$`);

const sed: Check = (words, isInside) => {
  const rest = words.filter((word) => !/^-[nEr]+$/.test(word));
  const count = rest[0] === "-e" ? 2 : 1;
  const files = rest.slice(count);
  const isPlain = sedScript.test(rest[count - 1] ?? "") && files.every((word) => !word.startsWith("-"));
  return isPlain && areInside(files, isInside);
};

const findTests =
  /^(?:[!()]|-(?:not|a|and|o|or|prune|print0?|empty|ls|depth|[LPH]|xdev|mount|true|false|readable|executable|quit|daystart))$/;
const findValues =
  /^-(?:i?name|i?path|i?wholename|i?regex|regextype|x?type|maxdepth|mindepth|size|[acm]time|[acm]min|perm|user|group|links|printf)$/;

const find: Check = (words, isInside) =>
  words.every((word, n) => {
    if (findValues.test(words[n - 1] ?? "")) return true;
    if (findTests.test(word) || findValues.test(word) || /^-newer/.test(word)) return true;
    return !word.startsWith("-") && areInside([word], isInside);
  });

/** The first operand is a filter. It reads no program and writes no file. */
const jq: Check = (words, isInside) => {
  const first = words.findIndex((word) => !word.startsWith("-"));
  if (words.some((word) => /^-[^-]*[fL]|^--(?:from-file|slurpfile|rawfile)/.test(word))) return false;
  return areInside(
    words.filter((_, n) => n !== first),
    isInside,
  );
};

const uniq: Check = (words, isInside) =>
  words.filter((word, n) => !word.startsWith("-") && !/^-[fsw]$/.test(words[n - 1] ?? "")).length <= 1 &&
  areInside(words, isInside);

const cut: Check = (words, isInside) =>
  areInside(
    words.filter(
      (word, n) => words[n - 1] !== "-d" && !word.startsWith("-d") && !/^--(?:output-)?delim/.test(word),
    ),
    isInside,
  );

const named = (names: string, check: Check): Readonly<Record<string, Check>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, check]));

const programs: Readonly<Record<string, Check>> = {
  ...named("echo printf true false : tr seq sleep type which whoami uname", anyWords),
  ...named(
    "cat head tail ls pwd wc nl tac rev cmp comm paste fold stat du df basename dirname realpath",
    areInside,
  ),
  ...named("readlink md5sum sha1sum sha256sum cksum od hexdump strings column test [ diff", areInside),
  ...named("grep egrep fgrep", search),
  rg: (words, isInside) =>
    !words.some((word) => /^--(?:pre|hostname-bin)/.test(word)) && search(words, isInside),
  ...named("sed", sed),
  ...named("find", find),
  ...named("jq", jq),
  ...named("uniq", uniq),
  ...named("cut", cut),
  ...named("sort", without(/^-[^-]*[oT]|^--(?:o|c[^h]|t|files)/)),
  ...named("tree", without(/^-[^-]*o/)),
  ...named("file", without(/^-[^-]*C|^--c/)),
  ...named("date", without(/^-[uR]*s|^--s/)),
  ...named("command", ([option, ...words]) => /^-[vV]$/.test(option ?? "") && words.length > 0),
  git: readsGit,
};

/** Checks that a command only reads, and nothing outside the folders that `isInside` knows. */
export function onlyReads(words: readonly string[], isInside: IsInside): boolean {
  const [program = "", ...rest] = words;
  const isVersion = rest.length === 1 && /^(?:--version|-v|-V)$/.test(rest[0] ?? "");
  if (isVersion && /^[a-z][\w.+-]*$/i.test(program))
    return rest[0] === "--version" || /^(?:node|npm)$/.test(program);
  const check = Object.hasOwn(programs, program) ? programs[program] : undefined;
  return check?.(rest, isInside) ?? false;
}
