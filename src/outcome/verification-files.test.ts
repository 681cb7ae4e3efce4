import { describe, expect, test } from "vitest";
import { filesRunBy, verificationFileWarnings } from "./verification-files.ts";

describe("LOOP-18: files that define verification by name", () => {
  test.each([
    "package.json",
    "packages/api/package.json",
    "Makefile",
    "tox.ini",
    ".github/workflows/ci.yml",
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    "vitest.config.ts",
    "vite.config.mjs",
    "jest.config.js",
    "packages/web/playwright.config.ts",
    ".mocharc.json",
    "pytest.ini",
    "tests/conftest.py",
    "pyproject.toml",
    "pom.xml",
    "tsconfig.json",
    "tsconfig.build.json",
    "eslint.config.js",
    ".eslintrc.cjs",
    "biome.json",
    "ruff.toml",
  ])("%s", (path) => {
    expect(verificationFileWarnings([path])).toEqual([
      expect.stringMatching(`^${path.replaceAll(".", "\\.")} was changed: `),
    ]);
  });

  test.each([
    "src/package.json.ts",
    "src/a.ts",
    "README.md",
    "src/a.test.ts",
    "docs/Makefile.md",
    "github/workflows/ci.yml",
    "src/jest.config.js/x.ts",
    "src/vitest-config.ts",
    "package-lock.json",
  ])("not %s", (path) => {
    expect(verificationFileWarnings([path])).toEqual([]);
  });
});

const diffOf = (path: string, body: string, mode = ""): string =>
  `diff --git a/${path} b/${path}\n${mode}index 1..2 100644\n--- a/${path}\n+++ b/${path}\n@@ -1,3 +1,3 @@\n${body}\n`;

describe("LOOP-18: what the diff tells", () => {
  test("a changed script is told, a new dependency is not", () => {
    const scripts = diffOf("package.json", ' {\n-    "test": "vitest run",\n+    "test": "true",\n }');
    const dependency = diffOf("package.json", ' "dependencies": {\n+    "yaml": "^2.9.1",\n }');
    expect(verificationFileWarnings(["package.json"], { diff: scripts })).toHaveLength(1);
    expect(verificationFileWarnings(["package.json"], { diff: dependency })).toEqual([]);
  });

  test("a deleted test file", () => {
    const gone = diffOf("src/cart.test.ts", "-test()", "deleted file mode 100644\n");
    const other = diffOf("src/cart.ts", "-code()", "deleted file mode 100644\n");
    expect(verificationFileWarnings(["src/cart.test.ts", "src/cart.ts"], { diff: gone + other })).toEqual([
      "src/cart.test.ts was deleted: it contained tests",
    ]);
  });

  test.each([
    ["a.test.ts", '+  it.skip("adds", () => {'],
    ["a.spec.js", "+describe.only('x', () => {"],
    ["a.test.ts", "+xit('adds', () => {"],
    ["tests/test_a.py", "+@pytest.mark.skip(reason='later')"],
    ["test_a.py", "+    self.skipTest('x')"],
    ["a_test.go", '+\tt.Skip("flaky")'],
    ["tests/a.rs", "+    #[ignore]"],
    ["src/test/java/CartTest.java", "+    @Disabled"],
  ])("a skipped test in %s", (path, line) => {
    expect(verificationFileWarnings([path], { diff: diffOf(path, line) })).toEqual([
      `${path} was changed: tests are skipped in it`,
    ]);
  });

  test.each([
    ["a.test.ts", '-  it.skip("adds", () => {\n+  it("adds", () => {'],
    ["a.test.ts", ' it.skip("old", () => {\n+it("new", () => {})'],
    ["src/a.ts", "+items.skip(3)"],
  ])("no new skip in %s", (path, body) => {
    expect(verificationFileWarnings([path], { diff: diffOf(path, body) })).toEqual([]);
  });
});

test("LOOP-18: a script that a verification command runs by name is told when it changed, not when it is new", () => {
  const run = filesRunBy(
    ["node check.mjs --all && sh ./ci/unit.sh", "npx vitest run src/cart.test.ts"],
    ["check.mjs", "ci/unit.sh", "src/cart.test.ts", "src/check.mjs"],
  );
  expect(run).toEqual(["check.mjs", "ci/unit.sh"]);
  const inFolder = filesRunBy(
    ["cd packages/a && sh check.sh"],
    ["packages/a/check.sh", "packages/b/check.sh"],
  );
  expect(inFolder).toEqual(["packages/a/check.sh"]);
  const changed = diffOf("check.mjs", "process.exit(0)");
  expect(verificationFileWarnings(["check.mjs"], { diff: changed, run })).toEqual([
    "check.mjs was changed: verification runs it",
  ]);
  const linked =
    "diff --git a/check.mjs b/check.mjs\ndeleted file mode 100644\n--- a/check.mjs\n+++ /dev/null\n-x\n" +
    "diff --git a/check.mjs b/check.mjs\nnew file mode 120000\n--- /dev/null\n+++ b/check.mjs\n+/dev/null\n";
  expect(verificationFileWarnings(["check.mjs"], { diff: linked, run })).toEqual([
    "check.mjs was changed: verification runs it",
  ]);
  const created = changed.replace("\n", "\nnew file mode 100644\n");
  expect(verificationFileWarnings(["check.mjs"], { diff: created, run })).toEqual([]);
  expect(verificationFileWarnings(["check.mjs"], { run })).toEqual([]);
});
