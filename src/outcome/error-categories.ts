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
export const textRules: readonly Rule[] = [
  ["type_error", /\berror TS(?=\d|\b)|\bts\(|\bnot assignable|\bcannot find name/i],
  ["test_failure", /\bassert|\bexpect\(|\btest fail|\btests failed/i],
  ["lint_error", new RegExp(`${tool("eslint|prettier")}|(?<![\\w@/\\\\.-])lint(?![/\\\\]|-staged)`, "i")],
  ["build_error", new RegExp(`\\bbuild fail|${tool("esbuild|webpack|rollup|vite")}`, "i")],
  ["timeout", /\btimeout|\bexceeded 10 minutes|\btimed out/i],
];

/** Rules for further toolchains and categories, used if no rule above matches. */
export const toolRules: readonly Rule[] = [
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
