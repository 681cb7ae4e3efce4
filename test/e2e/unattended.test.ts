import { afterEach, expect, test } from "vitest";
import { failToSign, type Practice, withTasks } from "./practice.ts";

let project: Practice | undefined;
afterEach(() => project?.remove());

const fine = { write: { "src/{id}.txt": "fine\n" } };

test("LOOP-9: on a detached HEAD the run says that its commits are on no branch, and how to keep them", async () => {
  project = await withTasks({ "*": [fine] }, ["one"], "verify: []\n");
  project.git("checkout", "-q", "--detach");
  const { code, stdout } = await project.ralph("run");
  expect([code, stdout.match(/! HEAD is detached, .* git switch -c NAME/)?.length]).toEqual([0, 1]);
  project.git("switch", "-q", "-c", "kept");
  expect(project.commits()[0]).toBe("one");
  await project.addTasks([{ id: "t-2", title: "two" }]);
  expect((await project.ralph("run")).stdout).not.toContain("detached");
});

test("LOOP-17: an iteration whose commit git cannot make is counted, and its commit made later is no recovery from a kill", async () => {
  project = await withTasks({ "*": [fine] }, ["one"]);
  failToSign(project);
  const { events } = await project.run();
  expect(events.at(-1)).toMatchObject({ reason: "commit-failed", iterations: 1 });
  project.git("config", "commit.gpgSign", "false");
  const { stdout } = await project.ralph("run");
  expect(stdout).toContain("completed 1 pending commit of an earlier run");
  expect(stdout).not.toContain("killed");
});
