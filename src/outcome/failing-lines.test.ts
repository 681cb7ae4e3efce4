import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { cleanOutput, extractError } from "./extract-error.ts";
import { errorSignature } from "./signature.ts";

const fixture = (name: string): string => readFileSync(`test/fixtures/output/${name}.txt`, "utf8");

/** Each output with the names of tests that passed in it, and what states each failed assertion once. */
const outputs: readonly (readonly [name: string, passed: readonly string[], once: readonly string[]])[] = [
  ["node-spec", ["is fine"], ["2 !== 3", "+     2\n  -     3"]],
  ["node-frames", ["is fine"], ["4 !== 3", "actual: 4", "expected: 3", "Unexpected token (1:5)"]],
  ["node-tap", ["is fine"], ["2 !== 3", "+     2\n    -     3"]],
  ["vitest-fail", ["✓"], ["expected -1 to be 3", '-     "city": "Oslo"', '+     "city": "Rome"']],
  ["vitest-frames", ["w.test.js"], ["expected 4 to be 3", "qParams.path.indexOf is not a function"]],
  ["jest-fail", ["✓"], ['-   "b": 3,\n    +   "b": 2,']],
  ["jest-frames", ["k.test.js"], ["Expected: 3\n    Received: 4", "Unexpected token (1:5)"]],
  ["ava-fail", ["✔"], ["- 2\n  + 3", "-     2,\n  +     3,"]],
  ["mocha-fail", ["is fine"], ['-  "a": 1\n      +  "a": 2', "Timeout of 20ms exceeded"]],
  [
    "mocha-frames",
    ["is fine"],
    ["strictly equal:\n      + expected - actual\n\n      -4\n      +3", "is wrong\n"],
  ],
  [
    "pytest-fail",
    ["test_fine"],
    ["assert 4 == 3", "{'b': [1, 3]} != {'b': [1, 2]}", "No such file or directory"],
  ],
  ["pytest-verbose", ["test_fine"], ["assert 4 == 3", "Expecting property name enclosed"]],
  ["go-fail", ["TestFine", "none", "goroutine"], ["total() = 4, want 3", "[recovered]"]],
  ["cargo-fail", ["tests::fine", "Compiling"], ["left: 4\n right: 3"]],
  ["tsc", [], ["src/cart.ts(2,7)", "error TS2552"]],
  ["eslint", ["is assigned"], ["/srv/shop/a.js", "/srv/shop/b.js"]],
];

const dependency = /node_modules|\bnode:|\/rustc\/|lib\/python|\/src\/testing\//;
const duration = /\b\d+(?:\.\d+)? ?m?s\b/;

describe("PROMPT-6: of a real output the excerpt keeps what failed", () => {
  test.each(outputs)("%s", (name, passed, once) => {
    const excerpt = extractError(fixture(name));
    for (const text of [...passed, "✔", "✓"]) expect(excerpt).not.toContain(text);
    for (const text of once) expect(excerpt.split(text), text).toHaveLength(2);
    expect(excerpt).not.toMatch(dependency);
    expect(excerpt.replaceAll(/timed out in 50ms|Timeout of 20ms/g, "")).not.toMatch(duration);
    expect(extractError(excerpt), "a second time").toBe(excerpt);
  });
});

test("PROMPT-6: a skipped test is not shown beside one that failed", () => {
  const output =
    "﹣ a receipt ends with the total (4.446183ms) # SKIP\n✖ a cart adds up (1.2ms)\nℹ tests 2\nℹ fail 1\nℹ skipped 1\nℹ todo 0\n";
  expect(extractError(output)).toBe("✖ a cart adds up\nℹ fail 1");
});

test.each([
  ["node-spec", 0.2],
  ["node-frames", 0.2],
  ["node-tap", 0.3],
  ["jest-frames", 0.65],
  ["mocha-frames", 0.45],
  ["pytest-verbose", 0.4],
  ["go-fail", 0.35],
  ["cargo-fail", 0.35],
] as const)("PROMPT-6: the excerpt of %s takes at most %d of the output", (name, share) => {
  expect(extractError(fixture(name)).length).toBeLessThan(
    share * cleanOutput(fixture(name)).join("\n").length,
  );
});

test.each([
  "node-spec",
  "node-tap",
  "vitest-fail",
  "jest-fail",
  "mocha-frames",
  "pytest-fail",
  "go-fail",
  "cargo-fail",
])("PROMPT-6 FAIL-5: the same failures of a slower run of %s have the same excerpt and signature", (name) => {
  const slower = fixture(name)
    .replace(/(?<![\d.]|timed out in |Timeout of )\d+(?:\.\d+)?(?=[^\w.]{0,3}(?:\[\dm)? ?m?s\b)/g, "7.25")
    .replace(/(duration_ms:? )[\d.]+/g, "$17.5")
    .replace(/\(13550\)|0xc000[0-9a-f]+|goroutine \d+/g, (id) => id.replace(/\d(?=\)?$)/, "9"));
  expect(slower).not.toBe(fixture(name));
  const excerpt = extractError(slower);
  expect(excerpt).toBe(extractError(fixture(name)));
  expect(errorSignature("test_failure", slower)).toBe(errorSignature("test_failure", fixture(name)));
});

test("PROMPT-6: an output in which everything passed stays, and so does a time limit", () => {
  expect(extractError("✔ a\n✔ b (3ms)\n")).toBe("✔ a\n✔ b (3ms)");
  expect(extractError("✖ slow (1002ms)\n  Error: test timed out after 1000ms")).toBe(
    "✖ slow\n  Error: test timed out after 1000ms",
  );
});

test("PROMPT-6: warnings of a linter stay where they are the failure", () => {
  const warnings =
    "/srv/a.js\n  1:7  warning  'a' is never used  no-unused-vars\n\nESLint found too many warnings";
  expect(extractError(warnings)).toBe(warnings);
});

test("PROMPT-6: a message of its own does not state the values: they stay", () => {
  const excerpt = extractError(fixture("node-frames"));
  expect(excerpt).toContain("the total is wrong");
  expect(excerpt).toMatch(/actual: 4,\n\s+expected: 3,/);
});

test("PROMPT-6 FAIL-4: the kind of an error that is no failed assertion stays in TAP output", () => {
  const tap = [
    ...["TAP version 13", "# Subtest: module", "not ok 1 - module", "  ---", "  duration_ms: 5.1"],
    ...["  failureType: 'testCodeFailure'", `  error: "Unexpected token ';'"`],
    ...["  code: 'ERR_TEST_FAILURE'", "  name: 'SyntaxError'", "  stack: |-"],
    ...["    compileSourceTextModule (node:internal/modules/esm/utils:346:16)", "  ...", "# fail 1"],
  ].join("\n");
  const excerpt = extractError(tap);
  expect(excerpt).toContain("name: 'SyntaxError'");
  expect(excerpt).not.toMatch(/duration_ms|failureType|ERR_TEST_FAILURE|node:internal/);
});
