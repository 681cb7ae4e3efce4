import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { scaledLimit } from "../../../../test/scaled-limit.ts";
import {
  removeTempRepositories,
  repositoryAt,
  type TempRepository,
  tempFolder,
} from "../../../../test/temp-repository.ts";
import { type InputWatch, watchInputs } from "./watch-inputs.ts";

afterEach(removeTempRepositories);

interface Watching extends TempRepository {
  readonly home: TempRepository;
  readonly watch: InputWatch;
  /** `name: how` of each change. */
  changes(): readonly string[];
}

function watching(files: Readonly<Record<string, string>>, env: Record<string, string> = {}): Watching {
  const made = repositoryAt(tempFolder());
  const home = repositoryAt(tempFolder());
  for (const [path, text] of Object.entries(files)) made.write(path, text);
  const watch = watchInputs({ root: made.dir, env: { HOME: home.dir, PATH: "tools:/usr/bin:/bin", ...env } });
  return { ...made, home, watch, changes: () => watch.changes().map(({ name, how }) => `${name}: ${how}`) };
}

const manifest = JSON.stringify({
  scripts: { test: "npm run unit && make -C ci all", unit: "CI=1 vitest run", pretest: "sh ./pre.sh --fast" },
});
const files = {
  "package.json": manifest,
  "pre.sh": 'set -e\nif true; then sh "$(dirname "$0")/deep/one.sh"; fi\n',
  "deep/one.sh": ". ./env.sh\nnode --import ./setup.mjs tools/check.mjs < src/data.txt\n",
  "env.sh": "A=1\n",
  "setup.mjs": "",
  "tools/check.mjs": "",
  "src/data.txt": "",
  "ci/Makefile": "include more.mk\nall:\n\t@sh two.sh\n",
  "ci/more.mk": "x:\n",
  "ci/two.sh": "",
  "node_modules/vitest/vitest.mjs": "run()",
};

test("LOOP-18: the scripts that the commands run are found through package scripts, scripts and Makefiles", () => {
  const { watch } = watching(files);
  watch.begin(["npm test"]);
  const found = watch.scripts().filter((path) => !path.startsWith("node_modules"));
  expect(found.toSorted()).toEqual(
    [
      ...["pre.sh", "deep/one.sh", "env.sh", "setup.mjs", "tools/check.mjs"],
      ...["ci/Makefile", "ci/more.mk", "ci/two.sh"],
    ].toSorted(),
  );
});

test("LOOP-18: programs that would be started instead, and configuration, are reported when they appear", () => {
  const { watch, write, changes, home, dir } = watching(files);
  mkdirSync(join(dir, "node_modules/.bin"), { recursive: true });
  symlinkSync("../vitest/vitest.mjs", join(dir, "node_modules/.bin/vitest"));
  watch.begin(["npm test"]);
  expect(changes()).toEqual([]);
  for (const path of ["node_modules/.bin/sh", "node_modules/.bin/other", "tools/npm", ".npmrc"])
    write(path, "x");
  for (const path of [".npmrc", ".bashrc", ".config/git/config", "notes.txt"]) home.write(path, "x");
  write("node_modules/vitest/vitest.mjs", "process.exit(0)");
  expect(changes().toSorted()).toEqual(
    [
      ...["node_modules/.bin/sh: added", "tools/npm: added", ".npmrc: added"],
      ...["~/.npmrc: added", "~/.bashrc: added", "~/.config/git/config: added"],
      "node_modules/vitest/vitest.mjs: changed",
    ].toSorted(),
  );
});

test("LOOP-18: options of test runners that projects ignore, or a home has, are reported when they appear", () => {
  const { watch, write, changes, home } = watching(files);
  watch.begin(["npm test"]);
  expect(changes()).toEqual([]);
  const inProject = [".rspec-local", ".proverc", "phpunit.xml"];
  const inHome = [".rspec", ".proverc", ".config/rspec/options", ".gradle/init.d/x.gradle"];
  for (const path of inProject) write(path, "--dry-run");
  for (const path of inHome) home.write(path, "--dry-run");
  const expected = [...inProject, ...inHome.map((path) => `~/${path}`)].map((path) => `${path}: added`);
  expect(changes().toSorted()).toEqual(expected.toSorted());
});

