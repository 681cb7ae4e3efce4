import { describe, expect, test } from "vitest";
import { type Change, found } from "../../test/found-weakenings.ts";

const scripts = (all: Record<string, string>, more: object = {}): string =>
  `${JSON.stringify({ name: "x", scripts: all, ...more }, null, 2)}\n`;

describe("LOOP-18: files that verification commands name", () => {
  test.each([
    ["sh check.sh", "check.sh"],
    ["./ci/test.sh --all", "ci/test.sh"],
    ["node --import tsx tools/check.mjs", "tools/check.mjs"],
    ["CI=1 timeout 60 bash -eu ci/run && true", "ci/run"],
    ["cd packages/a && sh check.sh", "packages/a/check.sh"],
    [`sh -c "sh 'ci scripts/a.sh'"`, "ci scripts/a.sh"],
    ["uv run check.py", "check.py"],
    ["npx tsc -p config/strict.json", "config/strict.json"],
    ["vitest run --config=config/own.mjs", "config/own.mjs"],
    ["make -f ci/rules.mk test", "ci/rules.mk"],
    ["true; . ./env.sh", "env.sh"],
  ])("%s", (command, path) => {
    const one = found({ commands: [command], before: { [path]: "a\n" }, after: { [path]: "exit 0\n" } });
    expect(one).toEqual([`${path} was changed: verification runs it`]);
    const deleted = found({ commands: [command], before: { [path]: "a\n" }, after: { [path]: "" } });
    expect(deleted).toEqual(one);
  });

  test("a script of a package script", () => {
    const manifest = { "package.json": scripts({ test: "npm run unit", unit: "node check.mjs" }) };
    const before = { ...manifest, "check.mjs": "a\n" };
    expect(found({ before, after: { "check.mjs": "b\n" } })).toEqual([
      "check.mjs was changed: verification runs it",
    ]);
  });

  test.each([
    ["a new script", "sh check.sh", { after: { "check.sh": "exit 1\n" } }],
    ["a comment", "sh check.sh", { before: { "check.sh": "a\n" }, after: { "check.sh": "# why\na\n" } }],
    ["another one", "sh check.sh", { before: { "src/check.sh": "a\n" }, after: { "src/check.sh": "b\n" } }],
    [
      "what a command looks at",
      "test -f out.txt",
      { before: { "out.txt": "a\n" }, after: { "out.txt": "b\n" } },
    ],
    [
      "what is only parsed",
      "node --check app.js",
      { before: { "app.js": "a\n" }, after: { "app.js": "b\n" } },
    ],
    ["its output", "cat a.txt > out.sh", { before: { "out.sh": "a\n" }, after: { "out.sh": "b\n" } }],
  ])("not %s", (_, command, change: Change) => {
    expect(found({ commands: [command], ...change })).toEqual([]);
  });
});

describe("LOOP-18: package scripts and manifests", () => {
  const base = { test: "vitest run", lint: "eslint .", build: "tsc", pretest: "npm run build" };
  const changed = (now: Record<string, string>, more: object = {}): readonly string[] =>
    found({ before: { "package.json": scripts(base) }, after: { "package.json": scripts(now, more) } });

  test.each([
    ["changed", { ...base, test: "vitest run --passWithNoTests" }, "test"],
    ["removed", { lint: "eslint .", build: "tsc", pretest: base.pretest }, "test"],
    ["run before it", { ...base, build: "true" }, "build"],
  ])("a script that the commands run is %s", (_, now, name) => {
    expect(changed(now)).toEqual([`package.json was changed: verification runs its script "${name}"`]);
  });

  test.each([
    ["a new script", { ...base, demo: "node demo.js" }, {}],
    ["a script that verification does not run", { ...base, lint: "true" }, {}],
    ["a dependency", base, { dependencies: { yaml: "2" } }],
  ])("not %s", (_, now, more) => {
    expect(changed(now, more)).toEqual([]);
  });

  test("not the placeholder of npm init, nor another format", () => {
    const before = { "package.json": scripts({ test: 'echo "Error: no test specified" && exit 1' }) };
    expect(found({ before, after: { "package.json": scripts({ test: "node --test" }) } })).toEqual([]);
    const compact = JSON.stringify(JSON.parse(scripts(base)));
    expect(found({ before: { "package.json": scripts(base) }, after: { "package.json": compact } })).toEqual(
      [],
    );
  });

  test("settings of tests in a manifest", () => {
    expect(changed(base, { jest: { testMatch: [] } })).toEqual([
      'package.json was changed: its "jest" configures what is checked',
    ]);
    const project = (dependency: string, options: string): string =>
      `[project]\nname = "x"\ndependencies = [${dependency}]\n\n[tool.pytest.ini_options]\naddopts = "${options}"\n`;
    const toml = (now: string) =>
      found({ before: { "pyproject.toml": project("", "-q") }, after: { "pyproject.toml": now } });
    expect(toml(project("", "-q -k fast"))).toEqual([
      "pyproject.toml was changed: [tool.pytest] is not as it was",
    ]);
    expect(toml(project('"attrs"', "-q"))).toEqual([]);
  });
});

