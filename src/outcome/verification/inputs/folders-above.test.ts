import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { removeTempRepositories, repositoryAt, tempFolder } from "../../../../test/temp-repository.ts";
import { watchInputs } from "./watch-inputs.ts";

afterEach(removeTempRepositories);

/** A project in `a/b` of a folder. */
function project(command: string) {
  const above = repositoryAt(tempFolder());
  for (const path of ["a/b/package.json", "a/b/sub/x.txt", "a/pytest.ini"]) above.write(path, "{}");
  const watch = watchInputs({
    root: join(above.dir, "a/b"),
    env: { HOME: above.dir, PATH: "/usr/bin" },
    cleanFolder: join(above.dir, "state/clean/1"),
  });
  watch.begin([command]);
  return { above, changes: () => watch.changes().map(({ name, how }) => `${name}: ${how}`) };
}

test.each([
  ["cargo test", "a/.cargo/config.toml", "added"],
  ["cargo test", ".cargo/config", "added"],
  ["pytest -q", "a/pytest.ini", "changed"],
  ["pytest -q", "pytest.ini", "added"],
  ["pytest -q", "conftest.py", "added"],
  ["tox", "a/tox.ini", "added"],
  ["npx mocha test", "a/.mocharc.json", "added"],
  ["npx eslint .", ".eslintrc.json", "added"],
  ["npm test", "package.json", "added"],
  ["npm test", "a/.babelrc", "added"],
  ["tsc -p .", "tsconfig.json", "added"],
  ["cd sub && jest", "a/jest.config.js", "added"],
  // Under `clean`, programs look above the separate work tree.
  ["pytest -q", "state/clean/1/pytest.ini", "added"],
  ["pytest -q", "state/setup.cfg", "added"],
])("LOOP-18: configuration in a folder above the project is reported: %s, %s", (command, path, how) => {
  const { above, changes } = project(command);
  expect(changes()).toEqual([]);
  above.write(path, "[x]\n");
  expect(changes()).toEqual([`~/${path}: ${how}`]);
});

test("LOOP-18: other files above the project are not reported", () => {
  const { above, changes } = project("npm test && cd sub && make");
  const names = [
    "Makefile",
    "a/GNUmakefile",
    ".env",
    "a/.env.local",
    "sitecustomize.py",
    "a.json",
    "notes.toml",
  ];
  for (const path of [...names, "a/c/package.json", "state/clean/1/tree/package.json", "a/src/conftest.py"])
    above.write(path, "x");
  expect(changes()).toEqual([]);
});
