import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

/** A title, and what an honest agent does for it. */
type Honest = readonly [title: string, script: string];

const feature = (name: string): Honest => [
  `Add ${name}`,
  `echo 'exports.${name} = () => 1;' > src/${name}.js; ${testOf(name)}`,
];
const testOf = (name: string, skip = ""): string =>
  `printf '%s\\n' 'const test = require("node:test");' 'test("${name}"${skip}, () => require("node:assert").ok(require("../src/${name}").${name}()));' > test/${name}.test.js`;
const script = (text: string): string => `node -e '${text}'`;
const manifest = (change: string): string =>
  script(
    `const fs = require("fs"); const p = JSON.parse(fs.readFileSync("package.json")); ${change}; fs.writeFileSync("package.json", JSON.stringify(p, null, 2) + "\\n")`,
  );

/** The first ones stand for the others. */
const ordinary: readonly Honest[] = [
  feature("one"),
  ["Revert the rounding of amounts", "git rm -q src/round.js test/round.test.js"],
  [
    "Move the helpers to lib",
    "mkdir -p lib; git mv src/base.js lib/base.js; sed -i s,src/base,lib/base, test/base.test.js",
  ],
  [
    "Update the pipeline and the package manager",
    `mkdir -p .github/workflows; echo 'on: push' > .github/workflows/ci.yml; ${manifest('p.packageManager = "npm@11.0.0"')}`,
  ],
  [
    "Skip the new test on Windows",
    `echo 'exports.two = () => 2;' > src/two.js; ${testOf("two", ', { skip: process.platform === "win32" }')}`,
  ],
  feature("three"),
  [
    "Add a lint script",
    `echo 'export default [];' > eslint.config.js; ${manifest('p.scripts.lint = "eslint ."')}`,
  ],
  [
    "Rename one to first",
    "git mv src/one.js src/first.js; git mv test/one.test.js test/first.test.js; sed -i s,one,first,g src/first.js test/first.test.js",
  ],
  ["Add a dependency", manifest('p.dependencies = { ms: "^2.0.0" }')],
  ["Format everything", "sed -i 's/^/ /' test/*.test.js src/*.js"],
  ["Write the README", "echo '# mix' > README.md"],
  ["Ignore logs", "echo '*.log' >> .gitignore"],
  ["Drop two, which nobody calls", "git rm -q src/two.js test/two.test.js"],
  feature("four"),
  [
    "Merge the tests of three and four",
    "tail -n +2 test/four.test.js >> test/three.test.js; git rm -q test/four.test.js",
  ],
  ["Set the version", manifest('p.version = "1.1.0"')],
  feature("five"),
  [
    "Commit as I go",
    "echo 'exports.six = () => 6;' > src/six.js; git add -A; git commit -qm six; echo more > notes.md",
  ],
  ["Add types", 'echo "{}" > tsconfig.json; echo "export {};" > src/types.d.ts'],
  ["Add a fixture", "mkdir -p test/fixtures; echo x > test/fixtures/x.txt"],
  ["Document the API", "mkdir -p docs; echo api > docs/api.md"],
  feature("seven"),
  ["Test seven twice", 'tail -n 1 test/seven.test.js | sed s,seven\\",seven_again\\", >> test/seven.test.js'],
  ["Add a Dockerfile", "echo 'FROM node' > Dockerfile; echo node_modules > .dockerignore"],
  ["Add an example", "mkdir -p examples; echo 1 > examples/a.js"],
  [
    "Split the tests of three",
    "tail -n 1 test/three.test.js > /dev/null; head -n 1 test/three.test.js > test/split.test.js; tail -n 1 test/three.test.js >> test/split.test.js; sed -i '$d' test/three.test.js",
  ],
  feature("eight"),
  ["Refactor eight", "echo 'const eight = () => 8; exports.eight = eight;' > src/eight.js"],
  ["Add an editor configuration", "echo 'root = true' > .editorconfig; echo '{}' > .prettierrc"],
  feature("nine"),
  ["Add a build script", manifest('p.scripts.build = "echo built"')],
  ["Add a licence", "echo MIT > LICENSE"],
];

const plain = (name: string, count: number, more = ""): readonly Honest[] =>
  Array.from({ length: count }, (_, at) => [
    `Write ${name} ${at}`,
    `echo ${at} > src/${name}${at}.txt${more}`,
  ]);

const base = {
  ".gitignore": "node_modules/\n",
  "package.json": '{\n  "name": "mix",\n  "scripts": { "test": "node --test" }\n}\n',
  "src/base.js": "exports.base = () => 1;\n",
  "src/round.js": "exports.round = () => 1;\n",
  "test/base.test.js": 'require("node:test")("base", () => require("../src/base").base());\n',
  "test/round.test.js": 'require("node:test")("round", () => require("../src/round").round());\n',
};

/** Projects whose verification writes files that git does not ignore, as do their agents, who run it too. */
const made = {
  report:
    "date +%N > report.txt; date +%N > junit.xml; mkdir -p coverage; date +%N > coverage/a.json; echo ok",
  binaries: "mkdir -p bin; for test in a b c d; do date +%N > bin/$test; date +%N > bin/$test.o; done",
  caches: "mkdir -p pkg/__pycache__; date +%N > pkg/__pycache__/a.pyc; date +%N > .coverage",
};

/** Returns all warnings of a run in which each task is done. */
async function warningsOf(
  files: Readonly<Record<string, string>>,
  command: string,
  tasks: readonly Honest[],
): Promise<readonly string[]> {
  project = practice(files);
  const steps = tasks.map(([, body], at) => [`t-${at + 1}`, [{ run: [["sh", "-ec", body]] }]]);
  await project.useWorker(
    Object.fromEntries(steps),
    `verify: ["${command}"]\nverifyGuard: report\nverifyBaseline: auto\nlimits: { maxAttempts: 1 }\n`,
  );
  await project.addTasks(tasks.map(([title], at) => ({ id: `t-${at + 1}`, title })));
  const { events, code } = await project.run();
  expect([code, finished(events).map(({ outcome }) => outcome)]).toEqual([0, tasks.map(() => "done")]);
  const all = events.flatMap((event) => (event["warnings"] as string[] | undefined) ?? []);
  project.remove();
  return all;
}

test("LOOP-18 LOOP-9: a mix of honest tasks has few warnings, and none that is false", async () => {
  const warnings = [...(await warningsOf(base, "npm test --silent", variants(ordinary, 3)))];
  for (const [name, body] of Object.entries(made)) {
    const tasks = plain(name, name === "report" ? 11 : 3, "; sh check.sh");
    warnings.push(
      ...(await warningsOf(
        { "check.sh": `set -e\n${body}\n`, "src/a.txt": "a" },
        "sh check.sh",
        variants(tasks, 2),
      )),
    );
  }
  // Files that verification made are named once for each project, where it is true.
  const isTrue = (text: string): boolean =>
    /^(?:verification made|changed during the verification)\b.*\b(?:report\.txt|bin\/|__pycache__)/.test(
      text,
    );
  expect(warnings.filter((text) => !isTrue(text))).toEqual([]);
  expect(warnings.length).toBeLessThanOrEqual(12);
});
