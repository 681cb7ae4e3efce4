import { type Syntax, syntaxes } from "./code-text.ts";

/** How the tests of a language are recognized, line by line. */
export interface TestLanguage {
  /** The file's name. */
  readonly files: RegExp;
  readonly test: RegExp;
  readonly assertion: RegExp;
  /** Names that are assertions only in a file that imports such a module, unless they come from another one. */
  readonly imported?: { readonly module: RegExp; readonly by: RegExp; readonly assertion: RegExp };
  readonly syntax: Syntax;
}

const managed: TestLanguage = {
  files: /\.(?:java|kts?|cs|swift|scala)$/,
  test: /@(?:Test|ParameterizedTest|RepeatedTest)\b|\[(?:Fact|Theory|Test|TestMethod|TestCase)\b|\bfunc(?:tion)?\s+test\w*\s*\(|^\s*(?:it|test)\s*\(/g,
  assertion:
    /\b(?:XCT)?[aA]ssert\w*\s*[.(]|\b(?:verify|expect)\s*\(|\.Should\s*\(|\b[sS]hould(?:Be|Not|Have|Throw|Equal|Contain)\w*/g,
  syntax: syntaxes.managed,
};

const languages: readonly TestLanguage[] = [
  {
    files: /\.[cm]?[jt]sx?$/,
    test: /(?:^|[^.\w])(?:it|test|specify)(?:\.(?:each|concurrent|only|fails|sequential))*\s*[(`]/g,
    assertion:
      /(?:^|[^\w$])(?:expect|assert\w*|should)\s*[.(<]|\bt\.(?:is|not|same|equals?|notEqual|deepEqual|notDeepEqual|true|false|truthy|falsy|ok|notOk|throws|notThrows|rejects|like|match|regex|snapshot)\s*\(/g,
    imported: {
      module: /^(?:(?:node:)?assert(?:\/strict)?|chai|power-assert|uvu\/assert)$/,
      by: /\b(?:from|import|require)\s{0,9}\(?\s{0,9}["'](?:(?:node:)?assert(?:\/strict)?|chai|power-assert|uvu\/assert)["']/,
      assertion:
        /(?:^|[^.\w$])(?:(?:not|deep|notDeep|loose|strict|notStrict|deepStrict|notDeepStrict|partialDeepStrict)?[eE]qual|throws|doesNotThrow|rejects|doesNotReject|match|doesNotMatch|ok|notOk|fail|ifError|is|not|isTrue|isFalse|isNull|include)\s*\(/g,
    },
    syntax: syntaxes.script,
  },
  {
    files: /\.py$/,
    test: /^\s*(?:async\s+)?def\s+test\w*\s*\(/g,
    assertion: /(?:^|\W)assert(?:\b|\w+\s*\()|\bpytest\.raises\b/g,
    syntax: syntaxes.python,
  },
  {
    files: /\.rs$/,
    test: /^\s*#\[(?:\w+::)*(?:test|rstest|test_case)\b/g,
    assertion: /\b(?:debug_)?assert\w*!|\bpanic!/g,
    syntax: syntaxes.nested,
  },
  {
    files: /\.go$/,
    test: /^func\s+(?:Test|Benchmark|Fuzz|Example)\w*\s*\(|\bt\.Run\s*\(/g,
    assertion: /\bt\.(?:Error|Fatal|Fail)\w*\s*\(|\b(?:assert|require)\.\w+\s*\(|\bExpect\s*\(/g,
    syntax: syntaxes.go,
  },
  {
    files: /\.groovy$/,
    test: /^\s*(?:def|void)\s+(?:"[^"]*"|'[^']*'|test\w*)\s*\(|@(?:Test|ParameterizedTest)\b/g,
    // Spock asserts each comparison that is a line of its own.
    assertion:
      /\bassert\w*\b|\bthrown\s*\(|^(?!\s*(?:(?:if|while|for|return|def)\b|\w+\s*=[^=])).*\s[=!]=\s.*/g,
    syntax: syntaxes.groovy,
  },
  managed,
  { ...managed, files: /\.php$/, syntax: syntaxes.php },
  {
    files: /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|mm?|cu)$/,
    test: /\b(?:TEST|TEST_[FP]|TYPED_TEST|TYPED_TEST_P|START_TEST|(?:TEMPLATE_)?TEST_CASE\w*|SCENARIO\w*|SECTION|SUBCASE|BOOST_\w+_TEST_CASE)\s*\(|^\s*(?:static\s+)?(?:void|int|bool)\s+test\w*\s*\([^;]*$|^\s*(?:static\s+)?(?:void|int|bool)\s+test\w*\s*\(.*\}/g,
    assertion:
      /\b(?:static_|ck_|g_|cr_|mu_|XCT)?[aA]ssert\w*\s*\(|\b(?:TEST_|CU_)?ASSERT\w*\s*\(|\bEXPECT_\w+\s*\(|\b(?:STATIC_)?(?:REQUIRE|CHECK)\w*\s*\(|\bBOOST_(?:TEST|CHECK|REQUIRE)(?:_(?!DONT)[A-Z]+)*\s*\(|\bQ(?:COMPARE|VERIFY)\w*\s*\(/g,
    syntax: syntaxes.c,
  },
  {
    files: /\.dart$/,
    test: /(?:^|[^.\w])test(?:Widgets)?\s*\(/g,
    assertion: /(?:^|[^.\w])(?:expect|assert|verify)\w*\s*\(/g,
    syntax: syntaxes.groovy,
  },
  {
    files: /\.lua$/,
    test: /^\s*(?:it|test)\s*\(|^\s*(?:local\s+)?function\s+(?:\w+[.:])?test\w*\s*\(/g,
    assertion: /\bassert\w*\s*[.(:]|\bexpect\s*\(/g,
    syntax: syntaxes.lua,
  },
  {
    files: /\.(?:t|pl|pm)$/,
    test: /^\s*subtest\b/g,
    assertion:
      /(?:^|[;{(\s])(?:ok|is|isnt|like|unlike|is_deeply|cmp_ok|isa_ok|can_ok|throws_ok|dies_ok|lives_ok)(?:\s*\(|\s+["'$@%&\\!])|^\s*ok\s+\w/g,
    syntax: syntaxes.perl,
  },
  {
    files: /\.(?:rb|exs)$/,
    test: /^\s*(?:it|test|specify|scenario)\b|^\s*def\s+test_\w+/g,
    assertion: /\b(?:assert|refute|expect(?!ed|ation))\w*\b|\.should\b|\.(?:must|wont)_\w+/g,
    syntax: syntaxes.ruby,
  },
  {
    files: /\.(?:sh|bats)$/,
    test: /^\s*@test\b|^\s*(?:function\s+)?test_\w+\s*\(\)/g,
    assertion: /\bassert\w*\b|(?:^|\s)\[\[?\s|(?:^|\s)test\s+-/g,
    syntax: syntaxes.shell,
  },
];

/** Returns how tests are recognized in a file of this name; undefined for an unknown language. */
export function languageOf(path: string): TestLanguage | undefined {
  return languages.find(({ files }) => files.test(path));
}
