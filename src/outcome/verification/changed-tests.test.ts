import { describe, expect, test } from "vitest";
import { verificationFileWarnings } from "../verification-files.ts";

const diffOf = (path: string, body: string, mode = ""): string =>
  `diff --git a/${path} b/${path}\n${mode}index 1..2 100644\n--- a/${path}\n+++ b/${path}\n@@ -1,3 +1,3 @@\n${body}\n`;

/** A whole file that is removed, or added. */
const gone = (path: string, text: string): string => wholeFile(path, text, "deleted file mode 100644\n", "-");
const fresh = (path: string, text: string): string => wholeFile(path, text, "new file mode 100644\n", "+");
const wholeFile = (path: string, text: string, mode: string, sign: string): string =>
  diffOf(path, text.trimEnd().replace(/^/gm, sign), mode);
const told = (...diffs: readonly string[]): readonly string[] =>
  verificationFileWarnings([], { diff: diffs.join("") });

const suite = `import assert from "node:assert";
import { total } from "../src/total.js";
test.skip("flaky", () => { assert.equal(1, 1); });
test("adds", () => {
  assert.equal(total([1, 2]), 3);
  assert.equal(total([]), 0);
});
`;

describe("LOOP-18: tests that are moved", () => {
  test.each([
    ["to another folder", suite],
    ["with a small edit", suite.replace("../src/total.js", "../../src/sum.js")],
    ["with more", `${suite}test("more", () => { assert.ok(1); });\n`],
  ])("a test file that is renamed, %s", (_, text) => {
    expect(told(gone("test/b.test.js", suite), fresh("test/unit/b.test.js", text))).toEqual([]);
    const diff = gone("test/b.test.js", suite);
    const created = new Map([["test/unit/b.test.js", text]]);
    expect(verificationFileWarnings([], { diff, created })).toEqual([]);
  });

  const lost = "test/b.test.js was deleted: it contained tests";
  test.each([
    [
      "that is renamed and weaker",
      "test/c.test.js",
      suite.replace(/^.*\[\]\).*\n/m, ""),
      "test/c.test.js was changed: 1 assertion fewer",
    ],
    [
      "that is renamed and skipped",
      "test/c.test.js",
      suite.replace('test("adds"', 'test.skip("adds"'),
      "test/c.test.js was changed: tests are skipped in it",
    ],
    [
      "with other tests instead",
      "test/c.test.js",
      suite
        .replaceAll("total", "tax")
        .replace(/\[.*\]|1|adds/g, "2")
        .replaceAll(";", ";;"),
      lost,
    ],
    ["in a folder of fixtures", "test/fixtures/b.test.js", suite, lost],
    ["with a name that is no test's", "test/b.js", suite, lost],
    ["outside of the tests", "src/b.js", suite, lost],
  ])("a test file %s is reported", (_, path, text, expected) => {
    expect(told(gone("test/b.test.js", suite), fresh(path, text))).toContain(expected);
  });

  test("tests that are divided among files, and merged", () => {
    const [head, one, two] = [
      suite.split("test")[0] ?? "",
      'test("a", () => {\n  assert.equal(a(1), 1);\n});\n',
      'test("b", () => {\n  assert.equal(b(1), 2);\n});\n',
    ];
    const parts = [fresh("test/one.test.js", head + one), fresh("test/two.test.js", head + two)];
    expect(told(gone("test/all.test.js", head + one + two), ...parts)).toEqual([]);
    const grown = diffOf("test/all.test.js", ` x\n${`${one}${two}`.trimEnd().replace(/^/gm, "+")}`);
    expect(told(gone("test/one.test.js", one), gone("test/two.test.js", two), grown)).toEqual([]);
    expect(told(gone("test/all.test.js", head + one + two), parts[0] ?? "")).toEqual([
      "test/one.test.js was changed: 1 test and 1 assertion fewer",
    ]);
  });

  const used =
    "-  assert.equal(total([1, 2]), 3);\n-  assert.equal(total([]), 0);\n+  check([1, 2], 3);\n+  check([], 0);";
  const helper = "export const check = (xs, n) => {\n  assert.equal(total(xs), n);\n};\n";
  test("assertions that a helper makes are counted where it is called", () => {
    expect(told(diffOf("test/a.test.js", used), fresh("test/helper.js", helper))).toEqual([]);
    expect(told(diffOf("test/a.test.js", `${helper.trimEnd().replace(/^/gm, "+")}\n${used}`))).toEqual([]);
    const hollow = helper.replace(/^ .*\n/m, "");
    expect(told(diffOf("test/a.test.js", used), fresh("test/helper.js", hollow))).toEqual([
      "test/a.test.js was changed: 2 assertions fewer",
    ]);
  });

  test("new tests of something else do not make up for removed ones", () => {
    const removed = diffOf("test/a.test.js", "-  assert.equal(total([]), 0);");
    expect(told(removed, fresh("test/c.test.js", suite.replaceAll("total", "tax")))).toEqual([
      "test/a.test.js was changed: 1 assertion fewer",
    ]);
  });
});

describe("LOOP-18: files and lines of tests that are none", () => {
  test("a deleted file in a folder of tests that is no code", () => {
    expect(told(gone("test/README.md", "# x"), gone("test/fixtures/old.json", "{}"))).toEqual([]);
    expect(told(gone("tests/run", "#!/bin/sh\nexit 1"), gone("tests/a.feature", "x"))).toHaveLength(2);
  });

  test.each([
    ['-test.skip("flaky", () => {\n+test.skip("flaky one", () => {', []],
    ['-test.skip("flaky", () => {\n+test.only("flaky", () => {', ["tests are skipped in it"]],
    [
      '-test.skip("a", () => {\n+test.skip("b", () => {\n+test.skip("c", () => {',
      ["tests are skipped in it"],
    ],
    ['-import assert from "node:assert";\n+import test from "node:test";', []],
  ])("skipped and imported: %s", (body, whys) => {
    expect(told(diffOf("a.test.js", body))).toEqual(whys.map((why) => `a.test.js was changed: ${why}`));
  });

  test("a new file with a skipped test of its own takes nothing away", () => {
    expect(told(fresh("test/new.test.js", suite))).toEqual([]);
    expect(told(fresh("test/new.test.js", suite.replace(".skip", ".only")))).toHaveLength(1);
  });
});

test("LOOP-18: names that git quotes, or that look like a header", () => {
  const names = ["test b/x b/a.test.js", "test/a\tb.test.js"];
  const quoted = names.map((name) =>
    name.includes("\t")
      ? [`"a/${name}"`, `"b/${name}"`].map((one) => one.replace("\t", "\\t"))
      : [`a/${name}`, `b/${name}`],
  );
  const diff = quoted
    .map(([from, to]) => `diff --git ${from} ${to}\n@@ -1 +1 @@\n-test("a", () => {\n`)
    .join("");
  expect(told(diff)).toEqual(names.map((name) => `${name} was changed: 1 test fewer`));
});

test("LOOP-18: thousands of deleted and new test files are compared in a bounded time", () => {
  const many = (make: typeof gone, folder: string, text: (n: number) => string): string =>
    Array.from({ length: 1500 }, (_, n) => make(`test/${folder}/${n}.test.js`, text(n))).join("");
  const same = many(gone, "a", () => suite) + many(fresh, "b", () => suite);
  const other =
    many(gone, "c", (n) => `${suite}// ${n}`) + many(fresh, "d", (n) => `assert.ok(${n});\nassert.ok(x);`);
  const before = performance.now();
  told(same + other);
  expect(performance.now() - before).toBeLessThan(8000);
});
