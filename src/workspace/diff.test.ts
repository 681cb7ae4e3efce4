import { afterEach, expect, test } from "vitest";
import { gitEnv, removeTempRepositories, tempRepository } from "../../test/temp-repository.ts";
import { openRunWorkspace } from "../../test/temp-workspace.ts";
import { hunkHeads, wholeDiff } from "./diff.ts";

afterEach(removeTempRepositories);

test("FAIL-5: the heads of hunks name path, line, function and what was put in or taken out; a new file its path", async () => {
  const filler = Array.from({ length: 12 }, (_, n) => `  step(${n});`).join("\n");
  const before = `function total() {\n${filler}\n  return 1;\n}\n\nconst old = 1;\n`;
  const repository = tempRepository({ "src/till.js": before, "gone.txt": "last words\n" });
  const from = repository.git("rev-parse", "HEAD");
  repository.write("src/till.js", before.replace("return 1", "return sum").replace("const old = 1;\n", ""));
  repository.write("src/new.js", "export {};\n");
  repository.remove("gone.txt");
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  expect(await hunkHeads(ws, { from, paths: ["src/till.js", "src/new.js", "gone.txt"] })).toEqual([
    "gone.txt:0 -last words",
    "src/till.js:14 function total() {: +return sum;",
    "src/till.js:16 function total() {: -const old = 1;",
    "src/new.js",
  ]);
});

test("LOOP-18: the whole diff shows lines, whatever attributes, bytes and settings say", async () => {
  const far = "x\n".repeat(20);
  const repository = tempRepository({ "a.test.mjs": `${far}one();\n`, "b.test.mjs": "two();\n" });
  const from = repository.git("rev-parse", "HEAD");
  repository.write(".gitattributes", "*.mjs -diff\n");
  repository.write("a.test.mjs", `${far}three();\n`);
  repository.write("b.test.mjs", "//\0\n");
  repository.git("config", "diff.noprefix", "true");
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  const diff = await wholeDiff(ws, { from, paths: ["a.test.mjs", "b.test.mjs"] });
  expect(diff).toContain(`diff --git a/a.test.mjs b/a.test.mjs\n`);
  expect(diff).toContain(`\n@@ -1,21 +1,21 @@\n${" x\n".repeat(20)}-one();\n+three();\n`);
  expect(diff).toContain("-two();\n+//\0\n");
});

test("LOOP-18: the lines of files that are too large are left out, and many files are compared in several calls", async () => {
  const large = `${"x".repeat(999_999)}\n`.repeat(5);
  const medium = (char: string): string => `${char.repeat(999_999)}\n`.repeat(4);
  const names = Array.from({ length: 4 }, (_, n) => `m${n}.txt`);
  const files = Object.fromEntries(names.map((name) => [name, medium("y")]));
  const repository = tempRepository({ "a.txt": "a\n", "gone.txt": large, "same.txt": "s\n", ...files });
  const from = repository.git("rev-parse", "HEAD");
  repository.write("a.txt", large);
  repository.write("new.txt", large);
  repository.remove("gone.txt");
  for (const name of names) repository.write(name, medium("z"));
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  const diff = await wholeDiff(ws, { from, paths: ["a.txt", "gone.txt", "new.txt", ...names] });
  expect(diff).toMatch(
    /^diff --git a\/a.txt b\/a.txt\nindex .*\nBinary files a\/a.txt and b\/a.txt differ\n/,
  );
  expect(diff).toContain("diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n");
  expect(diff).not.toContain("new.txt");
  for (const name of names) expect(diff).toContain(`\n+++ b/${name}\n`);
  expect(await hunkHeads(ws, { from, paths: ["a.txt", "m0.txt"] })).toHaveLength(2);
});
