import { expect, test } from "vitest";
import { verificationFileWarnings } from "../../verification-files.ts";

const suite = [
  'import { total } from "./total.js";',
  'test("empty", () => { expect(total([])).toBe(0); });',
  'test("two", () => {',
  "  expect(total([1, 1])).toBe(2);",
  "});",
  'test("three", () => { expect(total([3])).toBe(3); });',
];

const section = (path: string, mode: "deleted" | "new", lines: readonly string[]): string =>
  `diff --git a/${path} b/${path}\n${mode} file mode 100644\n@@ -1 +1 @@\n${lines
    .map((line) => `${mode === "new" ? "+" : "-"}${line}\n`)
    .join("")}`;

const warned = (path: string, lines: readonly string[], others = ""): readonly string[] =>
  verificationFileWarnings([], {
    diff: section("src/total.test.js", "deleted", suite) + others + section(path, "new", lines),
  });

const moved = suite.map((line) => line.replace("./total", "../total"));

test.each(["__tests__/total.test.js", "src/sum.test.js"])(
  "LOOP-18: a test file that moved with a changed line is not called deleted: %s",
  (path) => {
    expect(warned(path, moved)).toEqual([
      `src/total.test.js was moved to ${path} and changed: verification may not run its tests there`,
    ]);
  },
);

test("LOOP-18: a moved test file with fewer tests says so", () => {
  expect(warned("__tests__/total.test.js", moved.slice(0, 2))).toEqual([
    "src/total.test.js was deleted: it contained tests",
  ]);
  expect(warned("__tests__/total.test.js", moved.toSpliced(3, 1))).toEqual([
    "src/total.test.js was moved to __tests__/total.test.js and changed, with 1 assertion fewer: verification may not run its tests there",
  ]);
});

test("LOOP-18: another test file is not taken for a deleted one, nor one among many", () => {
  const deleted = ["src/total.test.js was deleted: it contained tests"];
  expect(warned("src/tax.test.js", ['import { tax } from "./tax.js";', 'test("a", () => {', "});"])).toEqual(
    deleted,
  );
  const many = Array.from({ length: 10 }, (_, n) => section(`src/${n}.test.js`, "new", [`test(${n});`])).join(
    "",
  );
  expect(warned("src/sum.test.js", moved, many)).toEqual(deleted);
  expect(warned("__tests__/total.test.js", moved, many)).toHaveLength(1);
});
