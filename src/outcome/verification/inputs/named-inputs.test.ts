import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { removeTempRepositories } from "../../../../test/temp-repository.ts";
import { type Files, watching } from "../../../../test/watching.ts";

afterEach(removeTempRepositories);

const runsX = { "package.json": '{"scripts":{"x":"node tools/x"}}', Makefile: "x:\n\tsh runchecks\n" };
test.each([
  ["sh runchecks", ["runchecks"]],
  ["make", ["Makefile", "runchecks"]],
  ["python3 -u runchecks data", ["runchecks"]],
  ["bash -e runchecks -- data", ["runchecks"]],
  ["node --import ./tools/setup.mjs runchecks", ["runchecks", "tools/setup.mjs"]],
  ["cd tools && bun run plain", ["tools/plain"]],
  ["[ -f runchecks ] && . runchecks", ["runchecks"]],
  ["sh nothing tools/deep data", []],
  ["node tools/x", ["tools/x.js"]],
  ["npm run x", ["tools/x.js"]],
  ["cd tools && node x", ["tools/x.js"]],
  ["node tools/c", ["tools/c.cjs"]],
  ["tsx tools/typed", ["tools/typed.ts"]],
  ["bun run tools/m", ["tools/m.mjs"]],
  ["node tools/deep", ["tools/deep/lib/main.js", "tools/deep/package.json"]],
  ["cd tools/deep && node .", ["tools/deep/lib/main.js", "tools/deep/package.json"]],
  ["node tools/index", ["tools/index/index.js"]],
  ["python3 tools/py", ["tools/py/__main__.py"]],
  ["sh tools/x", []],
])("LOOP-18: the file that an interpreter makes of a name is found: %s", (command, expected) => {
  const names = [
    "runchecks",
    "data",
    "README.md",
    "tools/setup.mjs",
    "tools/plain",
    "tools/x.js",
    "tools/c.cjs",
  ];
  const others = ["tools/typed.ts", "tools/m.mjs", "tools/deep/lib/main.js", "tools/index/index.js"];
  const made = watching({
    ...Object.fromEntries([...names, ...others, "tools/py/__main__.py"].map((path) => [path, ""])),
    ...runsX,
    "tools/deep/package.json": '{"main":"lib/main"}',
  });
  const found = made.begin(command).filter((path) => existsSync(join(made.dir, path)));
  expect(found.toSorted()).toEqual(expected);
});

test("LOOP-18: a new file that an interpreter would take in place of the one with an ending is reported", () => {
  const made = watching({ "tools/x.cjs": "", "other.txt": "" });
  made.begin("node tools/x");
  for (const path of ["tools/x", "tools/x.js", "tools/x.mjs"]) made.write(path, "");
  expect(made.changes().toSorted()).toEqual(["tools/x.js: added", "tools/x: added"]);
});

const large = "#".repeat(1.2 * 1024 * 1024);
test.each([
  ["npm run check", "tools/check.cjs", { "package.json": '{"scripts":{"check":"node tools/check.cjs"}}' }],
  ["sh check.sh", "check.sh", {}],
  ["make", "Makefile", {}],
  ["make", "more.mk", { Makefile: "include more.mk\n" }],
  ["timeout 60 ./check", "check", {}],
])("LOOP-18: a script of more than 1 MiB is watched: %s, %s", (command, path, files: Files) => {
  const made = watching({ ...files, [path]: large });
  chmodSync(join(made.dir, path), 0o755);
  expect(made.begin(command)).toContain(path);
  made.write(path, `${large.slice(1)}!`);
  expect(made.changes()).toEqual([`${path}: changed`]);
});

test.each([
  ["yarnPath: .yarn/releases/yarn-4.5.0.cjs\n", ".yarn/releases/yarn-4.5.0.cjs"],
  ['nodeLinker: pnp\nyarnPath: "./.yarn/own.cjs" # ours\n', ".yarn/own.cjs"],
  ["plugins:\n  - path: .yarn/plugins/a.cjs\n    spec: '@a/b'\n", ".yarn/plugins/a.cjs"],
  ["plugins:\n  - .yarn/plugins/a.cjs\n", ".yarn/plugins/a.cjs"],
])("LOOP-18: what yarn executes of its configuration is found: %s", (text, path) => {
  const made = watching({
    "package.json": "{}",
    "web/package.json": '{"scripts":{"x":"true"}}',
    ".yarnrc.yml": text,
    [path]: "",
    ".yarn/other.cjs": "",
  });
  expect(made.begin("cd web && yarn x")).toEqual([path]);
  expect(watching({ ".yarnrc.yml": text, [path]: "" }).begin("npm test")).toEqual([]);
});

