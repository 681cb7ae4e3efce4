import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { removeTempRepositories } from "../../../../test/temp-repository.ts";
import { type Files, watching } from "../../../../test/watching.ts";

afterEach(removeTempRepositories);

/** A command, or the text of `check.sh`; the work of tasks is in `src` and `bin/tool`. */
test.each([
  "nice -n 5 sh ci/x.sh",
  "timeout --foreground 60 sh ci/x.sh",
  "timeout 60 ci/run",
  "flock .lock sh ci/x.sh",
  "echo ci/x.sh | xargs -n 1 sh ci/x.sh",
  "env CI=1 sh ci/x.sh",
  "env -u A CI=1 ci/x.sh",
  'eval "sh ci/x.sh"',
  "bash -ec 'cd . && npm run x'",
  'step() { echo "== $*"; "$@"; }\nstep sh ci/x.sh',
  "run 'the tests' -- npm run --silent x",
  "retry 3 make x",
  "poetry run python ci/x.py",
  "/usr/bin/env sh ci/x.sh",
  "/usr/bin/python3 -B ci/x.py",
])("LOOP-18: the scripts behind a wrapper are found: %s", (command) => {
  const files = ["ci/x.sh", "ci/run", "ci/x.py", "src/main.py", "src/data.txt"];
  const made = watching({
    ...Object.fromEntries(files.map((path) => [path, ""])),
    "package.json": '{"scripts":{"x":"sh ci/x.sh"}}',
    Makefile: "x:\n\tsh ci/x.sh\n",
    "check.sh": `${command}\n`,
  });
  chmodSync(join(made.dir, "ci/run"), 0o755);
  for (const [run, others] of [
    [command, []],
    ["sh check.sh", ["check.sh"]],
  ] as const) {
    const found = made.begin(run).filter((path) => path !== "Makefile" && !others.includes(path as never));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^ci\//);
  }
});

test.each([
  "grep -q node src/main.mjs",
  "echo node src/main.mjs src/x.sh",
  "prettier --check src/main.mjs README.md",
  "timeout 60 diff src/main.mjs expected.txt",
  "test -x src/x.sh",
  "shellcheck src/x.sh",
  "xargs eslint src/main.mjs < src/list.txt",
])("LOOP-18: a file that is only read is no script: %s", (command) => {
  const names = ["src/main.mjs", "src/x.sh", "src/list.txt", "README.md", "expected.txt"];
  expect(watching(Object.fromEntries(names.map((path) => [path, ""]))).begin(command)).toEqual([]);
});

const callX = "sh scripts/x.sh\n";
test.each([
  ["a folder by a variable", 'ROOT="$(cd "$(dirname "$0")/.." && pwd)"\ncd "$ROOT"\nsh scripts/x.sh\n'],
  ["the folder above the script", 'cd "$(dirname "$0")/.."\nsh scripts/x.sh\n'],
  ["the script's own folder", 'cd "$(dirname "$0")"\nsh ../scripts/x.sh\n'],
  ["a variable with braces", ['sh "$', '{ROOT}/scripts/x.sh"\n'].join("")],
  ["a folder for a while", `(cd web && true)\n${callX}`],
  ["git's top", `cd "$(git rev-parse --show-toplevel)" || exit 1\n${callX}`],
])("LOOP-18: scripts are found after a change to %s", (_, text) => {
  const made = watching({ "ci/check.sh": text, "scripts/x.sh": "", "web/a.txt": "" });
  expect(made.begin("sh ci/check.sh").toSorted()).toEqual(["ci/check.sh", "scripts/x.sh"]);
});

test.each([
  ["bin/bash", { "check.sh": "#!/usr/bin/env bash\ntrue\n" }, "sh ./check.sh"],
  ["bin/zsh", { "check.sh": "#!/usr/bin/env -S zsh -e\ntrue\n" }, "sh ./check.sh"],
  ["bin/bash", { Makefile: "export SHELL := bash\nx:\n\ttrue\n" }, "make x"],
  ["tools/node", { "check.sh": 'export PATH="$PWD/tools:$PATH"\nnode x\n' }, "sh check.sh"],
  ["ci/tools/node", { "ci/check.sh": 'PATH=$(dirname "$0")/tools:$PATH node x\n' }, "sh ci/check.sh"],
  ["tools/node", { Makefile: "export PATH := $(CURDIR)/tools:$(PATH)\nx:\n\tnode x\n" }, "make x"],
] as const)("LOOP-18: a new %s that would be started is reported, of %o", (planted, files, command) => {
  const made = watching({ ...(files as Files), "src/x": "", "tools/other": "" });
  made.begin(command);
  for (const path of ["src/node", "tools/unknown", planted]) made.write(path, "x");
  expect(made.changes()).toEqual([`${planted}: added`]);
});

