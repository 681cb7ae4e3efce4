import { expect, test } from "vitest";
import { executedCommands, executedFiles } from "./executed-commands.ts";
import { shellCommands } from "./shell-text.ts";

const wordsOf = (text: string): readonly (readonly string[])[] =>
  shellCommands(text).map(({ words }) => words);

test.each([
  ['sh "ci scripts/check.sh" a', [["sh", "ci scripts/check.sh", "a"]]],
  ["sh 'ci scripts/check.sh'", [["sh", "ci scripts/check.sh"]]],
  ["sh ci\\ scripts/check.sh", [["sh", "ci scripts/check.sh"]]],
  ["sh ci' 'scripts/\"a b\".sh", [["sh", "ci scripts/a b.sh"]]],
  ['sh "a\\"b\\c.sh"', [["sh", 'a"b\\c.sh']]],
  ["a && b; (c | d) & { e; }", [["a"], ["b"], ["c"], ["d"], ["e"]]],
  [
    'sh "$(dirname "$0")/x y.sh"',
    [
      ["dirname", "$0"],
      ["sh", "$_/x y.sh"],
    ],
  ],
  [
    'sh "`dirname x`/y.sh"',
    [
      ["dirname", "x"],
      ["sh", "$_/y.sh"],
    ],
  ],
  ["a # it's no quote\nb", [["a"], ["b"]]],
  ["x:\n\t@-sh $$DIR/y.sh", [["x:"], ["sh", "$DIR/y.sh"]]],
  ["case $# in 1) a ;; esac", [["case", "$#", "in", "1"], ["a"], ["esac"]]],
  ['sh "open x.sh', [["sh", "open x.sh"]]],
])("LOOP-18: a shell text is split into words as a shell does: %s", (text, expected) => {
  expect(wordsOf(text)).toEqual(expected);
});

test.each([
  "cat <<EOF\nit's a text\nEOF\nsh x.sh\nrm -f a",
  'cat <<EOF\na " quote\nEOF\nsh x.sh\necho "b"',
  'CHECK="sh x.sh"\n$CHECK',
  "eval 'sh x.sh'",
  "bash -c 'true; sh \"x.sh\"'",
  "$(SHELL) ./x.sh",
])("LOOP-18: a script is found beside and between quotes: %s", (text) => {
  const files = executedCommands(text).flatMap(executedFiles);
  expect(files.map((file) => file.replace("./", ""))).toContain("x.sh");
});

test("LOOP-18: long and hostile shell texts are split in linear time", () => {
  const texts = [
    "a ".repeat(200_000),
    "x".repeat(1_000_000),
    ...[
      "$(",
      '"$(',
      "`",
      "'",
      '"',
      "\\",
      "(",
      '"a b" ',
      "'a;b' ",
      "$",
      "${a",
      "#",
      "\n-",
      "${",
      'a="b c" ',
    ].map((part) => part.repeat(1_000_000 / part.length)),
    `${"'\"".repeat(100_000)};${"a b;".repeat(100_000)}`,
  ];
  for (const text of texts) {
    const before = performance.now();
    executedCommands(text);
    expect(performance.now() - before, text.slice(0, 10)).toBeLessThan(2000);
  }
});
