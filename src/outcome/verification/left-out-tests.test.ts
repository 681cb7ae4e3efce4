import { expect, test } from "vitest";
import { warningsOfChange as warningsOf } from "../../../test/warnings-of-change.ts";
import { filesRunBy, isShownByDiff, verificationFileWarnings } from "../verification-files.ts";
import { leavesVerification } from "./manifests/package-keys.ts";

const skipped = ["tests are skipped in it"];

test.each([
  "test.mjs",
  "src/tests.ts",
  "spec.js",
  "test-cart.mjs",
  "app/tests.py",
  "src/cart_tests.rs",
  "src/tests.rs",
])("LOOP-18: %s is a file of tests, and still a script where a command names it", (path) => {
  const diff = `diff --git a/${path} b/${path}\ndeleted file mode 100644\n--- a/${path}\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n`;
  expect(verificationFileWarnings([path], { diff })).toEqual([`${path} was deleted: it contained tests`]);
  expect(isShownByDiff(path)).toBe(true);
  expect(filesRunBy([`run ${path}`], [path])).toEqual([path]);
});

const javaScript = ['test("a", ({ x }) => {', "  expect(x).toBe(1);", "});"];
const unit = ["class Cart(unittest.TestCase):", "    def test_a(self):", "        self.assertTrue(x)"];
const go = ["package cart", "func TestA(t *testing.T) {", '  t.Error("x")', "}"];
const rust = ["#[test]", "fn a() {", "    assert!(true);", "}"];

test.each<readonly [string, readonly string[], readonly string[]]>([
  ["a.test.ts", javaScript, ['test("a", ({ x, skip }) => {', "  skip();", ...javaScript.slice(1)]],
  ["a.test.ts", javaScript, [...javaScript.slice(0, 1), "  ctx.skip();", ...javaScript.slice(1)]],
  ["test_a.py", unit, ["class Cart(object):", ...unit.slice(1)]],
  ["test_a.py", ["class TestCart:", ...unit.slice(1)], ["class Cart:", ...unit.slice(1)]],
  ["test_a.py", unit, [...unit, "def load_tests(loader, tests, pattern):", "    return loader.suiteClass()"]],
  ["cart_test.go", go, ["//go:build never", "", ...go]],
  ["cart_test.go", go, [...go, "func TestMain(m *testing.M) {", "  os.Exit(0)", "}"]],
  ["tests/cart.rs", rust, ['#![cfg(feature = "never")]', ...rust]],
])("LOOP-18: %s: what leaves tests out (%#)", (path, before, after) => {
  expect(warningsOf(path, before, after)).toEqual(skipped);
});

test.each<readonly [string, readonly string[], readonly string[]]>([
  ["test_a.py", unit, ["class TestCart:", ...unit.slice(1)]],
  ["a.test.ts", javaScript, [...javaScript, "list.filter(({ skip }) => skip);"]],
  ["cart_test.go", go, [...go, "func TestMain(m *testing.M) {", "  os.Exit(m.Run())", "}"]],
  ["tests/cart.rs", rust, ["#![cfg(test)]", ...rust]],
])("LOOP-18: %s: what leaves none out (%#)", (path, before, after) => {
  expect(warningsOf(path, before, after)).toEqual([]);
});

test("LOOP-18: a deleted source of Rust had tests", () => {
  const gone = (lines: readonly string[]): string =>
    `diff --git a/src/a.rs b/src/a.rs\ndeleted file mode 100644\n--- a/src/a.rs\n+++ /dev/null\n@@ -1,${lines.length} +0,0 @@\n${lines.map((line) => `-${line}`).join("\n")}\n`;
  const warned = verificationFileWarnings(["src/a.rs"], { diff: gone(rust) });
  expect(warned).toEqual(["src/a.rs was deleted: 1 test and 1 assertion fewer"]);
  expect(verificationFileWarnings(["src/a.rs"], { diff: gone(["fn main() {}"]) })).toEqual([]);
});

test("LOOP-18: the workspaces of package.json decide which packages are tested", () => {
  const file = {
    created: false,
    deleted: false,
    becameLink: false,
    lostExecution: false,
    isOpaque: false,
    added: [],
    removed: [],
  };
  const before = ['{ "workspaces": ["a", "b"] }'];
  expect(leavesVerification({ ...file, before, after: ['{ "workspaces": ["a"] }'] })).toBe(false);
  expect(leavesVerification({ ...file, before, after: ['{ "workspaces": ["a", "b"], "x": 1 }'] })).toBe(true);
});
