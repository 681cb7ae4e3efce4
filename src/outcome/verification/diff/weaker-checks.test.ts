import { expect, test } from "vitest";
import { warningsOfChange as warningsOf } from "../../../../test/warnings-of-change.ts";
import { isShownByDiff, verificationFileWarnings } from "../../verification-files.ts";

test.each([
  ["src/a.ts", "// @ts-nocheck"],
  ["src/a.tsx", "  // @ts-ignore: later"],
  ["src/a.mts", "  /* @ts-expect-error */ f(1);"],
  ["src/a.js", "// eslint-disable-next-line no-undef"],
  ["src/a.js", "f(); // eslint-disable-line"],
  ["src/a.js", "/* eslint-disable */"],
  ["src/a.ts", "// biome-ignore lint/a: later"],
  ["src/a.ts", "/* istanbul ignore next */"],
  ["src/a.ts", "/* c8 ignore start */"],
  ["src/App.vue", "// @ts-ignore"],
  ["src/a.py", "import os  # noqa: F401"],
  ["src/a.py", "# flake8: noqa"],
  ["src/a.py", "x = f()  # type: ignore[arg-type]"],
  ["src/a.py", "# pylint: disable=all"],
  ["src/a.py", "if x:  # pragma: no cover"],
  ["src/a.rs", "#![allow(warnings)]"],
  ["src/a.rs", "    #[allow(clippy::all)]"],
  ["a.go", "\tf() //nolint:errcheck"],
  ["a.rb", "# rubocop:disable all"],
  ["A.java", '  @SuppressWarnings("all")'],
  ["A.cs", "#pragma warning disable CS8600"],
  ["a.cpp", "f(); // NOLINT"],
  ["a.sh", "# shellcheck disable=SC2086"],
])("LOOP-18: one more comment that silences a checker in %s: %s", (path, line) => {
  const warning = `1 more comment that silences a checker in ${path}`;
  expect(isShownByDiff(path)).toBe(true);
  expect(warningsOf(path, ["a"], [line, "a"])).toContain(warning);
  expect(warningsOf(path, ["a", line, "b"], ["a", `${line} `, "c"])).not.toContain(warning);
  expect(warningsOf(path, [line, "a"], ["a"])).not.toContain(warning);
  expect(warningsOf(path, ["a"], [line, "a", line])).toContain(
    `2 more comments that silence a checker in ${path}`,
  );
});

test("LOOP-18: a comment for a whole file does not take the place of one for a line", () => {
  const warning = "1 more comment that silences a checker in src/a.ts";
  expect(warningsOf("src/a.ts", ["// @ts-ignore", "f();"], ["// @ts-nocheck", "f();"])).toEqual([warning]);
  expect(
    warningsOf("a.js", ["// eslint-disable-next-line no-undef", "f();"], ["/* eslint-disable */", "f();"]),
  ).toEqual(["1 more comment that silences a checker in a.js"]);
});

test.each([
  ["src/a.ts", "const text = '@ts-ignore';"],
  ["README.md", "// @ts-ignore"],
  ["src/a.py", "noqa = 1"],
  ["src/a.js", "/* eslint-enable */"],
])("LOOP-18: no such comment in %s: %s", (path, line) => {
  expect(warningsOf(path, ["a"], ["a", line])).toEqual([]);
});

const section = (path: string, body: string, mode = ""): string =>
  `diff --git a/${path} b/${path}\n${mode}--- a/${path}\n+++ b/${path}\n@@ -1,9 +1,9 @@\n${body}\n`;

test("LOOP-18: a comment that moves to another file with its code is not counted", () => {
  const gone = section("src/a.ts", " a\n-// @ts-ignore\n-f(1);");
  const moved = section("src/b.ts", " b\n+// @ts-ignore\n+f(1);");
  const other = section("src/b.ts", " b\n+// @ts-ignore\n+g(1);");
  expect(verificationFileWarnings([], { diff: gone + moved })).toEqual([]);
  expect(verificationFileWarnings([], { diff: gone + other })).toEqual([
    "1 more comment that silences a checker in src/b.ts",
  ]);
});

test.each([
  "src/__snapshots__/a.test.js.snap",
  "tests/a.approved.txt",
  "src/snapshots/a.snap",
  "app.snapshot",
])("LOOP-18: tests that expect something else: %s", (path) => {
  expect(isShownByDiff(path)).toBe(true);
  expect(warningsOf(path, ["a", "1"], ["a", "2"])).toEqual(["tests expect something else now"]);
  expect(warningsOf(path, ["a"], ["a", "2"])).toEqual([]);
  const deleted = section(path, "-a", "deleted file mode 100644\n");
  expect(verificationFileWarnings([], { diff: deleted })).toContain(
    `${path} was deleted: it held what tests expect`,
  );
});

test.each([
  ["a.test.ts", 'test("x", { retry: 500 }, f);'],
  ["a.test.js", "jest.retryTimes(9);"],
  ["a.spec.ts", "test.describe.configure({ retries: 3 });"],
  ["test/a.js", "  this.retries(5);"],
  ["test_a.py", "@pytest.mark.flaky(reruns=5)"],
])("LOOP-18: a test that is repeated when it fails: %s: %s", (path, line) => {
  expect(warningsOf(path, ["a"], ["a", line])).toEqual(["its tests are repeated when they fail"]);
  expect(warningsOf(path, ["a", line], ["b", line])).toEqual([]);
});

test("LOOP-18: a test that can no longer be executed", () => {
  const mode = "diff --git a/tests/a b/tests/a\nold mode 100755\nnew mode 100644\n";
  expect(verificationFileWarnings(["tests/a"], { diff: mode })).toEqual([
    "tests/a was changed: it can no longer be executed",
  ]);
  const back = mode.replace("100755", "100644").replace("new mode 100644", "new mode 100755");
  expect(verificationFileWarnings(["tests/a"], { diff: back })).toEqual([]);
});

test.each(["imports", "eslintIgnore", "prettier", "overrides", "volta"])(
  "LOOP-18: a manifest whose %s changes",
  (key) => {
    expect(warningsOf("package.json", ["{}"], [JSON.stringify({ [key]: { "#a": "./b.js" } })])).toEqual([
      "verification may run its scripts",
    ]);
    expect(warningsOf("package.json", ["{}"], ['{"dependencies":{"a":"1"}}'])).toEqual([]);
  },
);
