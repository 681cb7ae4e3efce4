import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { firstErrorLine } from "./error-line.ts";
import { extractError } from "./extract-error.ts";

const fixture = (name: string): string => readFileSync(`test/fixtures/output/${name}.txt`, "utf8");
const banner = Array.from(
  { length: 2000 },
  (_, n) => `web:build: asset chunk-${n}.${"abcdef"[n % 6]}.js ${n} KiB [emitted]`,
);
const noise = Array.from(
  { length: 500 },
  (_, n) => `api:build: cache hit, replaying logs of package ${"xyz"[n % 3]}${n}`,
);
const buried = (failure: string): string => [...banner, failure, ...noise].join("\n");

describe("LOOP-6: what a real tool says is found between 2,000 lines before and 500 after it", () => {
  test.each<[string, readonly string[]]>([
    ["tsc", ["src/cart.ts(2,7): error TS2322: Type 'string'", "src/cart.ts(4,13): error TS2552"]],
    [
      "tsc-pretty",
      ["error TS2322: Type 'string'", "const label: number", "error TS2552: Cannot find name 'labl'"],
    ],
    ["esbuild", ["Unexpected", "src/broken.js"]],
    [
      "webpack",
      ["ERROR in ./src/index.js 3:10", "Module parse failed: Unexpected token", "> 3 | const y = ;"],
    ],
    ["vite", ["error during build:", "Could not resolve './gone.js' in src/main.js"]],
    [
      "rustc",
      [
        "error[E0308]: mismatched types",
        "--> src/lib.rs:1:30",
        "expected `String`, found `i32`",
        "error[E0425]",
      ],
    ],
    ["gcc", ["b.c:2:49: error: ‘y’ undeclared"]],
    ["gcc-include", ["fatal error: nope.h: No such file or directory", '#include "nope.h"']],
    ["ld", ["undefined reference to `undefined_fn'", "ld returned 1 exit status"]],
    [
      "javac",
      [
        "A.java:1: error: incompatible types: String cannot be converted to int",
        "cannot find symbol",
        "method foo()",
      ],
    ],
    [
      "traceback",
      ["Traceback (most recent call last):", "tb.py", "json.decoder.JSONDecodeError: Expecting property"],
    ],
    [
      "vitest-fail",
      [
        "src/good.test.js > add > adds two numbers",
        "AssertionError: expected -1 to be 3",
        '-     "city": "Oslo",\n+     "city": "Rome",',
        "TypeError: Cannot read properties of undefined (reading 'x')",
        "Test timed out in 50ms",
        "4 failed",
      ],
    ],
    ["jest-fail", ["● cart › totals", "expect(received).toEqual(expected)", '-   "b": 3,', '+   "b": 2,']],
    ["mocha-fail", ["1) cart", "totals:", '-  "a": 1', '+  "a": 2', "Timeout of 20ms exceeded"]],
    ["node-spec", ["✖ adds", "2 !== 3", "✖ objects", "+     2\n  -     3"]],
    ["node-tap", ["not ok 1 - adds", "2 !== 3", "not ok 2 - objects", "+     2\n    -     3"]],
    [
      "pytest-fail",
      [
        "test_total",
        "E       assert 4 == 3",
        "test_items",
        "Differing items",
        "test_missing",
        "3 failed, 1 passed",
      ],
    ],
    [
      "pytest-import",
      ["ERROR collecting imp/test_i.py", "ModuleNotFoundError: No module named 'flask_nope'"],
    ],
    ["unittest-fail", ["FAIL: test_a (ut.A.test_a)", "AssertionError: 1 != 2"]],
    ["cargo-fail", ["test tests::totals ... FAILED", "panicked at src/lib.rs:6:19", "left: 4\n right: 3"]],
    [
      "eslint",
      [
        "a.js",
        "2:5   error    'b' is not defined",
        "b.js",
        "2:15  error    Unexpected 'debugger'",
        "6 errors",
      ],
    ],
    ["biome", ["src/bad.js:1:16 lint/style/useNodejsImportProtocol", 'import fs from "fs"']],
  ])("%s", (name, parts) => {
    const excerpt = extractError(buried(fixture(name)));
    expect(excerpt.length).toBeLessThanOrEqual(4000);
    const lean = excerpt.replace(/\n\[… \d+ lines? left out …\]/g, "");
    for (const part of parts) expect(lean).toContain(part);
    expect(excerpt.split("\n")[0]).toMatch(/^\[… \d+ lines left out …\]$/);
  });
});

describe("LOOP-6: tools not at hand, in their documented words", () => {
  test.each<[string, string]>([
    ["go build", "./main.go:7:2: undefined: total"],
    ["go test", "--- FAIL: TestTotal\n    cart_test.go:9: got 4, want 3"],
    ["a Go panic", "panic: runtime error: index out of range [3] with length 3"],
    [
      "Surefire",
      "[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0\n[ERROR]   CartTest.totals:9 expected: <3> but was: <4>",
    ],
    ["Gradle", "> Task :compileJava FAILED"],
    ["RSpec", "  1) Cart totals\n     Failure/Error: expect(total).to eq 3"],
    ["ruff", "app.py:1:8: F401 [*] `os` imported but unused"],
    ["mypy", 'app.py:3: error: Incompatible return value type (got "int", expected "str")'],
    ["turbo with its prefix", "web:build: ERROR in ./src/index.tsx:3:5"],
    ["the shell", "sh: 1: vitest: not found"],
    ["an uncaught error", "Error: Cannot find module './config'"],
  ])("%s", (_, failure) => {
    const excerpt = extractError(buried(failure));
    for (const line of failure.split("\n")) expect(excerpt).toContain(line);
  });
});