describe("LOOP-18: configuration of tests and CI", () => {
  const config = "it is test configuration";
  test.each<[string, string, string, string]>([
    ["vitest.config.ts", "export default {}", 'export default { exclude: ["**"] }', config],
    ["jest.config.js", "", "module.exports = { testMatch: [] }", config],
    ["pytest.ini", "[pytest]\n", "[pytest]\naddopts = -k fast\n", config],
    ["vite.config.ts", "a\n", "a\ntest: { exclude: [] }\n", config],
    [".github/workflows/ci.yml", "- run: npm test\n", "- run: npm run lint\n", "it is CI configuration"],
    [
      ".github/workflows/ci.yml",
      "- run: npm test\n",
      "- run: npm test\n  continue-on-error: true\n",
      "it is CI configuration",
    ],
    [".gitlab-ci.yml", "test: x\n", "", "it is CI configuration"],
    ["tsconfig.json", "{}\n", '{ "strict": false }\n', "it defines how strictly types are checked"],
    ["eslint.config.js", "a\n", "b\n", "it is lint configuration"],
    [".eslintignore", "", "src\n", "it exempts files from checks"],
    ["pom.xml", "<a/>\n", "<a/>\n<skipTests>true</skipTests>\n", "it may be test configuration"],
  ])("%s", (path, old, now, why) => {
    expect(found({ before: { [path]: old }, after: { [path]: now } })).toEqual([
      `${path} was changed: ${why}`,
    ]);
  });

  test("a Makefile that a command uses", () => {
    const change = { before: { Makefile: "test:\n\tnpm test\n" }, after: { Makefile: "test:\n\ttrue\n" } };
    expect(found({ ...change, commands: ["make test"] })).toEqual([
      "Makefile was changed: verification runs it",
    ]);
    expect(found(change)).toEqual([]);
    const added = { Makefile: "test:\n\tnpm test\n\ndemo:\n\tnode demo.js\n" };
    expect(found({ ...change, after: added, commands: ["make test"] })).toEqual([]);
  });

  test.each<[string, string, string, string]>([
    [
      "another format",
      "vitest.config.ts",
      "export default { a: 'b' }\n",
      'export default {\n  // why\n  a: "b",\n}\n',
    ],
    ["a new job of CI", ".github/workflows/ci.yml", "a: 1\n", "a: 1\nb: 2\n"],
    ["new CI", ".github/workflows/ci.yml", "", "a: 1\n"],
    ["a new package's types", "packages/a/tsconfig.json", "", "{}\n"],
    ["a plug-in of the bundler", "vite.config.ts", "plugins: [a]\n", "plugins: [a, b]\n"],
    ["a dependency of a build", "build.gradle", "a\n", 'a\nimplementation "b"\n'],
  ])("not %s", (_, path, old, now) => {
    expect(found({ before: { [path]: old }, after: { [path]: now } })).toEqual([]);
  });

  test("a protected file, also a new one", () => {
    const after = { "golden/a.txt": "b\n", "src/a.txt": "b\n" };
    expect(found({ after, protect: "golden/" })).toEqual(["golden/a.txt was changed: it is protected"]);
  });
});
