import { describe, expect, test } from "vitest";
import { scaledLimit } from "../../test/scaled-limit.ts";
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
    ".pytest.ini",
    ".mypy.ini",
    ".pylintrc",
    ".rubocop.yml",
    "deno.json",
    "deno.jsonc",
    ".oxlintrc.json",
    "pnpm-workspace.yaml",
    ".bazelrc",
    "karma.conf.js",
    "protractor.conf.js",
    "e2e/wdio.conf.ts",
    "nightwatch.conf.cjs",
    "pytest.toml",
    ".pytest.toml",
    ".pnp.cjs",
    ".pnp.loader.mjs",
    ...[".env", ".env.local", ".env.test", "web/.env.test.local", ".envrc", ".c8rc.json", ".coveragerc"],
    ...[".mvn/maven.config", ".mvn/jvm.config", "settings.gradle.kts", "gradle.properties"],
    ...[".config/nextest.toml", "phpstan.neon", "phpstan.neon.dist", "psalm.xml", "Directory.Build.props"],
    ...["ci.runsettings", ".prettierignore", ".eslintignore", ".python-version", ".nvmrc", "mise.toml"],
    ...["go.work", "dart_test.yaml", "analysis_options.yaml", ".babelrc", ".tool-versions"],
    "src/x.egg-info/entry_points.txt",
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
    ...[".env.example", ".env.local.sample", ".environment", "src/env.ts", ".env/bin/x", "src/go.work.ts"],
  ])("not %s", (path) => {
    expect(verificationFileWarnings([path])).toEqual([]);
  });
});

const diffOf = (path: string, body: string, mode = ""): string =>
  `diff --git a/${path} b/${path}\n${mode}index 1..2 100644\n--- a/${path}\n+++ b/${path}\n@@ -1,3 +1,3 @@\n${body}\n`;

describe("LOOP-18: what the diff tells", () => {
  const far = ["a", "b", "c", "d", "e"].map((name) => `     "${name}": "true",\n`).join("");
  const manifest = (changed: string): string =>
    diffOf("package.json", ` {\n   "scripts": {\n${far}${changed}\n }`);

  test.each([
    ["a script far below", '-    "verify": "sh check.sh"\n+    "verify": "true"\n   }'],
    ["a new script", '-    "x": ""\n+    "x": "",\n+    "postx": "true"\n   }'],
    ["a configuration", '     "x": ""\n-  }\n+  },\n+  "jest": { "testMatch": [] }'],
    ["invalid JSON", '     "x": ""\n-  }\n+  ]'],
  ])("%s of a manifest is reported", (_, changed) => {
    expect(verificationFileWarnings(["package.json"], { diff: manifest(changed) })).toHaveLength(1);
  });

  test("a diff of a manifest that shows nothing is reported", () => {
    const head = "diff --git a/package.json b/package.json\nindex 1..2 100644\n";
    const binary = `${head}Binary files a/package.json and b/package.json differ\n`;
    for (const diff of [head, binary])
      expect(verificationFileWarnings(["package.json"], { diff })).toHaveLength(1);
  });

  test("a new script that nothing runs is not reported", () => {
    const diff = manifest('-    "x": ""\n+    "x": "",\n+    "demo": "node demo.js"\n   }');
    expect(verificationFileWarnings(["package.json"], { diff })).toEqual([]);
  });

  test("a new dependency is not reported", () => {
    const diff = manifest(
      '     "x": ""\n   },\n-  "dependencies": {}\n+  "dependencies": { "yaml": "^2.9.1" }',
    );
    expect(verificationFileWarnings(["package.json"], { diff })).toEqual([]);
  });

  test("a test that became a link, and one that is too large", () => {
    const link =
      "diff --git a/a.test.ts b/a.test.ts\ndeleted file mode 100644\n--- a/a.test.ts\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-test(expect(1))\n" +
      "diff --git a/a.test.ts b/a.test.ts\nnew file mode 120000\n--- /dev/null\n+++ b/a.test.ts\n@@ -0,0 +1,1 @@\n+/dev/null\n";
    expect(verificationFileWarnings(["a.test.ts"], { diff: link })).toEqual([
      "a.test.ts was changed: it is a link now",
      "a.test.ts was changed: 1 test and 1 assertion fewer",
    ]);
    const large = (path: string): string =>
      `diff --git a/${path} b/${path}\nBinary files a/${path} and b/${path} differ\n`;
    const diff = large("tests/a.py") + large("tests/data.json");
    expect(verificationFileWarnings(["tests/a.py", "tests/data.json"], { diff })).toEqual([
      "tests/a.py was changed: it is too large to compare its tests",
    ]);
  });

  test("a test file with a new name, which is not called deleted", () => {
    const gone = diffOf("src/cart.test.ts", "-test()\n-more()", "deleted file mode 100644\n");
    const moved = diffOf("src/order.test.ts", "+test()\n+more()", "new file mode 100644\n");
    const other = diffOf("src/other.test.ts", "+test()", "new file mode 100644\n");
    const paths = ["src/cart.test.ts", "src/order.test.ts", "src/other.test.ts"];
    expect(verificationFileWarnings(paths, { diff: gone + other + moved })).toEqual([
      "src/cart.test.ts was moved to src/order.test.ts: verification may not run its tests there",
    ]);
    expect(verificationFileWarnings(paths, { diff: gone + other })).toEqual([
      "src/cart.test.ts was deleted: it contained tests",
    ]);
  });

  test("TRUST-12: many deleted and created test files are compared in linear time", () => {
    const lines = Array.from({ length: 200 }, (_, n) => `test(${n})`);
    const names = Array.from({ length: 1000 }, (_, n) => n);
    const gone = names.map((n) =>
      diffOf(`a${n}.test.ts`, lines.map((line) => `-${line}`).join("\n"), "deleted file mode 100644\n"),
    );
    const made = names.map((n) =>
      diffOf(
        `b${n}.test.ts`,
        `+${n}\n${lines.map((line) => `+${line}`).join("\n")}`,
        "new file mode 100644\n",
      ),
    );
    const start = performance.now();
    expect(verificationFileWarnings([], { diff: [...gone, ...made].join("") })).toHaveLength(1000);
    expect(performance.now() - start).toBeLessThan(scaledLimit(3000));
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
  const quoted = [
    `sh "ci scripts/a.sh" && sh ci\\ scripts/b.sh`,
    `cd 'ci scripts' && sh c.sh --x="d e.json"`,
  ];
  const inQuotes = ["a.sh", "b.sh", "c.sh", "d e.json"].map((name) => `ci scripts/${name}`);
  expect(filesRunBy(quoted, [...inQuotes, "a.sh", "scripts/a.sh"])).toEqual([...inQuotes, "scripts/a.sh"]);
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
