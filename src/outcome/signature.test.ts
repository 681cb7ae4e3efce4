import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { errorSignature } from "./signature.ts";

const fixture = (name: string): string => readFileSync(`test/fixtures/output/${name}.txt`, "utf8");
const sign = (text: string) => errorSignature("test_failure", text);

describe("the same error has the same signature", () => {
  test.each([
    ["another line, tsc", "src/a.ts(3,5): error TS2322: no", "src/a.ts(17,12): error TS2322: no"],
    ["another line, pretty", "src/a.ts:3:5 - error TS2322: no", "src/a.ts:17:12 - error TS2322: no"],
    [
      "another line, Python",
      '  File "/srv/a.py", line 3, in f\nKeyError: 1',
      '  File "/srv/a.py", line 30, in f\nKeyError: 1',
    ],
    [
      "another line, Go",
      "cart_test.go:9: x\n--- FAIL: TestA (0.00s)",
      "cart_test.go:10: x\n--- FAIL: TestA (0.31s)",
    ],
    [
      "another thread",
      "thread 'a::b' (13550) panicked at src/lib.rs:6:19:",
      "thread 'a::b' (77) panicked at src/lib.rs:8:1:",
    ],
    ["another duration", "✖ adds (1.63ms)", "✖ adds (12.9 ms)"],
    ["another time", "error: at 2024-01-02T03:04:05.678Z no", "error: at 2025-11-12 13:14:15 no"],
    ["another temporary folder", "Error: ENOENT /tmp/x-Ab3/y/a.json", "Error: ENOENT /tmp/q9/a.json"],
    [
      "another temporary folder on a Mac",
      "Error: no /var/folders/a1/b2/T/x/a.js",
      "Error: no /var/folders/zz/T/a.js",
    ],
    ["another address", "error: at 0x7ffe12 in f", "error: at 0x55aa in f"],
    ["another hash", "Error: object 3fa9c1d2e4 is missing", "Error: object a04411ffe9 is missing"],
    [
      "another id",
      "Error: job 123e4567-e89b-12d3-a456-426614174000",
      "Error: job 00000000-e89b-12d3-a456-426614174999",
    ],
    ["another colour and noise", "\u001b[31merror: x\u001b[0m\nDone in 3s", "warming up\nerror: x"],
    ["other quotes", "error: no ‘a’", "error: no 'a'"],
    ["printed twice", "error: x\nerror: x", "error: x"],
    ["in another order", "error: x\nerror: y", "error: y\nerror: x"],
  ])("FAIL-5: %s", (_, one, other) => {
    expect(sign(one)).toBe(sign(other));
  });

  test("FAIL-5: a real test run, later and slower", () => {
    const later = fixture("node-spec")
      .replace(/\d+\.\d+ms/g, "99.5ms")
      .replaceAll("a.test.js:2:", "a.test.js:7:");
    expect(later).not.toBe(fixture("node-spec"));
    expect(sign(later)).toBe(sign(fixture("node-spec")));
  });
});

describe("another error has another signature", () => {
  test.each([
    ["another code", "src/a.ts(3,5): error TS2322: no", "src/a.ts(3,5): error TS2345: no"],
    ["another file", "src/a.ts(3,5): error TS2322: no", "src/b.ts(3,5): error TS2322: no"],
    ["another name", "Cannot find name 'foo'", "Cannot find name 'bar'"],
    ["another value", "AssertionError: expected 1 to be 2", "AssertionError: expected 1 to be 3"],
    ["another call", "error: in add(1,2)", "error: in add(1,3)"],
    ["another code in brackets", "error: ts(2322)", "error: ts(2304)"],
    ["no line that we know", "it went wrong", "it went astray"],
  ])("FAIL-5: %s", (_, one, other) => {
    expect(sign(one)).not.toBe(sign(other));
  });

  test("FAIL-5: every real output differs from every other", () => {
    const names = [
      "tsc",
      "vitest-fail",
      "jest-fail",
      "pytest-fail",
      "cargo-fail",
      "rustc",
      "gcc",
      "eslint",
      "vite",
    ];
    expect(new Set(names.map((name) => sign(fixture(name)))).size).toBe(names.length);
  });

  test("FAIL-5: another category, and a short readable form", () => {
    expect(errorSignature("timeout", "x")).not.toBe(errorSignature("unknown", "x"));
    expect(errorSignature("type_error", "error: x")).toMatch(/^type_error:[0-9a-f]{12}$/);
    expect(errorSignature("unknown", "")).toMatch(/^unknown:/);
  });
});