const web = {
  "web/package.json": '{"scripts":{"ci":"sh ck.sh","postinstall":"sh post.sh"}}',
  "web/ck.sh": "",
  "web/post.sh": "",
};
test.each([
  ["npm --prefix web run --silent ci", "web/ck.sh"],
  ["npm -C web run ci", "web/ck.sh"],
  ["npm run ci --prefix=web", "web/ck.sh"],
  ["yarn --cwd web ci", "web/ck.sh"],
  ["pnpm -C ./web run ci", "web/ck.sh"],
  ["pnpm --dir web ci", "web/ck.sh"],
  ["npm -w web run ci", "web/ck.sh"],
  ["yarn workspace @a/web ci", "web/ck.sh"],
  ["pnpm --filter web run ci", "web/ck.sh"],
  ["bun --cwd=web run ci", "web/ck.sh"],
  ["npm ci --prefix web", "web/post.sh"],
  ["yarn --cwd web --frozen-lockfile", "web/post.sh"],
  ["make --directory=sub", "sub/x.sh"],
  ["make -Csub", "sub/x.sh"],
  ["make all", "sub/x.sh"],
  ["make other", "sub/x.sh"],
])("LOOP-18: the scripts of another folder are found: %s", (command, script) => {
  const made = watching({
    ...web,
    Makefile: command.includes("other")
      ? ["other:\n\t@$", "{MAKE} --no-print-directory -C sub x\n"].join("")
      : "all:\n\t$(MAKE) -C sub x\n",
    "sub/Makefile": "x:\n\tsh x.sh\n",
    "sub/x.sh": "",
    "ck.sh": "",
  });
  const found = made.begin(command);
  expect(found).toContain(script);
  expect(found).not.toContain("ck.sh");
});

test("LOOP-18: a file that a script reads if it exists is reported when it appears", () => {
  const made = watching({
    "check.sh":
      '[ -f ./.env.sh ] && . ./.env.sh\nsource "$PWD/lib.sh" || true\nif test -x ci/more; then ci/more; fi\n. "$HOME/.rc"\nmake x\nnode src/gone.mjs\n',
    Makefile: "-include local.mk $(DEPS) *.d\nx:\n\ttrue\n",
  });
  made.begin("sh check.sh");
  for (const path of [".env.sh", "lib.sh", "ci/more", "local.mk", "src/gone.mjs", "src/new.sh"])
    made.write(path, "exit 0\n");
  made.home.write(".rc", "exit 0\n");
  const added = [".env.sh", "lib.sh", "ci/more", "local.mk", "~/.rc"];
  expect(made.changes().toSorted()).toEqual(added.map((name) => `${name}: added`).toSorted());
  // Until it is undone.
  made.begin("sh check.sh");
  expect(made.changes()).toHaveLength(added.length);
});

test("LOOP-18: a start file of Python in a folder that did not exist is reported", () => {
  const made = watching({ "run.py": "" });
  const site = ".local/lib/python3.11/site-packages";
  made.begin("python3 run.py");
  made.home.write(`${site}/a.txt`, "");
  expect(made.changes()).toEqual([]);
  made.begin("python3 run.py");
  made.home.write(`${site}/x.pth`, "import os\n");
  expect(made.changes()).toEqual([`~/${site}/x.pth: added`]);
});

test.each(["pytest -q tests", "python3 -m pytest", "uv run pytest tests/deep/test_a.py"])(
  "LOOP-18: a conftest.py that git may not show is reported below the folders of tests: %s",
  (command) => {
    const made = watching({ "tests/deep/test_a.py": "", "src/a.py": "" });
    made.begin(command);
    for (const path of ["tests/deep/test_b.py", "tests/new/x.py", "src/conftest.py"]) made.write(path, "");
    expect(made.changes()).toEqual([]);
    made.begin(command);
    for (const path of ["tests/deep/conftest.py", "tests/new/conftest.py"]) made.write(path, "x");
    const expected = ["tests/deep/conftest.py: added", "tests/new/conftest.py: added"];
    expect(made.changes()).toEqual(command.includes("deep") ? expected.slice(0, 1) : expected);
  },
);

test.each([
  ['sh "ci scripts/check.sh"', "ci scripts/check.sh"],
  ["cd 'ci scripts' && sh check.sh", "ci scripts/check.sh"],
  ["timeout 60 sh ci\\ scripts/check.sh", "ci scripts/check.sh"],
  ['if [ -f "ci scripts/check.sh" ]; then . "ci scripts/check.sh"; fi', "ci scripts/check.sh"],
])("LOOP-18: a script is found by what a shell makes of its command: %s", (command, script) => {
  expect(watching({ [script]: "" }).begin(command)).toEqual([script]);
});

test("LOOP-18: a file with a blank in its name that a script tests for is reported when it appears", () => {
  const made = watching({ "check.sh": '[ -f "ci scripts/more.sh" ] && sh "ci scripts/more.sh"\n' });
  made.begin("sh check.sh");
  made.write("ci scripts/more.sh", "exit 0\n");
  expect(made.changes()).toEqual(["ci scripts/more.sh: added"]);
});