test.each([
  ...[".env", ".env.test", ".c8rc", ".mvn/maven.config", ".config/nextest.toml", ".eslintrc.json"],
  ...["karma.conf.js", "wdio.conf.ts", "pytest.toml", ".pytest.toml", ".pnp.cjs", ".pnp.loader.mjs"],
  "cypress.config.ts",
])("LOOP-18: configuration that git may ignore is reported when it appears: %s", (name) => {
  const made = watching({ "a.txt": "", ".mvn/a.txt": "", ".config/a.txt": "" });
  made.begin("true");
  made.write(name, "x");
  expect(made.changes()).toEqual([`${name}: added`]);
});

test.each([
  ["node --env-file=ci/vars --test", "changed"],
  ["node --env-file-if-exists ci/vars --test", "changed"],
  ["npx dotenv -e ci/vars -- npm test", "changed"],
  ["sh load.sh ci/.env.own", "changed"],
  ["node --env-file-if-exists=ci/more --test", "added"],
  ["node --env-file=ci/more --test", undefined],
])("LOOP-18: a file of variables that a command names: %s", (command, how) => {
  const made = watching({ "ci/vars": "", "ci/.env.own": "" });
  made.begin(command);
  for (const path of ["ci/vars", "ci/more", "ci/.env.own", "ci/.env.other"]) made.write(path, "A=1\n");
  const name = how === "added" ? "ci/more" : command.includes(".own") ? "ci/.env.own" : "ci/vars";
  expect(made.changes()).toEqual(how === undefined ? [] : [`${name}: ${how}`]);
});

test("LOOP-18: a virtual environment of the name of a file of variables is no configuration", () => {
  const made = watching({ "a.txt": "" });
  made.begin("true");
  made.write(".env/bin/x", "");
  made.write(".env.example", "");
  expect(made.changes()).toEqual([]);
});

test.each([
  ["python3 -m tools.check", ["tools/__init__.py", "tools/check.py"]],
  ["python3 -B -W error -m tools.check --x", ["tools/__init__.py", "tools/check.py"]],
  ["poetry run python -mtools.check", ["tools/__init__.py", "tools/check.py"]],
  ["cd app && python3 -m own", ["app/own/__main__.py"]],
  ["python3 -m single", ["single.py"]],
  ["python3 -m pytest tools.check", []],
  ["python3 single2.py -m tools.check", []],
  ["python3 -c x -m tools.check", []],
])("LOOP-18: the files of a module that Python runs are found: %s", (command, expected) => {
  const names = ["tools/__init__.py", "tools/check.py", "app/own/__main__.py", "single.py", "other.py"];
  const made = watching(Object.fromEntries(names.map((path) => [path, ""])));
  expect(
    made
      .begin(command)
      .filter((path) => names.includes(path))
      .toSorted(),
  ).toEqual(expected);
  if (expected.includes("tools/check.py")) {
    made.write("tools/check/__init__.py", "");
    expect(made.changes()).toEqual(["tools/check/__init__.py: added"]);
  }
});

test.each([
  ["tsc --noEmit -p config/strict.json", ["config/strict.json"]],
  ["eslint --config=config/lint.mjs src/a.js", ["config/lint.mjs"]],
  ["eslint -c config/lint.mjs src/a.js src", ["config/lint.mjs"]],
  ["pylint --rcfile config/rules src/a.js", ["config/rules"]],
  ["cd config && timeout 60 mypy --config-file strict.ini ../src/a.js", ["config/strict.ini"]],
  ["npx prettier --check src/a.js config/.prettierrc", ["config/.prettierrc"]],
  ["gcc -c src/a.c && eslint --no-config-lookup src/a.js", []],
  ["cat config/strict.json && cp -p src/a.js src/b.js", []],
  ["eslint src/a.js src", []],
  ["tsc -p config", []],
])("LOOP-18: configuration that a script names is found: %s", (command, expected) => {
  const names = ["strict.json", "lint.mjs", "rules", "strict.ini", ".prettierrc"].map(
    (name) => `config/${name}`,
  );
  const files = {
    ...Object.fromEntries([...names, "src/a.js", "src/b.js", "src/a.c"].map((path) => [path, ""])),
    "package.json": JSON.stringify({ scripts: { x: command } }),
    Makefile: `x:\n\t${command}\n`,
  };
  for (const run of ["npm run x", "make x"]) {
    const found = watching(files).begin(run);
    expect(found.filter((path) => path !== "Makefile")).toEqual(expected);
  }
});
