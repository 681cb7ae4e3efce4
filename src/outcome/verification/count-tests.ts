interface Counted {
  /** The file's name or folder. */
  readonly files: RegExp;
  readonly test: RegExp;
  readonly assertion: RegExp;
}

/** Longer lines are generated. */
const maxLineChars = 2000;

/** By language: what begins a test and what asserts. The first entry whose `files` match counts. */
const languages: readonly Counted[] = [
  {
    files: /\.[cm]?[jt]sx?$/,
    test: /(?:^|[^.\w])(?:it|test|specify)(?:\.(?:each|concurrent|only|fails|sequential))*\s*[(`]/g,
    assertion:
      /(?:^|[^\w])(?:expect|assert|should|t\.(?:is|deepEqual|true|false|throws|ok|equal|like))\b[.(]?/g,
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
  },
  {
    files: /\.(?:rb|exs)$/,
    test: /^\s*(?:it|test|specify|scenario)\b|^\s*def\s+test_\w+/g,
    assertion: /\b(?:assert|refute|expect)\w*\b|\.should\b/g,
  },
  {
    files: /\.(?:sh|bats)$/,
    test: /^\s*@test\b|^\s*(?:function\s+)?test_\w+\s*\(\)/g,
    assertion: /\bassert\w*\b|(?:^|\s)\[\[?\s|(?:^|\s)test\s+-/g,
  },
];

/**
 * Compares the tests and assertions of a file by the lines that a diff removes and adds. Returns what became fewer, as a
 * clause (`2 tests and 5 assertions fewer`); undefined if neither did, or the language is not known.
 */
export function fewerTests(
  path: string,
  { added, removed }: { readonly added: readonly string[]; readonly removed: readonly string[] },
): string | undefined {
  const language = languages.find(({ files }) => files.test(path));
  if (!language) return undefined;
  const lost = (pattern: RegExp): number => countOf(removed, pattern) - countOf(added, pattern);
  const parts = [describe(lost(language.test), "test"), describe(lost(language.assertion), "assertion")];
  const fewer = parts.filter((part) => part !== "");
  return fewer.length === 0 ? undefined : `${fewer.join(" and ")} fewer`;
}

/** Returns true if the tests of such a file can be counted. */
export function countsTestsOf(path: string): boolean {
  return languages.some(({ files }) => files.test(path));
}

function describe(lost: number, what: string): string {
  if (lost <= 0) return "";
  return lost === 1 ? `1 ${what}` : `${lost} ${what}s`;
}

function countOf(lines: readonly string[], pattern: RegExp): number {
  let total = 0;
  for (const line of lines) {
    // A commented-out test does not run.
    if (line.length > maxLineChars || /^\s*(?:\/\/|#(?!\[)|\*|\/\*)/.test(line)) continue;
    total += line.match(pattern)?.length ?? 0;
  }
  return total;
}
