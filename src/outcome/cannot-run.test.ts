import { expect, test } from "vitest";
import type { ProcessResult } from "../process/run-process.ts";
import { isCausedByWork, whyItCannotRun } from "./cannot-run.ts";

const result = (changes: Partial<ProcessResult>): ProcessResult => ({
  ...{ spawnError: null, exitCode: 1, signal: null, ended: "exited", durationMs: 1, survivorsKilled: 0 },
  ...changes,
});
const why = (exitCode: number, text: string, command = "sh ci.sh; true") =>
  whyItCannotRun(command, { result: result({ exitCode }), text, cwd: "/", env: { PATH: "/bin" } });

const nodeThrows = (module: string): string =>
  `node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module '${module}'\n    at Module._resolveFilename\n  code: 'MODULE_NOT_FOUND',\n`;
const npmRun = "npm warn config x\n\n> p@1.0.0 test\n> vitest run\n\n";
test.each([
  [127, "/bin/sh: 1: nosuch: not found\n", "/bin/sh: 1: nosuch: not found", ["nosuch"]],
  [
    127,
    "/bin/sh: line 1: nosuch: command not found",
    "/bin/sh: line 1: nosuch: command not found",
    ["nosuch"],
  ],
  [127, "ci.sh: 3: ./tools/run: not found", "ci.sh: 3: ./tools/run: not found", ["tools/run"]],
  [
    127,
    "/usr/bin/env: ‘ruby’: No such file or directory",
    "/usr/bin/env: ‘ruby’: No such file or directory",
    ["ruby"],
  ],
  [126, "/bin/sh: 1: ./x: Permission denied", "/bin/sh: 1: ./x: Permission denied", ["x"]],
  [127, `${npmRun}sh: 1: vitest: not found\nnpm error code 127\n`, "sh: 1: vitest: not found", ["vitest"]],
  [127, "", "exit code 127 without output", []],
  [
    1,
    'npm warn x\nnpm error Missing script: "lint"\nnpm error\n',
    'package.json has no "lint"',
    ["package.json"],
  ],
  [1, " ERR_PNPM_NO_SCRIPT  Missing script: lint\n", 'package.json has no "lint"', ["package.json"]],
  [1, 'yarn run v1.22.22\nerror Command "lint" not found.\n', 'package.json has no "lint"', ["package.json"]],
  [2, "make: *** No rule to make target 'test'.  Stop.", 'Makefile has no "test"', ["Makefile"]],
  [2, "sh: 0: cannot open ci/check.sh: No such file\n", "there is no ci/check.sh", ["ci/check.sh"]],
  [
    2,
    "python3: can't open file '/ci/check.py': [Errno 2] No such file or directory\n",
    "there is no ci/check.py",
    ["ci/check.py"],
  ],
  [2, 'Can\'t open perl script "t.pl": No such file or directory\n', "there is no t.pl", ["t.pl"]],
  [1, `${nodeThrows("/t.js")}requireStack: []\n}\n`, "there is no t.js", ["t.js"]],
  [1, "Could not find '/t.test.js'\n", "there is no t.test.js", ["t.test.js"]],
  [2, "/bin/sh: 1: cd: can't cd to none\n", "there is no none", ["none"]],
  [1, "bash: line 1: cd: none: No such file or directory\n", "there is no none", ["none"]],
  [1, "/usr/bin/python3: No module named pytest", 'Python has no module "pytest"', ["pytest", "pytest.py"]],
])("LOOP-21: exit code %i and %j: it could not be executed", async (exitCode, text, missing, definedBy) => {
  expect(await why(exitCode, text)).toEqual({ missing, definedBy });
});

