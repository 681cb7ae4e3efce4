import { afterEach, expect, test } from "vitest";
import { gitEnv, removeTempRepositories, tempRepository } from "../../test/temp-repository.ts";
import { openRunWorkspace } from "../../test/temp-workspace.ts";
import { renamedPaths } from "./renamed-paths.ts";

afterEach(removeTempRepositories);

test("LEARN-14: a missing file is found where a commit or the index moved it, also twice, and a deleted one is not", async () => {
  const text = (name: string): string => `// ${name}\n${`export const ${name} = 1;\n`.repeat(9)}`;
  const files = ["a", "b", "c", "d", "wär"].map((name) => [`src/${name}.js`, text(name)]);
  const { dir, git, write } = tempRepository(Object.fromEntries(files));
  const ws = await openRunWorkspace(dir, gitEnv);
  git("mv", "src/a.js", "src/one.js");
  git("rm", "-q", "src/d.js");
  git("commit", "-qm", "move and delete");
  git("mv", "src/one.js", "first.js");
  write("first.js", `${text("a")}// more\n`);
  git("mv", "src/wär.js", "src/wäre.js");
  git("commit", "-qam", "move again");
  git("mv", "src/b.js", "src/[id].js");
  const missing = ["src/a.js", "src/b.js", "src/d.js", "src/wär.js", "never.js"];
  expect([...(await renamedPaths(ws, missing))]).toEqual([
    ["src/a.js", "first.js"],
    ["src/b.js", "src/[id].js"],
    ["src/wär.js", "src/wäre.js"],
  ]);
});
