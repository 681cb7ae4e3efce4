import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { classify } from "./classify.ts";

const fixture = (name: string): string => readFileSync(`test/fixtures/output/${name}.txt`, "utf8");
const text = (said: string) => classify({ command: null, text: said });

describe("FAIL-3: the triggers, without a command", () => {
  test.each([
    ["src/a.ts(1,2): error TS2322: no", "type_error"],
    ["ts(2304)", "type_error"],
    ["Type 'a' is not assignable to type 'b'", "type_error"],
    ["Cannot find name 'x'", "type_error"],
    ["AssertionError: 1 == 2", "test_failure"],
    ["assert.equal(a, b)", "test_failure"],
    ["expect(add(1, 2)).toBe(3)", "test_failure"],
    ["1 test failed", "test_failure"],
    ["3 tests failed", "test_failure"],
    ["eslint found 3 problems", "lint_error"],
    ["prettier: code style issues", "lint_error"],
    ["Linting failed", "lint_error"],
    ["Build failed in 3s", "build_error"],
    ["esbuild: 1 error", "build_error"],
    ["[vite] could not load", "build_error"],
    ["webpack compiled with 1 error", "build_error"],
    ["rollup says no", "build_error"],
    ["connection timeout", "timeout"],
    ["exceeded 10 minutes", "timeout"],
    ["The agent timed out", "timeout"],
    ["it just does not work", "unknown"],
    ["", "unknown"],
  ])("%s", (said, category) => {
    expect(text(said)).toBe(category);
  });
});

describe("FAIL-3: order and word starts", () => {
  test.each([
    ["expect(x) … error TS2322", "type_error"],
    ["eslint: expect( is not allowed", "test_failure"],
    ["webpack: lint failed", "lint_error"],
    ["timeout in vite", "build_error"],
    ["results(3) were collected", "unknown"],
    ["unexpect(ed)", "unknown"],
    ["the latest failed", "unknown"],
    ["splinters", "unknown"],
    ["reassert", "unknown"],
    ["at load (/srv/app/node_modules/vite/dist/node/chunks/dep.js:1:2)", "unknown"],
    ["C:\\work\\vite\\src\\a.js", "unknown"],
    ["see vite.config.js and @scope/eslint-config and rollup-plugin-x", "unknown"],
    ["node_modules/eslint/lib/cli.js:3", "unknown"],
    ["vitest v4", "unknown"],
  ])("%s", (said, category) => {
    expect(text(said)).toBe(category);
  });
});

describe("FAIL-3: the failing command is looked at first", () => {
  test.each([
    ["npx eslint .", "expect(x) is not assignable", "lint_error"],
    ["npm run lint", "webpack.config.js: unexpected token, timeout", "lint_error"],
    ["npm run lint:fix", "AssertionError", "lint_error"],
    ["npx tsc --noEmit", "anything", "type_error"],
    ["npm run typecheck", "assert", "type_error"],
    ["npm test", "at node_modules/vite/dist/index.js\nvite v5 eslint", "test_failure"],
    ["npm test", "src/a.ts(1,2): error TS2322", "type_error"],
    ["npm run test:unit", "Process timed out", "timeout"],
    ["npx vitest run", "1 failed", "test_failure"],
    ["./node_modules/.bin/vitest run", "1 failed", "test_failure"],
    ["vite build", "assert is not defined", "build_error"],
    ["npm run build", "src/a.ts(1,2): error TS2322", "type_error"],
    ["cd vite && node check.mjs", "no", "unknown"],
    ["node scripts/test/../vite/run.js", "no", "unknown"],
    ["npm run lint && npm test", "AssertionError", "test_failure"],
    ["npm run check", "> shop@1.0.0 check\n> eslint .\n\nexpect(", "lint_error"],
    ["cargo clippy -- -D warnings", "error: unused variable", "lint_error"],
    ["pytest -q", "E   ModuleNotFoundError: No module named 'flask'", "dependency_error"],
    ["pytest -q", "something odd", "test_failure"],
  ])("%s: %s", (command, said, category) => {
    expect(classify({ command, text: said })).toBe(category);
  });
});

describe("FAIL-3: Python, Rust, Go, Java, C", () => {
  test.each([
    ["error[E0308]: mismatched types", "type_error"],
    ["./main.go:7:2: undefined: total", "type_error"],
    ["A.java:1: error: incompatible types: String cannot be converted to int", "type_error"],
    [
      'app.py:3: error: Incompatible return value type (got "int", expected "str")  [return-value]',
      "type_error",
    ],
    ["test result: FAILED. 1 passed; 1 failed", "test_failure"],
    ["--- FAIL: TestTotal (0.00s)", "test_failure"],
    ["=== 3 failed, 1 passed in 0.79s ===", "test_failure"],
    ["[ERROR] Tests run: 3, Failures: 1, Errors: 0", "test_failure"],
    ["app.py:1:8: F401 `os` imported but unused", "lint_error"],
    ["src/a.js:1:16 lint/style/useNodejsImportProtocol", "lint_error"],
    ["ModuleNotFoundError: No module named 'flask'", "dependency_error"],
    ["Error: Cannot find module 'left-pad'", "dependency_error"],
    ["main.go:4:2: no required module provides package github.com/x/y", "dependency_error"],
    ["error[E0432]: unresolved import `serde`", "dependency_error"],
    ["A.java:1: error: package org.junit does not exist", "dependency_error"],
    ["sh: 1: vitest: not found", "dependency_error"],
    ["Error: Cannot find module './config'", "missing_file"],
    ["ENOENT: no such file, open 'a.json'", "missing_file"],
    ["FileNotFoundError: [Errno 2] No such file or directory: 'x'", "missing_file"],
    ["error: could not compile `shop` (lib)", "build_error"],
    ["SyntaxError: invalid syntax", "build_error"],
    ["a.c:(.text+0xa): undefined reference to `f'", "build_error"],
    ["TypeError: x is not a function", "logic_error"],
    ["java.lang.NullPointerException", "logic_error"],
    ["panic: runtime error: index out of range [3]", "logic_error"],
  ])("%s", (said, category) => {
    expect(text(said)).toBe(category);
  });

  test.each([
    ["tsc", "npm run check", "type_error"],
    ["vitest-fail", "npm test", "test_failure"],
    ["jest-fail", "npm test", "test_failure"],
    ["node-tap", "node --test", "test_failure"],
    ["mocha-fail", "npm test", "test_failure"],
    ["pytest-fail", "python3 -m pytest", "test_failure"],
    ["unittest-fail", "python3 -m unittest", "test_failure"],
    ["cargo-fail", "cargo test", "test_failure"],
    ["rustc", "cargo build", "type_error"],
    ["rustc", "cargo test", "type_error"],
    ["javac", "make", "type_error"],
    ["gcc-include", "make", "missing_file"],
    ["ld", "make", "build_error"],
    ["eslint", "npm run lint", "lint_error"],
    ["biome", "npx biome check", "lint_error"],
    ["vite", "npm run build", "build_error"],
    ["webpack", "npm run build", "build_error"],
    ["pytest-import", "pytest", "dependency_error"],
  ])("%s by %s", (name, command, category) => {
    expect(classify({ command, text: fixture(name) })).toBe(category);
  });
});
