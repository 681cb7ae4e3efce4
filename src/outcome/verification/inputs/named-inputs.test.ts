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
