import { expect, test } from "vitest";
import { countTests, describeFewer, helpersIn } from "./count-tests.ts";

interface Lines {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

function fewerTests(path: string, { removed, added }: Lines): string | undefined {
  const [before, now] = [countTests(path, removed), countTests(path, added)];
  return describeFewer({
    tests: before.tests - now.tests,
    assertions: before.assertions - now.assertions,
  });
}

test.each([
  [
    "a.test.ts",
    ['  it("adds", () => {', "    expect(1).toBe(1);", "    expect(2).toBe(2);"],
    "1 test and 2 assertions fewer",
  ],
  ["a.spec.js", ["test.each([1])('x', () => {", "  assert.equal(1, 1);"], "1 test and 1 assertion fewer"],
  [
    "test_a.py",
    ["def test_a():", "    assert x == 1", "async def test_b():"],
    "2 tests and 1 assertion fewer",
  ],
  ["test_a.py", ["        self.assertEqual(1, 1)"], "1 assertion fewer"],
  [
    "src/lib.rs",
    ["    #[test]", "    fn adds() {", "        assert_eq!(1, 1);"],
    "1 test and 1 assertion fewer",
  ],
  ["a_test.go", ["func TestA(t *testing.T) {", '\tt.Fatalf("x")'], "1 test and 1 assertion fewer"],
  ["CartTest.java", ["    @Test", "    assertEquals(1, 1);"], "1 test and 1 assertion fewer"],
  ["cart_spec.rb", ["  it 'adds' do", "    expect(1).to eq 1"], "1 test and 1 assertion fewer"],
])("LOOP-18: tests and assertions that %s lost", (path, removed, expected) => {
  expect(fewerTests(path, { removed, added: [] })).toBe(expected);
  expect(fewerTests(path, { removed, added: removed })).toBeUndefined();
  expect(fewerTests(path, { removed: [], added: removed })).toBeUndefined();
  const commentedOut = removed.map((line) => `${/\.(?:py|rb)$/.test(path) ? "#" : "//"} ${line}`);
  expect(fewerTests(path, { removed, added: commentedOut })).toBe(expected);
});

test.each([
  ["a.test.ts", ["const exit = submit(1);", "items.test(1)", "const expected = 1;"]],
  ["notes.md", ["expect(1)"]],
  ["a.test.js", ['import assert from "node:assert";', "import {", "  expect,", '} from "vitest";']],
  ["a.test.cjs", ['const assert = require("node:assert").strict;', 'const { expect } = require("chai");']],
  ["ATest.java", ["import static org.junit.Assert.*;", "import org.assertj.core.api.Assertions;"]],
  ["a_spec.rb", ['require "minitest/assertions"']],
  ["a.bats", ["load assertions", ". ./assert.sh"]],
])("LOOP-18: other lines of %s", (path, removed) => {
  expect(fewerTests(path, { removed, added: [] })).toBeUndefined();
});

test.each([
  [
    "a.js",
    [
      "export const check = (xs, n) => {",
      "  assert.equal(total(xs), n);",
      "};",
      "const other = () => {",
      "};",
    ],
  ],
  ["a.js", ["async function check(xs) { assert.ok(xs); }", "function other() { return 1; }"]],
  ["a.py", ["def check(xs):", "    y = xs", "", "    assert y", "def other(x):", "    return x"]],
  ["a_test.go", ["func check(t *testing.T, n int) {", '\tt.Fatalf("x")', "}", "func other() {", "}"]],
])("LOOP-18: functions of %s that assert", (path, lines) => {
  const helpers = helpersIn(path, lines);
  expect(helpers).toEqual(["check"]);
  const calls = ["  check(1); check(2)", "  other(3)", "  x.check(4)"];
  expect(countTests(path, calls, new Set(helpers)).assertions).toBe(2);
  expect(countTests(path, lines, new Set(helpers)).assertions).toBe(1);
});
