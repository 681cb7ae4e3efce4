import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { detectVerification } from "./detect-verification.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ralph-detect-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function detect(files: Record<string, string>): Promise<readonly string[]> {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return (await detectVerification(root)).map(({ command, from }) => `${command.run} (${from})`);
}
const scripts = (names: Record<string, string>, more: object = {}): string =>
  JSON.stringify({ scripts: names, ...more });

test("LOOP-5: an empty folder, or none, proposes nothing", async () => {
  expect(await detect({})).toEqual([]);
  expect(await detectVerification(join(root, "missing"))).toEqual([]);
});

test("LOOP-5: scripts of package.json, the tests last", async () => {
  const all = {
    test: "vitest run",
    lint: "biome lint",
    typecheck: "tsc",
    build: "x",
    check: "y",
    start: "node .",
  };
  expect(await detect({ "package.json": scripts(all) })).toEqual([
    'npm run typecheck (package.json, script "typecheck")',
    'npm run lint (package.json, script "lint")',
    'npm run check (package.json, script "check")',
    'npm run build (package.json, script "build")',
    'npm test (package.json, script "test")',
  ]);
});

test("LOOP-5: npm's placeholder does not count as a test", async () => {
  const files = { "package.json": scripts({ test: 'echo "Error: no test specified" && exit 1', lint: "" }) };
  expect(await detect(files)).toEqual([]);
});

test.each([
  ["pnpm-lock.yaml", {}, "pnpm test"],
  ["yarn.lock", {}, "yarn test"],
  ["bun.lock", {}, "bun run test"],
  ["bun.lockb", {}, "bun run test"],
  ["package-lock.json", {}, "npm test"],
  ["yarn.lock", { packageManager: "pnpm@9.1.0" }, "pnpm test"],
  ["none.txt", {}, "npm test"],
])("LOOP-5: %s with %j is run by `%s`", async (lock, more, command) => {
  const found = await detect({ "package.json": scripts({ test: "x" }, more), [lock]: "" });
  expect(found).toEqual([`${command} (package.json, script "test")`]);
});

test.each<[string, Record<string, string>, string[]]>([
  ["Cargo", { "Cargo.toml": "[package]\nname = 'a'" }, ["cargo test (Cargo.toml)"]],
  [
    "a Cargo workspace",
    { "Cargo.toml": "[workspace]\nmembers = []" },
    ["cargo test --workspace (Cargo.toml)"],
  ],
  ["Go", { "go.mod": "module a" }, ["go vet ./... (go.mod)", "go test ./... (go.mod)"]],
  [
    "Python with ruff, mypy and pytest by uv",
    { "pyproject.toml": "[tool.ruff]\n[tool.mypy]\n[tool.pytest.ini_options]", "uv.lock": "" },
    [
      "uv run ruff check . (pyproject.toml, [tool.ruff])",
      "uv run mypy . (pyproject.toml, [tool.mypy])",
      "uv run pytest (pyproject.toml, pytest)",
    ],
  ],
  ["pytest by its own file", { "pytest.ini": "" }, ["python3 -m pytest (pytest.ini)"]],
  [
    "Python with packages in a virtual environment",
    { "pytest.ini": "", "venv/pyvenv.cfg": "home = /usr/bin\n" },
    ["venv/bin/python -m pytest (pytest.ini)"],
  ],
  [
    "Python without pytest, with a virtual environment",
    { "pyproject.toml": "[project]", ".venv/pyvenv.cfg": "home = /usr/bin\n" },
    [".venv/bin/python -m unittest (pyproject.toml)"],
  ],
  ["Python without pytest", { "pyproject.toml": "[project]" }, ["python3 -m unittest (pyproject.toml)"]],
  [
    "make that runs Go's tests: no doubles",
    { "go.mod": "module x", Makefile: "test:\n\tgo vet ./...\n\tgo test -race ./...\n" },
    ['make test (Makefile, target "test")'],
  ],
  [
    "make that runs pytest: no doubles",
    { "pytest.ini": "", Makefile: "test: deps\n\t@uv run pytest -q" },
    ['make test (Makefile, target "test")'],
  ],
  [
    "make that runs other tests",
    { "Cargo.toml": "[package]", Makefile: "test:\n\t./smoke.sh\nunit:\n\tcargo test\n" },
    ["cargo test (Cargo.toml)", 'make test (Makefile, target "test")'],
  ],
  [
    "make",
    { Makefile: "test: build\n\tgo\n.PHONY: test\ncheck := 1\n" },
    ['make test (Makefile, target "test")'],
  ],
  [
    "make that runs them by another target and a variable",
    {
      "go.mod": "module x",
      Makefile: "GO ?= go\ntest: vet unit\nvet:\n\t$(GO) vet ./...\nunit:\n\t$(GO) test ./...\n",
    },
    ['make test (Makefile, target "test")'],
  ],
  [
    "make check that runs make test, which runs the script",
    {
      "package.json": scripts({ test: "node --test" }),
      Makefile: "check: lint test\nlint:\n\teslint .\ntest:\n\tnpm test\n",
    },
    ['make check (Makefile, target "check")'],
  ],
  [
    "a script that runs the others",
    {
      "package.json": scripts({
        check: "npm run lint && npm run -s types && npm test",
        lint: "eslint .",
        types: "tsc",
        test: "vitest",
      }),
    },
    ['npm run check (package.json, script "check")'],
  ],
  [
    "scripts of one text, and one that runs before the tests",
    {
      "package.json": scripts({
        check: "tsc",
        typecheck: "tsc",
        pretest: "npm run build",
        build: "vite build",
        test: "vitest",
      }),
    },
    ['npm run check (package.json, script "check")', 'npm test (package.json, script "test")'],
  ],
  ["bats", { "test/a.bats": "@test x { true; }" }, ["bats test (test/a.bats)"]],
  [
    "bats of a submodule, which make runs",
    { "tests/a.bats": "", "tests/bats/bin/bats": "", Makefile: "test:\n\t./tests/bats/bin/bats tests\n" },
    ['make test (Makefile, target "test")'],
  ],
  ["bats beside the scripts", { "a.bats": "" }, ["bats . (a.bats)"]],
  [
    "a bare test of pytest",
    { "tests/test_a.py": "import pytest\ndef test_a():\n    pass\n" },
    ["python3 -m pytest (tests/test_a.py)"],
  ],
  [
    "a bare test of unittest",
    { "tests/test_a.py": "import unittest\n", "setup.py": "" },
    ["python3 -m unittest discover -s tests (tests/test_a.py)"],
  ],
  [
    "tests of unittest in a package",
    { "test/test_a.py": "from unittest import TestCase\n", "test/__init__.py": "" },
    ["python3 -m unittest discover -s test -t . (test/test_a.py)"],
  ],
  ["a bare test beside the code", { "test_a.py": "def test_a(): ...\n" }, ["python3 -m pytest (test_a.py)"]],
  ["pytest in tox.ini", { "tox.ini": "[pytest]\n" }, ["python3 -m pytest (tox.ini, pytest)"]],
  ["make check", { makefile: "all:\ncheck:\n" }, ['make check (makefile, target "check")']],
])("LOOP-5: %s", async (_, files, expected) => {
  expect(await detect(files)).toEqual(expected);
});