test("LOOP-6: a short output is kept whole, leading indentation too", () => {
  expect(extractError("\n\n  a\nb\n\n\nc\n\n")).toBe("  a\nb\n\nc");
});

test("LOOP-6: the lines left out are counted, blocks stay in their order", () => {
  const output = [
    ...banner,
    "src/a.ts(1,1): error TS1: one",
    ...noise,
    "src/b.ts(1,1): error TS2: two",
    ...noise,
  ];
  const excerpt = extractError(output.join("\n"));
  const counts = Array.from(excerpt.matchAll(/^\[… (\d+) lines? left out …\]$/gm), (match) =>
    Number(match[1]),
  );
  const shown = excerpt.split("\n").length - counts.length;
  expect(counts.reduce((sum, n) => sum + n, shown)).toBe(output.length);
  expect(excerpt.indexOf("one")).toBeLessThan(excerpt.indexOf("two"));
  expect(excerpt.endsWith(noise.at(-1) ?? "")).toBe(true);
});

describe("LOOP-6: colour, progress and repeats", () => {
  test.each<[string, string, string]>([
    ["colour", "\u001b[31merror\u001b[39m: \u001b[1mno\u001b[0m", "error: no"],
    ["a link", "\u001b]8;;http://x\u0007text\u001b]8;;\u0007", "text"],
    ["a progress bar by carriage return", "10%\r55%\r100%\ndone\r\n", "100%\ndone"],
    ["a progress bar by cursor moves", "10%\u001b[2K\u001b[1G55%\u001b[2K\u001b[1G100%\ndone", "100%\ndone"],
    ["a repeated line", `start\n${"retry\n".repeat(120)}end`, "start\nretry … ×120\nend"],
    [
      "lines that count up",
      Array.from({ length: 50 }, (_, n) => `Fetched ${n + 1}/50`).join("\n"),
      "Fetched 50/50 … ×50",
    ],
    [
      "errors that differ in a number stay",
      "a.c:1: error: x\na.c:2: error: x\na.c:3: error: x\na.c:4: error: x",
      "a.c:1: error: x\na.c:2: error: x\na.c:3: error: x\na.c:4: error: x",
    ],
    ["three lines that count up stay", "1 passed\n2 passed\n3 passed", "1 passed\n2 passed\n3 passed"],
  ])("%s", (_, output, expected) => {
    expect(extractError(output)).toBe(expected);
  });

  test("an overlong line is shortened in the middle", () => {
    const excerpt = extractError(`error: ${"x".repeat(10_000)} at the end`);
    expect(excerpt.length).toBeLessThan(420);
    expect(excerpt).toMatch(/^error: x+ … x+ at the end$/);
  });
});

test("LOOP-6: no error that we know: what sounds like one, and the last lines", () => {
  const lines = Array.from(
    { length: 3000 },
    (_, n) => `step ${"abcdefg"[n % 7]} of the ${n}th kind went well`,
  );
  lines[1500] = "the frobnicator could not be reached";
  const excerpt = extractError(lines.join("\n"));
  expect(excerpt).toContain("the frobnicator could not be reached");
  expect(excerpt.endsWith(lines.at(-1) ?? "")).toBe(true);
  expect(excerpt.length).toBeGreaterThan(3000);
  expect(excerpt.length).toBeLessThanOrEqual(4000);
});

test("LOOP-6: hundreds of errors: the first ones, and the summary", () => {
  const errors = Array.from(
    { length: 800 },
    (_, n) => `src/f${n}.ts(1,2): error TS2304: Cannot find name 'a${n}'.`,
  );
  const excerpt = extractError([...errors, "Found 800 errors."].join("\n"));
  expect(excerpt).toContain("src/f0.ts");
  expect(excerpt).toContain("src/f9.ts");
  expect(excerpt).toContain("Found 800 errors.");
  expect(excerpt.length).toBeLessThanOrEqual(4000);
});

test("LOOP-6: a line that counts no error is none", () => {
  const clean = Array.from(
    { length: 400 },
    (_, n) => `lib${n % 7}: 0 errors, no failures in part ${n} of this`,
  );
  expect(extractError([...clean, "x.ts(1,1): error TS9: bad", ...clean].join("\n"))).toContain(
    "error TS9: bad",
  );
});

test.each([0, 1, 40, 200, 1000])("LOOP-6: never more than %i characters when that is the limit", (max) => {
  for (const name of ["vitest-fail", "pytest-fail", "biome"]) {
    expect(extractError(buried(fixture(name)), max).length).toBeLessThanOrEqual(max);
  }
});

test("LOOP-6: the headline of a failure is not the heading of the list", () => {
  expect(firstErrorLine("✖ failing tests:\n\n✖ adds up\n  AssertionError: 1 !== 2")).toBe("✖ adds up");
});
