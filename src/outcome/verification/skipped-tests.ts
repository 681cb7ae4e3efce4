import { codeOf, syntaxes } from "./code-text.ts";
import type { FileDiff } from "./parse-diff.ts";

const common =
  /\b(?:it|test|describe|suite|context|specify|t)(?:\.(?:concurrent|each|sequential))?\.(?:skip|only|todo|skipIf|fails|failing|fixme)\b|\b(?:xit|xtest|xdescribe|fit|fdescribe)\(|\bskip["']?\s*:\s*true\b/;

interface Skips {
  readonly files: RegExp;
  readonly skips: RegExp;
}

/** By language: what leaves out a test, besides `common`. Each pattern needs time that grows with the line. */
const languages: readonly Skips[] = [
  {
    files: /\.[cm]?[jt]sx?$/,
    skips: /\bx(?:context|specify)\(|\bf(?:context|test)\(|\b(?:this|ctx)\.skip\(|\.runIf\(\s*false\b/,
  },
  {
    files: /\.py$/,
    skips:
      /\bpytest\.mark\.(?:skip|skipif|xfail)\b|\bpytest\.(?:skip|xfail)\(|@unittest\.(?:skip|expectedFailure)|^\s*@(?:skip|skipIf|skipUnless|expectedFailure)\b|\.skipTest\(|\bSkipTest\b|\b__test__\s*=\s*False\b|^\s*(?:def\s+)?load_tests\s*[(=]/,
  },
  {
    files: /\.rs$/,
    skips:
      /^\s*#\[ignore\b|^\s*#\[cfg_attr\(.*\bignore\b|^\s*#\[cfg\((?:any\(\)|false|FALSE)|^\s*#!\[cfg\((?!test\))/,
  },
  { files: /\.go$/, skips: /\b[tbf]\.Skip(?:f|Now)?\(|^\s*[FPX](?:It|Describe|Context)\(/ },
  {
    files: /\.(?:java|kts?|groovy)$/,
    skips:
      /@(?:Disabled\w*|Ignore(?:d|If|Rest)?|PendingFeature)\b|@Test\b.{0,200}\benabled\s*=\s*false\b|\bassume\w*\(\s*false\b/,
  },
  {
    files: /\.cs$/,
    skips:
      /[[,]\s*(?:Ignore|Explicit)\s*[\](,]|^\s*\[.*\b(?:Skip|Ignore|Explicit)\s*=|^\s*Skip\s*=\s*[@$]{0,2}"|\bAssert\.(?:Ignore|Inconclusive)\(|\bSkip\.If/,
  },
  {
    files: /\.scala$/,
    skips: /\bignore(?:\s*\(|\s+(?:should|in)\b)|\bin\s+pending\b|\.(?:ignore|pending)\b/,
  },
  { files: /\.swift$/, skips: /\bXCTSkip|@(?:Test|Suite)\(.{0,200}\.disabled\b/ },
  { files: /\.php$/, skips: /\bmarkTest(?:Skipped|Incomplete)\b|\)->(?:skip\((?![\d$])|todo\(|only\(\))/ },
  {
    files: /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|mm?|cu)$/,
    skips:
      /\bGTEST_SKIP\b|\bDISABLED_\w|\bTEST_IGNORE|^(?=\s*(?:TEMPLATE_)?(?:TEST_CASE|SCENARIO)).*\[(?:\.\w*|!(?:hide|mayfail|shouldfail))\]|\bdoctest::(?:skip|may_fail|should_fail)\b|\bSKIP\(|\bQSKIP\(|^\s*#\s*if\s+0\b/,
  },
  {
    files: /\.dart$/,
    skips: /\bskip\s*:\s*(?!\s|false\b|null\b|\d)\S|@Skip\b|\bsolo\s*:\s*true\b/,
  },
  { files: /\.lua$/, skips: /^\s*(?:pending|xit|xdescribe)\b\s*[("'[]/ },
  {
    files: /\.(?:t|pl|pm)$/,
    skips: /\bskip_all\b|^\s*(?:SKIP|TODO)\s*:|\blocal\s+\$TODO\b|^\s*(?:todo_)?skip[\s(]/,
  },
  {
    files: /\.rb$/,
    skips:
      /^\s*(?:skip|pending)\b(?!\s*[=.])|^\s*[xf](?:it|describe|context|specify|example|scenario)\b|,\s*:(?:skip|pending|focus)\b|\b(?:skip|pending|focus):\s*(?:true|["'])/,
  },
  { files: /\.exs$/, skips: /@(?:module|describe)?tag\s+:?skip\b/ },
  { files: /\.(?:sh|bats)$/, skips: /^\s*skip(?:\s|$)/ },
];

const callOfTest = /\b(?:it|test|describe|suite|specify)\s*\(/;
/** Options are only those of a test beside its call: data may have the same names. */
const option = /[{,]\s*["']?(?:skip|todo|only)["']?\s*:\s*(?:true\b|!0|["'`])/;
/** The function by which a test skips itself, taken from its context. */
const ownSkip = /\(\s{0,9}\{[^{}]{0,100}\bskip\b[^{}]{0,100}\}\s{0,9}\)\s{0,9}=>/;
/** As `option`, over several lines: options are the first or the second argument. */
const optionsOfTest =
  /\b(?:it|test|describe|suite|specify)\(\s{0,40}(?:(?:"[^"\n]{0,300}"|'[^'\n]{0,300}'|[\w$.]{1,100}|`[^`]{0,300}`)\s{0,9},\s{0,40})?\{[^{}]{0,300}?["']?\b(?:skip|todo|only)["']?\s{0,9}:\s{0,9}(?:true\b|!0|[1-9"'`])/g;
const isScript = /\.[cm]?[jt]sx?$/;

/** Returns true if a change leaves out a test that ran before. A test that is left out already may be moved. */
export function skipsMore(
  path: string,
  { added, removed, before, after }: Pick<FileDiff, "added" | "removed" | "before" | "after">,
): boolean {
  if (isScript.test(path) && optionsIn(after) > optionsIn(before)) return true;
  if (leavesOut(path, before, after)) return true;
  const isSkip = skipsOf(path);
  const found = added.filter(isSkip);
  if (found.length === 0) return false;
  const gone = new Set(removed.filter(isSkip).map((line) => line.trim()));
  if (found.some((line) => !gone.has(line.trim()))) return true;
  return hasMore(skippedIn(after, isSkip), skippedIn(before, isSkip));
}

/** Returns true for a file or a class that the runner no longer takes for tests, though its tests are still there. */
function leavesOut(path: string, before: readonly string[], after: readonly string[]): boolean {
  if (before.length === 0) return false;
  const isMore = (pattern: RegExp, one: readonly string[], other: readonly string[]): boolean =>
    one.filter((line) => pattern.test(line)).length > other.filter((line) => pattern.test(line)).length;
  if (/\.py$/.test(path)) return isMore(suite, before, after) && !isMore(/^\s*class\s/, before, after);
  if (!/_test\.go$/.test(path)) return false;
  const runsNone =
    isMore(/^func\s+TestMain\s*\(/, after, before) && !after.some((line) => /\.Run\(\)/.test(line));
  return runsNone || isMore(/^\/\/(?:go:build| ?\+build)\s/, after, before);
}

/** Classes that unittest or pytest looks into. */
const suite = /^\s*class\s+(?:Test\w*|\w+\s*\([^()]*TestCase\b)/;

function optionsIn(lines: readonly string[]): number {
  const text = lines.join("\n");
  return (codeOf(text, syntaxes.script) ?? text).match(optionsOfTest)?.length ?? 0;
}

function skipsOf(path: string): (line: string) => boolean {
  const own = languages.filter(({ files }) => files.test(path)).map(({ skips }) => skips);
  const patterns = [common, ...own];
  return (line) =>
    !/^\s*(?:\/\/|#\s(?!\s*if\s+0)|\*)/.test(line) &&
    (patterns.some((one) => one.test(line)) ||
      (isScript.test(path) && callOfTest.test(line) && (option.test(line) || ownSkip.test(line))));
}

/** Returns how often each test is left out. Its neighbours name it: a decorator is equal for all tests. */
function skippedIn(lines: readonly string[], isSkip: (line: string) => boolean): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const texts = lines.map((line) => line.trim()).filter((line) => line !== "");
  for (const [n, text] of texts.entries()) {
    if (!isSkip(text)) continue;
    const isOfNext = /^[@#[]/.test(text);
    const names = callOfTest.test(text.replace(".skip(", "(")) ? "" : texts[isOfNext ? n + 1 : n - 1];
    const key = `${text}\n${names ?? ""}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function hasMore(now: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>): boolean {
  return [...now].some(([key, count]) => count > (before.get(key) ?? 0));
}
