/** How the tests of a language are found, line by line. Each pattern needs time that grows with the line. */
export interface TestLanguage {
  /** The file's name. */
  readonly files: RegExp;
  /** The first line of a test; its groups are the name. */
  readonly test: RegExp;
  /** Where a test has no name of its own: what has to stand on its line or up to three lines before it. */
  readonly mark?: RegExp;
  /**
   * Leaves out the test on its line, the one that follows (for a line that begins with `@`, `#` or `[`), or the one around it. What
   * depends on a condition is none: how many tests ran says what it left out here.
   */
  readonly skip: RegExp;
}

const quoted = "(?:\"((?:[^\"\\\\]|\\\\.)*)\"|'((?:[^'\\\\]|\\\\.)*)'|`((?:[^`\\\\]|\\\\.)*)`)";

/** Leaves out all tests but the marked ones, in any language. */
export const leavesOutOthers: RegExp =
  /\b(?:it|test|describe|suite|context|specify)(?:\.(?:concurrent|sequential))?\.only\b|\bf(?:it|describe|test|context)\s*\(|^\s*f(?:it|describe|context)\s+["']|[{,]\s*only\s*:\s*true\b|\)->only\(\)|,\s*:focus\b|\bsolo\s*:\s*true\b|@IgnoreRest\b|\bcollect_ignore(?:_glob)?\b|\bdef\s+pytest_(?:ignore_collect|collection_modifyitems)\b|\b__test__\s*=\s*False\b|^\/\/go:build\s+(?:ignore|never)\b/;

/** One such test is many: those that it replaces are not missing. */
export const table: RegExp =
  /\.(?:each|for)\b|\bparametrize\b|\bsubTest\b|\b(?:rstest|test_case)\b|\bt\.Run\(\s*\w+|@ParameterizedTest\b|\bwhere:|\b(?:Theory|InlineData|TEST_P)\b|DataProvider\b|@dataProvider\b|->with\(|\bGENERATE\(|\barguments:/;

export const testLanguages: readonly TestLanguage[] = [
  {
    files: /\.[cm]?[jt]sx?$/,
    test: new RegExp(
      `(?:^|[^.\\w])(?:x?it|x?test|specify|xspecify|fit|ftest|Deno\\.test)(?:\\.\\w+)*(?:\\([^()'"\`]*\\))?\\s*\\(\\s*${quoted}`,
    ),
    skip: /\b(?:it|test|describe|suite|context|specify|t)(?:\.(?:concurrent|each|sequential))?\.(?:skip|todo|fails|failing|fixme)\b|\bx(?:it|test|describe|context|specify)\s*\(|\bskip["']?\s*:\s*(?:true\b|["'`])|\b(?:this|ctx|t)\.skip\(/,
  },
  {
    files: /\.py$/,
    test: /^\s*(?:async\s+)?def\s+(test\w*)\s*\(/,
    skip: /\bpytest\.mark\.(?:skip|xfail)\b|\bskip(?:if|If)\(\s*True\b|\bpytest\.(?:skip|xfail)\(|@unittest\.(?:skip|expectedFailure)\b|^\s*@(?:skip|expectedFailure)\b|\.skipTest\(|\braise\s+(?:unittest\.)?SkipTest\b/,
  },
  {
    files: /\.rs$/,
    test: /^\s*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)\s*\(/,
    mark: /^\s*#\[(?:\w+::)*(?:test|rstest|test_case)\b/,
    skip: /^\s*#\[ignore\b|^\s*#!?\[cfg\((?:any\(\)|false)\)/,
  },
  {
    files: /_test\.go$/,
    test: /^func\s+((?:Test|Benchmark|Fuzz|Example)\w*)\s*\(|\bt\.Run\s*\(\s*"([^"]+)"/,
    skip: /\b[tbf]\.Skip(?:f|Now)?\(/,
  },
  {
    files: /\.(?:java|kts?|groovy|scala)$/,
    test: /\b(?:void|fun|def)\s+(?:<[^>]*>\s*)?(?:(\w+)|`([^`]+)`|"([^"]+)")\s*\(/,
    mark: /@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|Property)\b|\bdef\s+"/,
    skip: /@(?:Disabled\b|Ignore(?:d|If)?|PendingFeature)\b|@Test\b.*\benabled\s*=\s*false\b/,
  },
  {
    files: /\.cs$/,
    test: /\b(?:void|Task|ValueTask)\s+(\w+)\s*\(/,
    mark: /^\s*\[(?:.*,\s*)?(?:Fact|Theory|Test|TestMethod|TestCase)\b/,
    skip: /[[,]\s*(?:Ignore|Explicit)\s*[\](,]|^\s*\[.*\bSkip\s*=|\bAssert\.(?:Ignore|Inconclusive)\(/,
  },
  {
    files: /\.swift$/,
    test: /\bfunc\s+(test\w*)\s*\(/,
    skip: /\bXCTSkip\b|@(?:Test|Suite)\(.*\.disabled\b/,
  },
  {
    files: /\.php$/,
    test: /\bfunction\s+(test\w*)\s*\(|^\s*(?:it|test)\s*\(\s*['"]([^'"]+)/,
    skip: /\bmarkTest(?:Skipped|Incomplete)\b|\)->(?:skip|todo)\(/,
  },
  {
    files: /\.(?:rb|exs)$/,
    test: /^\s*(?:[xf]?it|x?test|x?specify|x?scenario|skip|pending)\s*\(?\s*(?:"([^"]+)"|'([^']+)')|^\s*def\s+(test_\w+)/,
    skip: /^\s*(?:skip|pending)\b(?!\s*[=.])|^\s*x(?:it|test|describe|context|specify|scenario)\b|,\s*:?(?:skip|pending)(?::\s*(?:true|["'])|\b)|@(?:module|describe)?tag\s+:?skip\b/,
  },
  {
    files: /\.(?:c|cc|cpp|cxx|mm?|cu)$/,
    test: /\b(?:TEST|TEST_[FP]|TYPED_TEST|START_TEST|TEST_CASE|SCENARIO|BOOST_\w*TEST_CASE)\s*\(\s*([^)]*)/,
    skip: /\bGTEST_SKIP\b|\bDISABLED_\w|\bTEST_IGNORE|\[\.\w*\]|\bSKIP\(|^\s*#\s*if\s+0\b/,
  },
  {
    files: /\.dart$/,
    test: new RegExp(`(?:^|[^.\\w])test(?:Widgets)?\\s*\\(\\s*${quoted}`),
    skip: /\bskip\s*:\s*(?:true\b|["'])|@Skip\b/,
  },
  {
    files: /\.(?:sh|bats)$/,
    test: /^\s*@test\s+(?:"([^"]+)"|'([^']+)')|^\s*(?:function\s+)?(test_\w+)\s*\(\)/,
    skip: /^\s*skip(?:\s|$)/,
  },
];

const testFile =
  /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\/|(?:^|\/)Tests?\/.*\.(?:swift|cs|fs|php|java|kt|c|cc|cpp)$|[._-](?:test|spec|unittest)\.\w+$|(?:^|\/)test_\w+\.(?:py|c|cc|cpp|cxx)$|Tests?\.(?:java|kt|cs|swift|cpp|cc|groovy|scala|php)$|Spec\.(?:groovy|scala|kt)$|\.(?:t|bats)$/;

/** Names that only a whole project's tests have; a script that verification runs may have them too. */
const plainNames =
  /(?:^|\/)(?:tests?|specs?)\.(?:[cm]?[jt]sx?|py|rs|rb|lua)$|(?:^|\/)test-[^/]+\.[cm]?[jt]s$|_tests\.(?:rs|py)$/;

/** Languages whose tests stand in the sources. */
const inlineTests = /\.rs$/;

/** Returns true for a file of tests, by its name or folder. */
export function isTestFile(path: string): boolean {
  return testFile.test(path);
}

/** Returns true for a file of tests, also by a name that a script of verification may have. */
export function mayBeTestFile(path: string): boolean {
  return testFile.test(path) || plainNames.test(path);
}

/** Returns true for a source file that may contain its own tests. */
export function hasInlineTests(path: string): boolean {
  return inlineTests.test(path);
}

/** Extensions, and the marks of tests and configuration in file names. */
const affixes =
  /^\.|(?:[._-](?:test|spec|config|conf|setup|rc)s?)?(?:\.\w+)+$|^tests?[_-]|[_-]tests?$|(?:Test|Spec)s?$/g;

/** Returns what a file of tests or configuration is named after, in lower case: `parse` of `src/parse.test.ts`. */
export function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.replace(affixes, "").replace(affixes, "").toLowerCase();
}
