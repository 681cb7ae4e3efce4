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
    expect(changed(base, { vitest: { exclude: [] }, packageManager: "pnpm@10" })).toEqual([
      'package.json was changed: its "vitest" configures what is checked',
    ]);
    expect(changed(base, { jest: { testMatch: [] }, packageManager: "pnpm@10" })).toEqual([]);
    const project = (dependency: string, options: string): string =>
      `[project]\nname = "x"\ndependencies = [${dependency}]\n\n[tool.pytest.ini_options]\naddopts = "${options}"\n`;
    const toml = (now: string, command = "uv run pytest") =>
      found({
        commands: [command],
        before: { "pyproject.toml": project("", "-q") },
        after: { "pyproject.toml": now },
      });
    expect(toml(project("", "-q -k fast"))).toEqual([
      "pyproject.toml was changed: [tool.pytest] is not as it was",
    ]);
    expect(toml(project('"attrs"', "-q"))).toEqual([]);
    expect(toml(project("", "-q -k fast"), "python -m unittest")).toEqual([]);
  });
});

describe("LOOP-18: configuration that the commands read", () => {
  const config = "it is test configuration";
  const loose = '{ "strict": false }\n';
  const cases: readonly (readonly [
    command: string,
    path: string,
    old: string,
    now: string,
    why: string | null,
  ])[] = [
    ["npx vitest run", "vitest.config.ts", "export default {}", 'export default { exclude: ["**"] }', config],
    ["jest", "jest.config.js", "", "module.exports = { testMatch: [] }", config],
    ["pytest", "pytest.ini", "[pytest]\n", "[pytest]\naddopts = -k fast\n", config],
    ["vitest", "vite.config.ts", "a\n", "a\ntest: { exclude: [] }\n", config],
    ["npx tsc", "tsconfig.json", "{}\n", loose, "it defines how strictly types are checked"],
    [
      "tsc -p packages/a",
      "packages/a/tsconfig.json",
      "{}\n",
      loose,
      "it defines how strictly types are checked",
    ],
    ["eslint .", "eslint.config.js", "a\n", "b\n", "it is lint configuration"],
    ["eslint .", ".eslintignore", "", "src\n", "it exempts files from checks"],
    ["mvn test", "pom.xml", "<a/>\n", "<a/>\n<skipTests>true</skipTests>\n", "it may be test configuration"],
    ["turbo test", "packages/a/jest.config.js", "a\n", "b\n", config],
    // Files that no command reads.
    ["node --test", "vitest.config.ts", "a\n", "b\n", null],
    ["node --test", "tsconfig.json", "{}\n", loose, null],
    ["npx vitest run", "examples/a/vitest.config.ts", "a\n", "b\n", null],
    ["npm test", "examples/a/package.json", '{"scripts":{"test":"a"}}\n', '{"scripts":{"test":"b"}}\n', null],
    ["npm test", ".github/workflows/ci.yml", "- run: npm test\n", "- run: npm run lint\n", null],
    ["npm test", ".gitlab-ci.yml", "test: x\n", "", null],
    // Other settings, and stricter ones.
    ["npx tsc", "tsconfig.json", '{\n"target": "a"\n}\n', '{\n"target": "b",\n"strict": true\n}\n', null],
    ["eslint .", "eslint.config.js", "a\n", 'a\n"no-var": "error"\n', null],
  ];
  test.each(cases)("%s: %s", (command, path, old, now, why) => {
    const state = old === "" ? "added" : "changed";
    expect(found({ commands: [command], before: { [path]: old }, after: { [path]: now } })).toEqual(
      why === null ? [] : [`${path} was ${state}: ${why}`],
    );
  });

  test("what the commands' scripts start", () => {
    const after = { "vitest.config.ts": "b\n" };
    const runs = { "ci.sh": "set -e\nnpx vitest run\n", Makefile: "test:\n\tnpm test\n" };
    const before = { ...runs, "package.json": scripts({ test: "sh ci.sh" }), "vitest.config.ts": "a\n" };
    for (const command of ["sh ci.sh", "npm test", "make test"])
      expect(found({ commands: [command], before, after }), command).toHaveLength(1);
  });

  test("of a Makefile, what is made for the goals", () => {
    const before = {
      Makefile:
        "CC = cc\nOBJS = a.o b.o\n.PHONY: test docs\n\nall: $(OBJS)\n\ntest: all run\n\nrun:\n\t./run-tests\n\ndocs:\n\tdoxygen a\n",
    };
    const made = (from: string, to: string, command = "make test"): number =>
      found({ commands: [command], before, after: { Makefile: before.Makefile.replace(from, to) } }).length;
    expect(made("./run-tests", "./run-tests || true")).toBe(1);
    expect(made("test: all run", "test: all")).toBe(1);
    expect(made("a.o b.o", "a.o b.o c.o")).toBe(0);
    expect(made("doxygen a", "doxygen b")).toBe(0);
    expect(made("doxygen a", "doxygen b", "make docs")).toBe(1);
    expect(made("run:\n", "lint:\n\tcc -Wall a.c\n\nrun:\n")).toBe(0);
  });

  test.each<[string, string, string, string]>([
    ["Move the tests to test/unit", "test/a.test.js", 'test("a", () => expect(1));\n', ""],
    ["Drop the legacy parser", "test/legacy.test.js", 'test("a", () => expect(1));\n', ""],
    ["Use the vitest config of the team", "vitest.config.ts", "a\n", "b\n"],
    ["Add a coverage goal to ci/check.sh", "ci/check.sh", "a\n", "b\n"],
    ["Have check.sh print dots", "ci/check.sh", "a\n", "b\n"],
  ])("not what the task asks for: %s", (task, path, old, now) => {
    const change = { commands: ["vitest; sh ci/check.sh"], before: { [path]: old }, after: { [path]: now } };
    expect(found({ ...change, task })).toEqual([]);
    expect(found({ ...change, task: "Parse dates, and check what remains" })).toHaveLength(1);
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
    ["a new package's types", "packages/a/tsconfig.json", "", "{}\n"],
    ["a plug-in of the bundler", "vite.config.ts", "plugins: [a]\n", "plugins: [a, b]\n"],
    ["a dependency of a build", "build.gradle", "a\n", 'a\nimplementation "b"\n'],
  ])("not %s", (_, path, old, now) => {
    const commands = ["vitest; tsc; gradle test"];
    expect(found({ commands, before: { [path]: old }, after: { [path]: now } })).toEqual([]);
  });

  test("a protected file, also a new one", () => {
    const after = { "golden/a.txt": "b\n", "src/a.txt": "b\n" };
    expect(found({ after, protect: "golden/" })).toEqual(["golden/a.txt was added: it is protected"]);
  });
});
