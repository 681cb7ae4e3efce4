import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lostExitCode } from "./lost-exit-code.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "ralph-lost-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));
const file = (name: string, text: string): void => writeFileSync(join(cwd, name), text);
const bash = (line: string): string => `bash -o pipefail -c '${line}'`;

describe("LOOP-24: a form that loses the exit code is named, with the one to write", () => {
  test.each<[command: string, write: string]>([
    ["npm test 2>&1 | tail -20", bash("npm test 2>&1 | tail -20")],
    ["npm test | tee t.log", bash("npm test | tee t.log")],
    [
      "npm test -- --reporter='dot' | grep -v warn",
      bash("npm test -- --reporter='\\''dot'\\'' | grep -v warn"),
    ],
    ["npm run lint && npm test | cat", bash("npm run lint && npm test | cat")],
    ["npm test | tail -5 && npm run lint", bash("npm test | tail -5 && npm run lint")],
    ["ls test/*.js | xargs -n1 node | tail -3", bash("ls test/*.js | xargs -n1 node | tail -3")],
    ["npm test || true", "npm test"],
    ["npm test || :", "npm test"],
    ["pytest -q || echo failed", "pytest -q"],
    ["npm test || exit 0", "npm test"],
    ["npm test || (echo failed; true)", "npm test"],
    ["npm test && echo ok || echo failed", "npm test && echo ok"],
    ["npm test || true && npm run build", "npm test && npm run build"],
    ["npm test; echo finished", "npm test && echo finished"],
    ["npm test\necho finished", "npm test && echo finished"],
    ["npm test; true", "npm test"],
    ["npm test; exit 0", "npm test"],
    ["npm test; echo $?", "npm test && echo $?"],
    ["npm test > o.log 2>&1; cat o.log", "npm test > o.log 2>&1 && cat o.log"],
    ["npm run lint; npm test", "npm run lint && npm test"],
    ["./ci/verify; echo ok", "./ci/verify && echo ok"],
    ["(npm test; true)", "npm test"],
    ["cd web && { npm test; true; }", "cd web && npm test"],
    ["sh -c 'npm test; echo ok'", "npm test && echo ok"],
    ["bash -c 'npm test | tail -3'", bash("npm test | tail -3")],
    ["npm test > o.log 2>&1 & wait", "npm test > o.log 2>&1"],
    ["npm test &", "npm test"],
    ["(npm test) & (npm run lint) & wait", "(npm test) && (npm run lint)"],
    ["for f in test/*.js; do node $f; done", "for f in test/*.js; do node $f || exit 1; done"],
    ["find test -name '*.js' -exec node {} \\;", "find test -name '*.js' -exec node {} +"],
    ["set -e; npm test | tail -3; echo ok", bash("set -e && npm test | tail -3 && echo ok")],
    ["./verify || true", "./verify"],
  ])("%s", async (command, write) => {
    expect((await lostExitCode(command, cwd))?.fix).toBe(`write \`${write}\``);
  });

  test.each(["true", ":", "echo ok"])("`%s` runs no test", async (command) => {
    expect(await lostExitCode(command, cwd)).toEqual({ why: "it always passes", fix: null });
  });

  test("in a package script, a shell script and a make target", async () => {
    file("package.json", JSON.stringify({ scripts: { test: "node --test | cat", ci: "npm test || true" } }));
    file("ci.sh", "#!/bin/sh\n# checks\nnpm ci\nnpm test\necho ok\n");
    file("strict.sh", "set -e\nnpm test | tee log\necho ok\n");
    file("Makefile", "all: x\n\ntest: x\n\t@echo begin\n\t-node --test\n\ncheck:\n\tpytest | tail -3\n");
    const whys = async (...commands: string[]) =>
      Promise.all(commands.map(async (command) => (await lostExitCode(command, cwd))?.why.split(", ", 1)[0]));
    expect(
      await whys("npm test", "cd . && npm run ci", "sh ci.sh", "bash strict.sh", "make test", "make check"),
    ).toEqual([
      'in the script "test" of package.json',
      'in the script "ci" of package.json',
      "in ci.sh",
      "in strict.sh",
      'in the target "test" of the makefile ("-" is `|| true`)',
      'in the target "check" of the makefile',
    ]);
  });
});

describe("LOOP-24: ordinary forms are not named", () => {
  test.each([
    "npm test",
    "npm test && npm run lint",
    "cd x; npm test",
    "cd x && npm test",
    "FOO=1 npm test",
    "npm ci; npm test",
    "mkdir -p out; rm -rf out/*; npm test",
    "grep -q x y || exit 1",
    "! grep TODO src/a.js",
    'test "$(git status --porcelain | wc -l)" = 0',
    'test -z "$(gofmt -l . | tail -1)"',
    "[ -f a ] && [ -f b ]",
    "test -f a || exit 1; test -f b || exit 1; echo fine",
    "rm -rf x || true; npm test",
    "docker rm db || true && npm test",
    "npm test && echo ok",
    "npm test || npm test",
    "npm test || (echo failed; exit 1)",
    "npm test || { echo failed; exit 1; }",
    "npm test; code=$?; rm -rf tmp; exit $code",
    "set -e; npm run lint; npm test; echo ok",
    "bash -o pipefail -c 'npm test | tail -20'",
    "bash -eo pipefail -c 'npm test | tee log; echo ok'",
    "bash -c 'set -o pipefail; npm test | cat'",
    "npm test | grep -q 'fail 0'",
    "node print.js | diff - expected.txt",
    "cat in.txt | node app.js",
    "ls test/*.js | xargs -n1 node",
    "npm start & npm test",
    "npm test & pid=$!; sleep 1; wait $pid",
    "npm test > log 2>&1",
    "npm test # ; true",
    "for f in test/*.js; do node $f || exit 1; done",
    "if ! npm test; then exit 1; fi",
    "find test -name '*.js' -exec node {} +",
    "timeout 60 npm test",
    'node -e "if (1) { console.log(1 || 2); true }"',
    "node index.js; npm test",
    "sh ok.sh",
    "./ok.sh",
    "make test",
  ])("%s", async (command) => {
    file("ok.sh", "#!/bin/bash\nset -euo pipefail\nnpm test | tee log\necho ok\n");
    file("Makefile", "test:\n\t-rm -f x\n\tnode --test\n\techo ok\n");
    file("package.json", JSON.stringify({ scripts: { test: "node --test", lint: "eslint ." } }));
    expect(await lostExitCode(command, cwd)).toBeNull();
  });
});
