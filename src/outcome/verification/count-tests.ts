interface Counted {
  /** The file's name or folder. */
  readonly files: RegExp;
  readonly test: RegExp;
  readonly assertion: RegExp;
  /** Lines that only name what other lines call. */
  readonly imports?: RegExp;
}

/** Longer lines are generated. */
const maxLineChars = 2000;

/** By language: what begins a test and what asserts. The first entry whose `files` match counts. */
const languages: readonly Counted[] = [
  {
    files: /\.[cm]?[jt]sx?$/,
    test: /(?:^|[^.\w])(?:it|test|specify)(?:\.(?:each|concurrent|only|fails|sequential))*\s*[(`]/g,
    assertion:
      /(?:^|[^\w])(?:(?:expect|assert|should)\b[.(<]|t\.(?:is|deepEqual|true|false|throws|ok|equal|like)\b)/g,
  },
  {
    files: /\.py$/,
    test: /^\s*(?:async\s+)?def\s+test\w*\s*\(/g,
    assertion: /(?:^|\s)assert\b|\bself\.assert\w+\s*\(|\bpytest\.raises\b/g,
  },
  {
    files: /\.rs$/,
    test: /^\s*#\[(?:\w+::)*(?:test|rstest|test_case)\b/g,
    assertion: /\b(?:debug_)?assert\w*!|\bpanic!/g,
  },
  {
    files: /\.go$/,
    test: /^func\s+(?:Test|Benchmark|Fuzz|Example)\w*\s*\(|\bt\.Run\s*\(/g,
    assertion: /\bt\.(?:Error|Fatal|Fail)\w*\s*\(|\b(?:assert|require)\.\w+\s*\(/g,
  },
  {
    files: /\.(?:java|kt|cs|swift|php|scala)$/,
    test: /@(?:Test|ParameterizedTest)\b|\[(?:Fact|Theory|Test|TestMethod)\b|\bfunc(?:tion)?\s+test\w*\s*\(/g,
    assertion: /\b(?:XCT)?[aA]ssert\w*\s*[.(]|\bverify\s*\(/g,
    imports: /^\s*(?:import|using|use)\b/,
  },
  {
    files: /\.(?:rb|exs)$/,
    test: /^\s*(?:it|test|specify|scenario)\b|^\s*def\s+test_\w+/g,
    assertion: /\b(?:assert|refute|expect)\w*\b|\.should\b/g,
    imports: /^\s*(?:require|import)\w*\b/,
  },
  {
    files: /\.(?:sh|bats)$/,
    test: /^\s*@test\b|^\s*(?:function\s+)?test_\w+\s*\(\)/g,
    assertion: /\bassert\w*\b|(?:^|\s)\[\[?\s|(?:^|\s)test\s+-/g,
    imports: /^\s*(?:\.|source|load)\s/,
  },
];

/** The numbers of tests and assertions. */
export interface TestCounts {
  readonly tests: number;
  readonly assertions: number;
}

/** Names of functions that assert: a call of one counts as an assertion. */
type Helpers = ReadonlySet<string>;

const noHelpers: Helpers = new Set();

/** Returns the number of tests and assertions in a line of the file; undefined if the language is not known. */
export function countsIn(
  path: string,
  helpers: Helpers = noHelpers,
): ((line: string) => TestCounts) | undefined {
  const language = languages.find(({ files }) => files.test(path));
  if (!language) return undefined;
  const { test, assertion, imports } = language;
  return (line) => {
    // A commented-out test does not run.
    const isText = line.length > maxLineChars || /^\s*(?:\/\/|#(?!\[)|\*|\/\*)/.test(line);
    if (isText || imports?.test(line)) return { tests: 0, assertions: 0 };
    const assertions = line.match(assertion)?.length ?? 0;
    return { tests: line.match(test)?.length ?? 0, assertions: assertions + callsIn(line, helpers) };
  };
}

/** Returns the sums over the lines; nothing where the language is not known. */
export function countTests(path: string, lines: readonly string[], helpers?: Helpers): TestCounts {
  const count = countsIn(path, helpers);
  const sum = { tests: 0, assertions: 0 };
  for (const { tests, assertions } of count ? lines.map(count) : []) {
    sum.tests += tests;
    sum.assertions += assertions;
  }
  return sum;
}

/** Returns what became fewer, as a clause (`2 tests and 5 assertions fewer`); undefined if neither did. */
export function describeFewer({ tests, assertions }: TestCounts): string | undefined {
  const fewer = [describe(tests, "test"), describe(assertions, "assertion")].filter((part) => part !== "");
  return fewer.length === 0 ? undefined : `${fewer.join(" and ")} fewer`;
}

/** Returns what two files have in common whose tests are counted alike; undefined if the tests of this one cannot be counted. */
export function languageOf(path: string): object | undefined {
  return languages.find(({ files }) => files.test(path));
}

const definition =
  /(?:\b(?:function\*?|def|func|fun|fn)\s+(\w+)\s*[(<]|\b(?:const|let|var)\s+(\w+)\s*=\s*(?:async\b\s*)?(?:function\b|\(|\w+\s*=>)|^\s*(\w+)\s*\(\)\s*\{)/;
/** Lines of a function that are searched for an assertion. */
const maxBodyLines = 40;
const maxHelpers = 200;

/** Returns the names of the functions in a file that assert, besides tests. */
export function helpersIn(path: string, lines: readonly string[]): readonly string[] {
  const count = countsIn(path);
  if (!count) return [];
  const found: string[] = [];
  for (const [at, line] of lines.entries()) {
    const [, ...names] = line.length > maxLineChars ? [] : (definition.exec(line) ?? []);
    const name = names.find(Boolean);
    if (name === undefined || /^test/i.test(name) || found.length >= maxHelpers) continue;
    const asserts = (one: string): boolean => count(one).assertions > 0;
    if (asserts(line) || bodyAfter(lines, at).some(asserts)) found.push(name);
  }
  return found;
}

/** Returns the lines that are indented more than this one. */
function bodyAfter(lines: readonly string[], at: number): readonly string[] {
  const indent = (line = ""): number => line.search(/\S/);
  const own = indent(lines[at]);
  const after = lines.slice(at + 1, at + 1 + maxBodyLines);
  const end = after.findIndex((line) => indent(line) >= 0 && indent(line) <= own);
  return end < 0 ? after : after.slice(0, end);
}

function callsIn(line: string, helpers: Helpers): number {
  if (helpers.size === 0) return 0;
  const calls = line.matchAll(
    /(?<!\b(?:function\*?|def|func|fun|fn)\s+|[\w$.])(?:(?:this|self)\.)?(\w+)\s*\(/g,
  );
  return [...calls].filter(([, name = ""]) => helpers.has(name)).length;
}

function describe(lost: number, what: string): string {
  if (lost <= 0) return "";
  return lost === 1 ? `1 ${what}` : `${lost} ${what}s`;
}