test("LOOP-18 TRUST-11: a program that ralph itself would start is reported when it appears on the search path", () => {
  const { watch, write, changes } = watching({ "tools/claude": "1", "tools/other": "" });
  watch.begin([]);
  write("tools/claude", "2");
  expect(changes()).toEqual([]);
  for (const name of ["git", "codex", "unknown"]) write(`tools/${name}`, "x");
  expect(changes()).toEqual(["tools/git: added", "tools/codex: added"]);
  expect(watch.changes()[0]?.why).toBe("ralph would run it as git");
});

test("LOOP-18 TRUST-11: a new program that a person or ralph's own first line starts is reported, and start files of shells", () => {
  const { watch, write, changes, home } = watching({}, { ZDOTDIR: "" });
  watch.begin([]);
  for (const name of ["ralph", "node", "npm", "npx", "other"]) write(`tools/${name}`, "x");
  const start = [".bash_aliases", ".bash_login", ".zshrc", ".zprofile", ".config/fish/config.fish"];
  const inFolders = [
    ".config/fish/conf.d/x.fish",
    ".config/fish/functions/git.fish",
    ".config/environment.d/x.conf",
  ];
  for (const path of [...start, ...inFolders, ".config/fish/fish_variables"]) home.write(path, "x");
  expect(changes().toSorted()).toEqual(
    [
      ...["ralph", "node", "npm", "npx"].map((name) => `tools/${name}: added`),
      ...[...start, ...inFolders].map((path) => `~/${path}: added`),
    ].toSorted(),
  );
  const why = (name: string) => watch.open().find((one) => one.name === name)?.why;
  expect(why("tools/ralph")).toBe("you would run it as ralph");
  expect(why("~/.bash_aliases")).toBe("your shell reads it when it starts");
});

test("LOOP-18 TRUST-11: what changed since the last look, also what is put back", () => {
  const { watch, write } = watching(files);
  const recent = () => watch.recent().map(({ name, how }) => `${name}: ${how}`);
  watch.begin(["npm test"]);
  write("env.sh", "A=2\n");
  write("conftest.py", "");
  watch.changes();
  expect(recent()).toEqual([]);
  write("env.sh", "A=1\n");
  write("pre.sh", "exit 0\n");
  write("setup.cfg", "");
  expect(recent().toSorted()).toEqual(["env.sh: changed", "pre.sh: changed", "setup.cfg: added"]);
  expect(recent()).toEqual([]);
});

test("LOOP-18 TRUST-11: a new module that Python would run in place of its own is reported", () => {
  const { watch, write, changes, remove } = watching({ "app/x.py": "" });
  const own = (commands: readonly string[]) => {
    watch.begin(commands);
    for (const name of ["unittest.py", "pytest/__init__.py", "json/data.txt", "app/__init__.py", "new.py"])
      write(name, "");
    const found = changes();
    for (const name of ["unittest.py", "pytest", "json"]) remove(name);
    watch.accept();
    return found.toSorted();
  };
  expect(own(["python3 tests/run.py", "python3 -B x.py -m a"])).toEqual([]);
  const expected = ["pytest/__init__.py: added", "unittest.py: added"];
  expect(own(["python3 -m unittest discover"])).toEqual(expected);
  expect(own(["cd . && .venv/bin/python -Bm pytest"])).toEqual(expected);
});

test("LOOP-18: equal content is no change, whatever its times", () => {
  const { watch, write, remove, changes, dir } = watching(files);
  watch.begin(["npm test"]);
  utimesSync(join(dir, "pre.sh"), 1, 1);
  remove("deep");
  write("deep/one.sh", files["deep/one.sh"]);
  expect(changes()).toEqual([]);
  // The same size and time of modification.
  write("env.sh", "A=2\n");
  utimesSync(join(dir, "env.sh"), 1, 1);
  chmodSync(join(dir, "pre.sh"), 0o755);
  rmSync(join(dir, "ci/two.sh"));
  expect(changes().toSorted()).toEqual(["ci/two.sh: removed", "env.sh: changed", "pre.sh: changed"]);
});