test("LOOP-5: a package.json that is broken, huge or a folder proposes nothing", async () => {
  expect(await detect({ "package.json": "{" })).toEqual([]);
  expect(await detect({ "package.json": "[1]" })).toEqual([]);
  expect(await detect({ "package.json": '{"scripts": {"test": 3}}' })).toEqual([]);
  expect(await detect({ "package.json": `${scripts({ test: "x" })}${" ".repeat(1024 * 1024)}` })).toEqual([]);
  rmSync(join(root, "package.json"));
  expect(await detect({ "package.json/x": "" })).toEqual([]);
});

test("LOOP-5: the tests in the packages of a monorepo, each in its folder and for its files", async () => {
  const files = {
    "package.json": scripts({ lint: "eslint ." }, { workspaces: ["packages/*", "apps/*"] }),
    "pnpm-lock.yaml": "",
    "packages/a/package.json": scripts({ test: "vitest", lint: "eslint ." }),
    "packages/none/package.json": scripts({ build: "tsc" }),
    "apps/web/package.json": scripts({ test: "vitest" }),
    "services/api/pyproject.toml": "[tool.pytest.ini_options]\n",
    "services/old/pyproject.toml": "[project]\n",
    "tools/x/go.mod": "module x\n",
    "node_modules/b/package.json": scripts({ test: "x" }),
    "examples/c/package.json": scripts({ test: "x" }),
  };
  expect(await detect(files)).toEqual([
    'pnpm run lint (package.json, script "lint")',
    'pnpm test (apps/web/package.json, script "test")',
    'pnpm test (packages/a/package.json, script "test")',
    "python3 -m pytest (services/api/pyproject.toml, pytest)",
    "go test ./... (tools/x/go.mod)",
  ]);
  const [, web] = await detectVerification(root);
  expect(web?.command).toMatchObject({ run: "pnpm test", in: "apps/web", when: ["apps/web/**"] });
});

test("LOOP-5: tests at the root are those of the packages too", async () => {
  const files = { "package.json": scripts({ test: "x" }), "packages/a/package.json": scripts({ test: "x" }) };
  expect(await detect(files)).toEqual(['npm test (package.json, script "test")']);
});
