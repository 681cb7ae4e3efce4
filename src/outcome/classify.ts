import type { ErrorType } from "./outcome.ts";

interface FailedCommand {
  /** The command that failed, if one did. */
  readonly command: string | null;
  /** The output of the command, or the message of the agent. */
  readonly text: string;
}

/** Categories that a failure of a command of each kind can have besides its own. */
const otherCategories: Readonly<Partial<Record<ErrorCategory, readonly ErrorCategory[]>>> = {
  type_error: [],
  lint_error: [],
  test_failure: ["type_error", "test_failure", "timeout", "dependency_error", "missing_file"],
  build_error: ["type_error", "dependency_error", "missing_file"],
};

/**
 * Returns the category of a failure (FAIL-3): `type_error`, `test_failure`, `lint_error`, `build_error`, `timeout`,
 * `dependency_error`, `missing_file`, `logic_error` or `unknown`. The failing command takes precedence over its output: a
 * linter's output is a lint error whatever words it contains, and a test runner that names a bundler is not a build error.
 */
export function classify({ command, text }: FailedCommand): ErrorCategory | "unknown" {
  const kind = commandKind(command ?? "") ?? commandKind(lastScript(text));
  if (kind === null) return firstMatch(text) ?? "unknown";
  return firstMatch(text, otherCategories[kind]) ?? kind;
}

function firstMatch(text: string, admitted?: readonly ErrorCategory[]): ErrorCategory | null {
  const matches = ([category, pattern]: readonly [ErrorCategory, RegExp]): boolean =>
    (!admitted || admitted.includes(category)) && pattern.test(text);
  return (textRules.find(matches) ?? toolRules.find(matches))?.[0] ?? null;
}

/** Returns the type of a failed command's error. */
export function errorTypeOf(category: string): ErrorType {
  if (category === "timeout") return "timeout";
  return category === "test_failure" ? "assertion_failure" : "tool_error";
}

/** Returns the last command that npm announces: `> shop@1.0.0 lint`, then `> eslint .`. */
function lastScript(text: string): string {
  let command = "";
  for (const match of text.matchAll(/^> \S+@\S* (\S+).*\n> (.+)$/gm)) command = `${match[2]}`;
  return command;
}

/** The categories of FAIL-3 that ralph recognizes itself. */
export type ErrorCategory =
  | "type_error"
  | "test_failure"
  | "lint_error"
  | "build_error"
  | "timeout"
  | "dependency_error"
  | "missing_file"
  | "logic_error";

type Rule = readonly [category: ErrorCategory, pattern: RegExp];

/** Matches a tool's name as a whole word, not as part of a path, a package or a longer name. */
const tool = (names: string): string => `(?<![\\w@/\\\\.-])(?:${names})(?![\\w/\\\\-]|\\.\\w)`;

