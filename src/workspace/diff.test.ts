import { afterEach, expect, test } from "vitest";
import { gitEnv, removeTempRepositories, tempRepository } from "../../test/temp-repository.ts";
import { hunkHeads } from "./diff.ts";
import { openWorkspace } from "./open-workspace.ts";

afterEach(removeTempRepositories);

test("FAIL-5: the heads of hunks name path, line, function and what was put in or taken out; a new file its path", async () => {
  const filler = Array.from({ length: 12 }, (_, n) => `  step(${n});`).join("\n");
  const before = `function total() {\n${filler}\n  return 1;\n}\n\nconst old = 1;\n`;
  const repository = tempRepository({ "src/till.js": before, "gone.txt": "last words\n" });
  const from = repository.git("rev-parse", "HEAD");
  repository.write("src/till.js", before.replace("return 1", "return sum").replace("const old = 1;\n", ""));
  repository.write("src/new.js", "export {};\n");
  repository.remove("gone.txt");
  const ws = await openWorkspace(repository.dir, gitEnv);
  expect(await hunkHeads(ws, { from, paths: ["src/till.js", "src/new.js", "gone.txt"] })).toEqual([
    "gone.txt:0 -last words",
    "src/till.js:14 function total() {: +return sum;",
    "src/till.js:16 function total() {: -const old = 1;",
    "src/new.js",
  ]);
});
