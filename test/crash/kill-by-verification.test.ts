import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "../e2e/practice.ts";
import { onlyInLongForm } from "../test-size.ts";

let project: Practice;
afterEach(() => project?.remove());

test("LOOP-11: a run that begins while ralph verify runs is not disturbed by it", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_KILLS");
  project = practice({ "check.sh": "true\n", "src/base.txt": "ok\n" });
  await project.useWorker({ "*": [{ write: { "src/{id}.txt": "fine\n" } }] }, 'verify: ["sh check.sh"]\n');
  await project.addTasks(["one"]);
  const beside = dirname(project.dir);
  project.write(
    "check.sh",
    `if mkdir ${beside}/verifying; then while [ ! -e ${beside}/go ]; do sleep 0.05; done; fi\n`,
  );
  project.git("commit", "-qam", "wait");
  const verifying = project.start("verify");
  while (!existsSync(join(beside, "verifying"))) await sleep(20);
  expect((await project.ralph("run")).code).toBe(0);
  writeFileSync(join(beside, "go"), "");
  expect(await verifying).toMatchObject({ code: 0, signal: null });
});