test.each([
  ["a test that failed", 1, "FAIL a.test.ts\n"],
  ["a missing file in its output", 1, "cat: a.txt: No such file or directory\n"],
  ["other output before it", 127, "3 tests passed\nci.sh: 9: deploy: not found\n"],
  ["a missing script after something ran", 1, 'ok\nnpm error Missing script: "lint"\n'],
  [
    "a prerequisite that make does not find",
    2,
    "make: *** No rule to make target 'a.c', needed by 'a.o'.  Stop.",
  ],
  ["a module that a file requires", 1, `${nodeThrows("./app")}requireStack: [ '/t.js' ]\n}\n`],
  ["a module that a test imports", 1, "Traceback:\nModuleNotFoundError: No module named 'app'\n"],
  ["success", 0, "/bin/sh: 1: nosuch: not found\n"],
])("LOOP-21: %s: it ran", async (_, exitCode, text) => {
  expect(await why(exitCode, text)).toBeNull();
});

test.each([
  ["set -o pipefail; npm test | cat", 2, "set: Illegal option -o pipefail"],
  ["[[ -f a ]] && npm test", 127, "[[: not found"],
  ["source env.sh; npm test", 1, "source: not found"],
  ["diff <(node a) <(node b)", 2, 'Syntax error: "(" unexpected'],
  ["for ((i = 0; i < 3; i++)); do node a; done", 2, "Syntax error: Bad for loop variable"],
])("LOOP-21: `%s` is for bash: it could not be executed by /bin/sh", async (command, exitCode, says) => {
  const missing = `verify runs in /bin/sh, which says "${says}": write \`bash -c '${command}'\``;
  expect(await why(exitCode, `/bin/sh: 1: ${says}\n`, command)).toEqual({ missing, definedBy: [] });
});

test("LOOP-21: a command that cannot be started, and one that was stopped", async () => {
  const place = { text: "", cwd: "/", env: {} };
  const failed = result({
    ended: "spawn-failed",
    exitCode: null,
    spawnError: "the working folder /x does not exist",
  });
  expect(await whyItCannotRun("true", { result: failed, ...place })).toMatchObject({
    missing: "the working folder /x does not exist",
  });
  for (const ended of ["timeout", "cancelled"] as const)
    expect(await whyItCannotRun("nosuch", { result: result({ ended, exitCode: 127 }), ...place })).toBeNull();
});

const script = { missing: 'package.json has no script "lint"', definedBy: ["package.json"] };
const program = { missing: 'the program "x" was not found', definedBy: [] };
const told = { missing: "ci.sh: 1: tools/x: not found", definedBy: ["tools/x"] };
const attempt = {
  ...{ cannotRun: script, ranBefore: false, before: script, after: script },
  ...{ files: ["a.ts"], definitions: [] },
};
test.each<[string, boolean, Partial<Parameters<typeof isCausedByWork>[0]>]>([
  ["missing all along", false, {}],
  ["there before, gone now", true, { before: null }],
  ["something else was missing before", true, { before: program }],
  ["its scripts were changed", true, { files: ["package.json"], definitions: ["package.json"] }],
  ["only its dependencies were changed", false, { files: ["package.json"] }],
  [
    "an unrelated configuration was changed",
    false,
    { files: ["tsconfig.json"], definitions: ["tsconfig.json"] },
  ],
  ["deep in a script that ran before", true, { cannotRun: told, ranBefore: true, before: null, after: null }],
  ["gone since it ran, before this attempt", false, { ranBefore: true }],
  ["deep in a script, nothing of it changed", false, { cannotRun: told, before: null, after: null }],
  [
    "deep in a script, its file changed",
    true,
    { cannotRun: told, before: null, after: null, files: ["tools/x"] },
  ],
  [
    "deep in a script, its folder deleted",
    true,
    { cannotRun: { ...told, definedBy: ["tools"] }, before: null, after: null, files: ["tools/x"] },
  ],
  [
    "deep in a script, verification changed",
    true,
    { cannotRun: told, before: null, after: null, definitions: ["ci.sh"] },
  ],
])("LOOP-21: the work is to blame: %s: %s", (_, blame, changes) => {
  expect(isCausedByWork({ ...attempt, ...changes })).toBe(blame);
});
