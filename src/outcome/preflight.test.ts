import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scaledLimit } from "../../test/scaled-limit.ts";
import { preflight } from "./preflight.ts";
import { commandsOf } from "./shell-words.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "ralph-preflight-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const file = (name: string, text = "", mode = 0o644): void => {
  mkdirSync(dirname(join(cwd, name)), { recursive: true });
  writeFileSync(join(cwd, name), text);
  chmodSync(join(cwd, name), mode);
};
const look = (command: string) => preflight(command, { cwd, env: { PATH: join(cwd, "bin") } });

const scripts = {
  build: "tool build",
  lint: "missing-linter .",
  nested: "npm run lint",
  loop: "npm run loop",
  ready: "installed",
  prepared: "made-by-pre",
  preprepared: "tool",
};

function project(): void {
  for (const name of ["npm", "pnpm", "yarn", "bun", "tool"]) file(`bin/${name}`, "", 0o755);
  file("package.json", JSON.stringify({ scripts }));
  file("node_modules/.bin/installed", "", 0o755);
  file("web/package.json", "{}");
  file("web/node_modules/.bin/eslint", "", 0o755);
  file("check.sh", "", 0o755);
  file("plain.sh");
}

test.each([
  ["tool --all", null],
  ["CI=1 tool 'a b' \"c\"", null],
  ["test -f a && : && tool", null],
  ["./check.sh", null],
  ["no-such --x", 'the program "no-such" was not found'],
  ["./no-such.sh", "./no-such.sh does not exist"],
  ["./plain.sh", "./plain.sh is not an executable file"],
  ["./web", "./web is not an executable file"],
  ["cd web && tool", null],
  ["cd nowhere && tool", "the folder nowhere does not exist"],
  ["cd web && ../check.sh", null],
  ["npm run ready", null],
  ["npm run build", null],
  ["npm run -s gone", 'package.json has no script "gone"'],
  ["npm test", 'package.json has no script "test"'],
  [
    "npm run lint",
    'the program "missing-linter", which the script "lint" of package.json runs, was not found',
  ],
  [
    "npm run nested",
    'the program "missing-linter", which the script "lint" of package.json runs, was not found',
  ],
  ["npm run loop", null],
  ["npm run prepared", null],
  ["tool && npm run gone", 'package.json has no script "gone"'],
  ["tool && npm run lint", null],
  ["tool && made-by-tool", null],
  ["cd web && npm run build", 'package.json has no script "build"'],
  ["pnpm run gone", 'package.json has no script "gone"'],
  ["yarn run installed", null],
  ["cd web && yarn run eslint", null],
  ["bun run check.sh", null],
  ["npm --prefix web run gone", null],
  ["npm run gone --workspaces", 'package.json has no script "gone"'],
  ["npm ci", null],
])("LOOP-21: what is missing for `%s`", async (command, missing) => {
  project();
  expect((await look(command))?.missing ?? null).toBe(missing);
});

test("LOOP-21: the files are named that would provide what is missing", async () => {
  project();
  expect((await look("./tools/run"))?.definedBy).toEqual(["tools/run"]);
  expect((await look("cd web && npm test"))?.definedBy).toEqual(["web/package.json"]);
  expect((await look("../outside"))?.definedBy).toEqual([]);
});

test.each([
  "",
  "a; b",
  "a | b",
  "a || b",
  "$(a)",
  "a > b",
  "`a`",
  "a & b",
  "(a)",
  "a\nb",
  '"$A" b',
  "'a",
  "{ a",
  "~/a",
  "PATH=x a",
])("a line that needs a shell to be understood says nothing: %s", async (line) => {
  expect(await look(line)).toBeNull();
});

test("a broken package.json is told, and one that is no file is not read", async () => {
  project();
  file("package.json", "{");
  expect((await look("npm test"))?.missing).toBe("package.json is not a JSON object");
  rmSync(join(cwd, "package.json"));
  mkdirSync(join(cwd, "package.json"));
  expect((await look("npm test"))?.missing).toBe("package.json is not a JSON object");
});

test("a long line ends in bounded time, a very long one is not looked at", () => {
  const start = performance.now();
  for (const part of ["'b' ", '"b', "a && ", "'a"]) commandsOf(`a ${part.repeat(1900)}`);
  expect(commandsOf(`a ${"b ".repeat(100_000)}`)).toBeNull();
  expect(performance.now() - start).toBeLessThan(scaledLimit(500));
});
