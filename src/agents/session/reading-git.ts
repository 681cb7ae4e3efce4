import { areInside, type Check, search } from "./command-words.ts";

/** Options by which commands of git write a file or start a program. Git also takes their beginnings. */
const refused = /^--(?:ou|ext|op|textc)/;

const reads: Check = (words, isInside) =>
  !words.some((word) => refused.test(word)) && areInside(words, isInside);

const lists = (options: RegExp, listing: RegExp): Check => {
  return (words) =>
    words.every((word) =>
      word.startsWith("-") ? options.test(word) : words.some((one) => listing.test(one)),
    );
};

const listing = /^--(?:list|contains|no-contains|merged|no-merged|points-at)(?:=|$)/;
const listOptions =
  /^(?:-a|-r|-v|-vv|-av|-avv|-l|-n\d*|--(?:all|remotes|list|show-current|(?:no-)?color|(?:no-)?column|(?:no-)?contains|(?:no-)?merged|points-at|sort|format|verbose)(?:=.*)?)$/;

const plain = (
  "status diff log show blame ls-files ls-tree rev-parse rev-list describe shortlog merge-base diff-tree diff-index " +
  "diff-files name-rev for-each-ref show-ref count-objects check-ignore check-attr whatchanged range-diff cherry version"
).split(" ");

const commands: Readonly<Record<string, Check>> = {
  ...Object.fromEntries(plain.map((name) => [name, reads])),
  "cat-file": (words, isInside) => !words.some((word) => /^--[ft]/.test(word)) && reads(words, isInside),
  grep: (words, isInside) =>
    !words.some((word) => refused.test(word) || /^-[^-]*O/.test(word)) && search(words, isInside),
  branch: lists(listOptions, listing),
  tag: lists(listOptions, new RegExp(`${listing.source}|^-l$`)),
  remote: ([first = "-v", ...more]) =>
    more.length === (first === "get-url" ? 1 : 0) && /^(?:-v|get-url)$/.test(first),
  stash: ([first, ...more], isInside) => /^(?:list|show)$/.test(first ?? "") && reads(more, isInside),
  reflog: ([first = "show", ...more], isInside) =>
    /^(?:show$|-)/.test(first) && reads([first, ...more], isInside),
  worktree: ([first, ...more], isInside) => first === "list" && reads(more, isInside),
  config: ([first, name, ...more]) =>
    /^(?:--get|--get-all|get)$/.test(first ?? "") && /^[\w.-]+$/.test(name ?? "") && more.length === 0,
};

/** Checks a command of git that only reads. `-c` and similar options can make any command start a program. */
export const readsGit: Check = (words, isInside) => {
  const [first = "", second = "", ...rest] = words;
  if (first === "-C") return second !== "" && isInside(second) && readsGit(rest, isInside);
  if (first === "--no-pager" || first === "-P") return readsGit(words.slice(1), isInside);
  if (first === "--version") return words.length === 1;
  const check = Object.hasOwn(commands, first) ? commands[first] : undefined;
  return check?.(words.slice(1), isInside) ?? false;
};