test("LOOP-18: a change is reported until it is undone or accepted; a person's between iterations is not", () => {
  const { watch, write, remove, changes, home } = watching(files);
  const next = () => watch.begin(["npm test"]);
  next();
  home.write(".npmrc", "x");
  expect(changes()).toEqual(["~/.npmrc: added"]);
  next();
  expect(changes()).toEqual(["~/.npmrc: added"]);
  home.remove(".npmrc");
  expect(changes()).toEqual([]);
  write("env.sh", "A=2\n");
  expect(changes()).toEqual(["env.sh: changed"]);
  watch.accept();
  next();
  expect(changes()).toEqual([]);
  // Between two iterations.
  write("pre.sh", "sh other.sh\n");
  write("other.sh", "");
  home.write(".bashrc", "x");
  next();
  expect(changes()).toEqual([]);
  expect(watch.scripts()).toContain("other.sh");
  remove("other.sh");
  expect(changes()).toEqual(["other.sh: removed"]);
});

test("LOOP-18: files that the environment names, and start files of Python", () => {
  const { watch, write, changes, dir, home } = watching(
    { ".venv/lib/python3.12/site-packages/a.txt": "", ".venv/bin/x": "", ...files },
    { BASH_ENV: "/nonexistent/env.sh", PYTHONPATH: "/nonexistent" },
  );
  watch.begin([".venv/bin/pytest -q"]);
  write(".venv/lib/python3.12/site-packages/zz.pth", "import evil\n");
  write("conftest.py", "");
  write("sitecustomize.py", "");
  expect(changes().toSorted()).toEqual([
    ".venv/lib/python3.12/site-packages/zz.pth: added",
    "conftest.py: added",
    "sitecustomize.py: added",
  ]);
  expect(dir).not.toBe(home.dir);
});

test("LOOP-18: scripts that call each other, or are long, end the search", () => {
  const { watch } = watching({
    "a.sh": "sh b.sh\n",
    "b.sh": `sh a.sh\n${"sh c.sh; ".repeat(20_000)}\n${"(".repeat(50_000)}`,
    "package.json": '{"scripts":{"a":"npm run b","b":"npm run a"}}',
  });
  const before = performance.now();
  watch.begin(["sh a.sh", "npm run a", `${"$(".repeat(30_000)}`]);
  expect(performance.now() - before).toBeLessThan(scaledLimit(2000));
  expect(watch.scripts().toSorted()).toEqual(["a.sh", "b.sh"]);
});

test("LOOP-18: a script that is reached through a linked folder is also the file that it is", () => {
  const { watch, write, changes, dir } = watching({
    "check.sh": "sh linked/one.sh\n",
    "real/one.sh": "true\n",
  });
  symlinkSync("real", join(dir, "linked"));
  watch.begin(["sh check.sh"]);
  expect(watch.scripts().toSorted()).toEqual(["check.sh", "linked/one.sh", "real/one.sh"]);
  write("real/one.sh", "exit 0\n");
  expect(changes()).toContain("real/one.sh: changed");
});

test("LOOP-18: changes that nobody accepted are recognized by a later watch while their files are as they were left", () => {
  const earlier = watching(files);
  const { dir, home, write } = earlier;
  write(".npmrc", "fund=false\n");
  earlier.watch.begin(["npm test"]);
  home.write(".npmrc", "script-shell=true\n");
  write("bunfig.toml", "x = 1\n");
  rmSync(join(dir, ".npmrc"));
  expect(earlier.changes().toSorted()).toEqual([".npmrc: removed", "bunfig.toml: added", "~/.npmrc: added"]);
  const open = JSON.parse(JSON.stringify(earlier.watch.open()));
  write("bunfig.toml", "x = 2\n");

  const later = watchInputs({ root: dir, env: { HOME: home.dir, PATH: "/usr/bin" } });
  expect(later.resume([{ name: 1 }, ...open]).map(({ name }) => name)).toEqual(
    expect.arrayContaining([".npmrc", "~/.npmrc"]),
  );
  later.begin(["npm test"]);
  const names = (): readonly string[] =>
    later
      .changes()
      .map(({ name }) => name)
      .toSorted();
  expect(names()).toEqual([".npmrc", "~/.npmrc"]);
  write(".npmrc", "fund=false\n");
  expect(names()).toEqual(["~/.npmrc"]);
  later.accept(({ isInside }) => isInside);
  expect(later.open().map(({ name }) => name)).toEqual(["~/.npmrc"]);
  later.accept();
  expect(later.open()).toEqual([]);
});