/** The rules that all projects share, in order. A rule matches at a word's start. */
const textRules: readonly Rule[] = [
  ["type_error", /\berror TS(?=\d|\b)|\bts\(|\bnot assignable|\bcannot find name/i],
  ["test_failure", /\bassert|\bexpect\(|\btest fail|\btests failed/i],
  ["lint_error", new RegExp(`${tool("eslint|prettier")}|(?<![\\w@/\\\\.-])lint(?![/\\\\]|-staged)`, "i")],
  ["build_error", new RegExp(`\\bbuild fail|${tool("esbuild|webpack|rollup|vite")}`, "i")],
  ["timeout", /\btimeout|\bexceeded 10 minutes|\btimed out/i],
];

/** Rules for further toolchains and categories, used if no rule above matches. */
const toolRules: readonly Rule[] = [
  // rustc; Go's compiler; javac; mypy and pyright
  ["type_error", /\bmismatched types\b|\berror\[E(?:0308|0277|0425|0599|0282|0061)\]/],
  [
    "type_error",
    /\.go:\d+:\d+: (?:undefined: |cannot use |invalid operation: |assignment mismatch|not enough arguments)/,
  ],
  ["type_error", /\bincompatible types: |\bcannot find symbol\b|\berror: .*\bcannot be converted to\b/],
  [
    "type_error",
    /\bIncompatible (?:types|return value|default)|: error: .* \[(?:arg-type|return-value|attr-defined)\]|\breportAttributeAccessIssue\b/,
  ],
  // vitest, jest, node:test; cargo; go; pytest and unittest; Surefire, JUnit; others
  ["test_failure", /^\s*(?:FAIL |✖ |✕ |not ok )|^\s*\d+ failing$|\bTests:? +\d+ failed/m],
  ["test_failure", /\btest result: FAILED|^test .+ \.\.\. FAILED$|\bpanicked at\b/m],
  ["test_failure", /^\s*--- FAIL: |^FAIL\t/m],
  ["test_failure", /^=+ .*\b\d+ failed\b|^FAILED (?:\S+::|\()|^FAIL: test/m],
  [
    "test_failure",
    /\bTests run:.*(?:Failures|Errors): [1-9]|\bThere (?:are|were) test failures\b|\bFailures:\s*$/m,
  ],
  ["lint_error", /\blint\/[a-z]+\/\w/],
  ["lint_error", /\b[EFWCNDIB]\d{3,4} \[?\*?\]?.*\n? *-->|^\S+\.pyi?:\d+:\d+:? [A-Z]{1,4}\d{2,4}\b/m],
  [
    "lint_error",
    /\bclippy::|\bgolangci|\(staticcheck\)|\bcheckstyle\b|\bgofmt\b|\brustfmt\b|^Diff in .*:\d+/im,
  ],
  [
    "dependency_error",
    /\bNo module named\b|\bModuleNotFoundError\b|\bcould not find a version that satisfies/i,
  ],
  [
    "dependency_error",
    /\bCannot find (?:module|package) '(?![./])|\bERESOLVE\b|\bE404\b|\bFailed to resolve import "(?![./])/,
  ],
  [
    "dependency_error",
    /\bno required module provides package\b|\bmissing go\.sum entry\b|\bcannot find module providing\b/,
  ],
  [
    "dependency_error",
    /\bunresolved import\b|\berror\[E0432\]|\berror\[E0433\]|\bno matching package named\b|\bfailed to select a version\b/,
  ],
  [
    "dependency_error",
    /\bpackage \S+ does not exist\b|\bCould not resolve dependencies\b|\bcommand not found\b|^.*: not found$/m,
  ],
  [
    "missing_file",
    /\bNo such file or directory\b|\bENOENT\b|\bFileNotFound(?:Error|Exception)\b|\bNoSuchFileException\b/,
  ],
  [
    "missing_file",
    /\bCannot find module '[./]|\bCould not resolve "?'?\.|\bFailed to resolve import|\bcannot find the (?:file|path)\b/i,
  ],
  [
    "build_error",
    /\bcould not compile\b|^error(?:\[\w+\])?: |\.(?:go|java|rs|c|cc|cpp|h):\d+(?::\d+)?: (?:fatal )?error: |\bCOMPILATION ERROR\b/m,
  ],
  [
    "build_error",
    /\bundefined reference to\b|\bld returned \d|^\S+\.go:\d+:\d+: |\bSyntaxError\b|\bIndentationError\b|^make(?:\[\d+\])?: \*\*\* /m,
  ],
  ["timeout", /\bdeadline exceeded\b|\bETIMEDOUT\b|\bTimeoutError\b/i],
  ["logic_error", /\b(?:Type|Reference|Range|Name|Attribute|Key|Index|Value|ZeroDivision|Recursion)Error\b/],
  [
    "logic_error",
    /\b(?:NullPointer|IndexOutOfBounds|ArrayIndexOutOfBounds|ClassCast|IllegalState|IllegalArgument|Arithmetic)Exception\b/,
  ],
  [
    "logic_error",
    /\bpanic: |\bnil pointer dereference\b|\bindex out of (?:range|bounds)\b|\bSegmentation fault\b/i,
  ],
];

/** Matches whole words: `vite` matches neither `vitest` nor a folder of that name. */
const word = (names: string): RegExp =>
  new RegExp(`(?<![\\w@/\\\\.-])(?:[\\w@./\\\\-]*[/\\\\])?(?:${names})(?![\\w/\\\\-]|\\.\\w)`);

const kinds: readonly (readonly [ErrorCategory, RegExp])[] = [
  ["type_error", word("tsc|vue-tsc|tsgo|mypy|pyright|type-?check|check-types|types|cargo check")],
  [
    "test_failure",
    word(
      "vitest|jest|mocha|ava|pytest|py\\.test|tox|nox|unittest|phpunit|rspec|playwright|cypress|ctest|nextest|tests?",
    ),
  ],
  [
    "lint_error",
    word(
      "eslint|prettier|biome|oxlint|stylelint|ruff|flake8|pylint|black|clippy|golangci-lint|gofmt|rustfmt|lint|format|fmt|vet",
    ),
  ],
  [
    "build_error",
    word(
      "vite|webpack|rollup|esbuild|tsup|parcel|next build|javac|gcc|g\\+\\+|clang|cmake|build|compile|assemble|bundle",
    ),
  ],
];
/** The suffix of a script name: `test:unit`, `lint:fix`. */
const scriptSuffix = /([\w])[:][\w:-]+/g;

/** Returns the failure category of the tool that a command line runs; null for none or several. */
function commandKind(command: string): ErrorCategory | null {
  const found = new Set<ErrorCategory>();
  for (const part of command.split(/&&|\|\||[;|\n]/)) {
    if (part.trim().startsWith("cd ")) continue;
    const words = part.replace(scriptSuffix, "$1");
    const kind = kinds.find(([, names]) => names.test(words))?.[0];
    if (kind) found.add(kind);
  }
  return found.size === 1 ? ([...found][0] ?? null) : null;
}
