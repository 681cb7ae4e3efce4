import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

test("LOOP-18 FAIL-4: the attempt after one that strict failed is asked to leave verification, or to say what it needs", async () => {
  project = practice({ "tsconfig.json": "{}\n" });
  const loosened = { "src/a.txt": "x", "tsconfig.json": '{ "strict": false }\n' };
  const say = "<task-failed>tsconfig.json has to be less strict</task-failed>";
  await project.useWorker(
    { a: [{ write: loosened }, { say }] },
    'verify: ["echo tsc"]\nverifyGuard: strict\nlimits: { maxAttempts: 2 }\n',
  );
  await project.addTasks([{ id: "a", title: "task a" }]);
  await project.run();
  const { stdout } = await project.answer("prompt", "show", "a");
  expect(stdout).toContain("it failed because it changed what they read. Do the task without that change");
  expect(stdout).toContain("tsconfig.json was changed");
  expect(stdout).not.toContain("take another way");
});
