import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "../e2e/practice.ts";
import { killWhen } from "./kill-when.ts";

let project: Practice;
afterEach(() => project?.remove());

/** Formats a tracked file, like many verifications; the first one then takes its time. */
const check = `grep -q formatted src/base.txt || echo formatted >> src/base.txt
[ -e ../verifying ] && exit 0
touch ../verifying
sleep 60
`;

test("LOOP-20 LOOP-11 LOOP-22: killed while the baseline is verified, what changed in tracked files stays, and is named", async () => {
  project = practice({ "check.sh": check, "src/base.txt": "ok\n", "src/mine.txt": "mine\n" });
  const config = 'verifyBaseline: auto\nverify: ["sh check.sh"]\n';
  await project.useWorker({ "*": [{ write: { "src/{id}.txt": "x" } }] }, config);
  await project.addTasks(["do it"]);
  await killWhen(project, "../verifying");
  project.write("src/mine.txt", "edited after the kill\n");
  const refused = await project.ralph("run");
  expect([refused.code, refused.stderr]).toEqual([
    5,
    expect.stringMatching(/^error: 2 tracked files not committed: src\/base\.txt, src\/mine\.txt$/m),
  ]);
  project.git("commit", "-qam", "mine");
  const { code } = await project.run();
  expect(code).toBe(0);
  expect([project.git("status", "--porcelain"), project.commits()[1]]).toEqual(["", "mine"]);
});
