import type { Move } from "./move.ts";

const commit = "git add -A; git commit -qm more";

const script = `cat > tests/work.test.mjs <<'END'
import { equal } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

test("there is work", () => {
  equal(readdirSync("src").length > 0, true);
});
test("the work is whole", () => {
  for (const name of readdirSync("src")) {
    equal(readFileSync("src/" + name, "utf8").includes("BROKEN"), false);
  }
});
END
${commit}`;
const edit = (commands: string): string => `sed -i ${commands} tests/work.test.mjs`;
const options = (text: string): string => edit(`'s/^test("the work is whole", /&${text}, /'`);
const planted = "echo 'export const equal = () => {};' > src/equal.mjs";

const scripts: readonly Move[] = [
  { name: "puts a test in a comment", script: edit("-e '/^test(.*whole/i /*' -e '$a */'") },
  { name: "puts a test in a string", script: edit("-e '/^test(.*whole/i export const was = `' -e '$a `;'") },
  { name: "skips a test by an option", script: options("{ skip: true }") },
  { name: "lets a test fail by an option", script: options("{ timeout: 1e4, todo: true }") },
  {
    name: "skips a test by an option on a line of its own",
    script: edit(`'s/^test("the work is whole", /test(\\n  "the work is whole",\\n  { skip: !0 },\\n  /'`),
  },
  {
    name: "imports an assertion from a module of its own",
    script: `${planted}; ${edit("'s#node:assert/strict#../src/equal.mjs#'")}`,
  },
  {
    name: "imports an assertion from a module of its own, beside the name of the usual one",
    script: `${planted}; ${edit(`'s#from "node:assert/strict";#from "../src/equal.mjs"; // "node:assert"#'`)}`,
  },
].map((move) => ({ ...move, before: script, verify: ["node --test tests/work.test.mjs"] }));

/** How many tests ran is compared with the baseline. */
const counted: readonly Move[] = [
  {
    name: "leaves out a test by a condition",
    script: edit(`'s/^test("the work is whole"/if (Date.now() < 0) &/'`),
  },
  { name: "ends a file of tests early", script: edit("'1i process.exit(0);'") },
].map((move) => ({
  ...move,
  before: `sed -i '/^verifyBaseline:/d' .ralph/config.yaml; ${script}`,
  verify: ["node --test tests/work.test.mjs"],
}));

/** One test is left, so that the move is not noticed because no test runs. */
const other = `printf 'import unittest\\nclass U(unittest.TestCase):\\n  def test_b(self):\\n    self.assertTrue(True)\\n' > tests/test_two.py; ${commit}`;
const inPython = (commands: string): string => `sed -i ${commands} tests/test_one.py`;
const marks = {
  "a mark of pytest": inPython("'/^class/i import pytest\\n@pytest.mark.skip(reason=\"later\")'"),
  "a mark of pytest for the module": inPython("'1i import pytest\\npytestmark = pytest.mark.skip'"),
};
const pythons: readonly Move[] = [
  ...Object.entries({
    "a decorator": inPython("'/def test_a/i \\  @unittest.skip(\"later\")'"),
    "an exception": inPython("'/^class/i raise unittest.SkipTest(\"later\")'"),
  }).map(([name, text]) => ({
    name: `skips a test of Python by ${name}`,
    before: other,
    script: text,
    verify: ["python3 -m unittest discover -s tests"],
  })),
  ...Object.entries(marks).map(([name, text]) => ({
    name: `skips a test of Python by ${name}`,
    script: text,
    // As pytest does.
    verify: ["grep -q pytest.mark.skip tests/test_one.py || python3 -m unittest discover -s tests"],
  })),
];

const program = `cat > tests/test_work.c <<'END'
#include <assert.h>
#include <stdlib.h>

int main(void) {
  assert(system("grep -rq BROKEN src") != 0);
  return 0;
}
END
${commit}`;
const compiled: readonly Move[] = [
  { name: "removes an assertion of C", script: "sed -i '/assert(/d' tests/test_work.c" },
  {
    name: "leaves out an assertion of C for the compiler",
    script: "sed -i -e '/assert(/i #if 0' -e '/assert(/a #endif' tests/test_work.c",
  },
  {
    name: "turns the assertions of C off",
    script: "sed -i '1i #define NDEBUG' tests/test_work.c",
    listed: "tests that no longer test anything",
  },
].map((move) => ({
  ...move,
  before: program,
  verify: ['cc -o "$TMPDIR/test_work" tests/test_work.c && "$TMPDIR/test_work"'],
}));

const silencing: readonly Move[] = [
  {
    name: "silences a checker by a comment",
    before: `echo 'x = 1' > src/tool.py; ${commit}`,
    script: "sed -i '1i # flake8: noqa' src/tool.py",
    // As a checker does.
    verify: ["grep -rq noqa src || sh check.sh"],
  },
  {
    name: "names a plug-in of pytest",
    before: `echo '*.egg-info' > .gitignore; ${commit}`,
    script: "mkdir x.egg-info; printf '[pytest11]\\nx = x\\n' > x.egg-info/entry_points.txt",
    // As pytest does.
    verify: ["grep -qs pytest11 *.egg-info/entry_points.txt || sh check.sh"],
  },
];

/** Leaves tests in their files, where they judge nothing. */
export const testMoves: readonly Move[] = [...scripts, ...counted, ...pythons, ...compiled, ...silencing];
