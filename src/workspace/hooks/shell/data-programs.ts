import type { ShellWord } from "./scan-shell.ts";

/** A program that only reads its arguments, or writes them: none of them is code. */
export interface DataProgram {
  /** Its arguments. */
  readonly args: readonly ShellWord[];
  /** `output`: its output can be code; `parser`: it is an interpreter that only checks the syntax. */
  readonly kind: "checker" | "output" | "parser" | "quiet";
  /** Options whose value is code or configuration. */
  readonly codeOptions: RegExp;
  /** True: an argument can be a program, as that of sed. */
  readonly hasProgram: boolean;
}

const list = (names: string): ReadonlySet<string> => new Set(names.split(" "));

const checkers = list(
  "prettier eslint oxlint standard xo stylelint biome tsc black isort ruff flake8 pylint mypy pyright bandit pydocstyle shellcheck shfmt gofmt goimports golint rustfmt clang-format markdownlint markdownlint-cli2 yamllint jsonlint hadolint actionlint rubocop codespell cspell typos",
);
/** Their output is what they read, or a part of it. */
const output = list(
  "cat tac head tail sed awk gawk mawk grep egrep fgrep rg jq yq sort uniq cut tr nl od xxd strings diff comm echo printf ls git",
);
const quiet = list(
  "test [ [[ wc cmp tee stat file touch mkdir rmdir rm chmod md5sum sha1sum sha256sum cksum basename",
);
const programs = list("sed awk gawk mawk jq yq git");

const ofGit = list(
  "add blame branch cat-file check-attr check-ignore checkout commit describe diff diff-files diff-index diff-tree for-each-ref grep hash-object log ls-files ls-tree merge-base mv reset restore rev-list rev-parse rm shortlog show stash status symbolic-ref tag update-index",
);

const none = /^\b$/;
const ofPrograms = /^(?:-[A-Za-z]*f|--file|--from-file|-L|--pre)$/;
const ofCheckers =
  /^(?:-[bcfpr]|--(?:build|config\S*|rcfile|conf|settings|project|plugins?|parser|require|import|loader|resolver|rules?-?dir|rule-path|file|format\w*|custom-\S+|syntax|tsconfig\S*|resolve-plugins-relative-to))$/;

/** `-c` only checks. */
const ofPrettier = /^--(?:config\S*|plugin\S*|parser|ignore-path)$/;

/** Words before the program's name. */
const reserved = list("if then elif else while until do ! { time");
const wrappers = list("exec command builtin env nohup nice sudo npx bunx pnpx");
/** Programs that run another, named after one of these words. */
const runners: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...["npm", "pnpm", "yarn", "bun"].map((name) => [name, list("exec dlx x")] as const),
  ...["poetry", "uv", "pipenv", "pdm", "rye"].map((name) => [name, list("run")] as const),
  ["bundle", list("exec")],
]);
const assignment = /^[A-Za-z_]\w*\+?=/;
/** Folders of programs that are installed, not of the project's own. */
const installed =
  /^(?:.*\/)?(?:node_modules\/\.bin|\.?venv\/bin|vendor\/bin)\/|^\/(?:usr\/(?:local\/)?)?bin\//;

/** Returns the words without reserved words and assignments at their beginning. */
export function withoutPrefix(words: readonly ShellWord[]): readonly ShellWord[] {
  const first = words.findIndex(({ text }) => !reserved.has(text) && !assignment.test(text));
  return first === -1 ? [] : words.slice(first);
}

/** Returns the text of a word without quotes. */
export function unquoted({ text }: ShellWord): string {
  return text.replace(/["'\\]/g, "");
}

/** Returns the program that a command runs, if its arguments are data. */
export function dataProgram(words: readonly ShellWord[]): DataProgram | null {
  let rest = withoutPrefix(words);
  for (let at = 0; at < 5 && rest.length > 0; at++) {
    const next = wrapped(rest);
    if (next === null) return programIn(rest);
    rest = withoutPrefix(next);
  }
  return null;
}

/** Returns the command that another one runs; null if it runs none. */
function wrapped(words: readonly ShellWord[]): readonly ShellWord[] | null {
  const [name = "", second = ""] = words.slice(0, 2).map(unquoted);
  const afterOptions = (from: number): readonly ShellWord[] => {
    const first = words.findIndex(({ text }, at) => at >= from && !text.startsWith("-"));
    return first === -1 ? [] : words.slice(first);
  };
  if (wrappers.has(name)) return afterOptions(1);
  if (name === "timeout") return afterOptions(1).slice(1);
  if (name === "xargs") return afterXargs(words);
  if (runners.get(name)?.has(second)) return afterOptions(2);
  if (/^python[\d.]*$/.test(name) && second === "-m") return words.slice(2);
  return (name === "yarn" || name === "pnpm") && checkers.has(second) ? words.slice(1) : null;
}

function afterXargs(words: readonly ShellWord[]): readonly ShellWord[] {
  let at = 1;
  while (words[at]?.text.startsWith("-")) at += /^-[nPILdsE]$/.test(words[at]?.text ?? "") ? 2 : 1;
  return words.slice(at);
}

function programIn(words: readonly ShellWord[]): DataProgram | null {
  const [first, ...args] = words;
  const path = first === undefined ? "" : unquoted(first).replace(/^[@+-]+(?=[a-z])/, "");
  if (path.includes("/") && !installed.test(path)) return null;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const made = (kind: DataProgram["kind"], codeOptions: RegExp): DataProgram => {
    return { args, kind, codeOptions, hasProgram: programs.has(name) };
  };
  if (isSyntaxCheck(name, args.map(unquoted))) return { ...made("parser", none), args: words };
  if (checkers.has(name)) return made("checker", name === "prettier" ? ofPrettier : ofCheckers);
  if (name === "git" && !isGitData(args)) return null;
  if (output.has(name)) return made("output", name === "echo" || name === "printf" ? none : ofPrograms);
  return quiet.has(name) ? made("quiet", none) : null;
}

function isSyntaxCheck(name: string, [first = ""]: readonly string[]): boolean {
  if (name === "node") return first === "--check" || first === "-c";
  if (/^(?:ba|da|z|k)?sh$/.test(name)) return first === "-n";
  return (name === "php" && first === "-l") || name === "py_compile" || name === "json.tool";
}

/** `-c` can set an alias. */
function isGitData(args: readonly ShellWord[]): boolean {
  const [first, second, third] = args
    .map(unquoted)
    .filter((arg) => !/^--(?:no-pager|git-dir=|work-tree=)/.test(arg));
  return ofGit.has((first === "-C" ? third : first) ?? "") && second !== undefined;
}
