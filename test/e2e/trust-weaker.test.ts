import { afterEach, expect, test } from "vitest";
import { type Practice, withTasks } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

test("TRUST-5: a branch with a command fewer and a weaker guard needs a new approval", async () => {
  const done = { "*": [{ write: { "src/{id}.txt": "x" }, say: "<task-done>{id}</task-done>" }] };
  project = await withTasks(done, ["one"], 'verify: ["sh check.sh", "sh ./check.sh"]\nverifyGuard: strict\n');
  await project.ralph("trust", "approve", "--yes");
  project.git("checkout", "-qb", "agents-branch");
  const own = project.read(".ralph/config.yaml");
  project.write(".ralph/config.yaml", own.replace(/"sh check\.sh", |verifyGuard: strict\n/g, ""));
  project.git("commit", "-qam", "weaken");
  const refused = await project.ralph("run", "--once");
  expect([refused.code, refused.stderr]).toEqual([
    5,
    expect.stringMatching(/verification: verifyGuard is no longer strict or clean \(and 1 more\)/),
  ]);
  expect(await project.json("task", "list")).toMatchObject([{ status: "pending", attempts: 0 }]);
  await project.ralph("trust", "approve", "--yes");
  expect((await project.ralph("run", "--once")).code).toBe(0);
});
