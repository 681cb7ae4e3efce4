import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "../e2e/practice.ts";
import { onlyInLongForm } from "../test-size.ts";
import { killWhen } from "./kill-when.ts";

let project: Practice;
afterEach(() => project?.remove());

/** Formats a tracked file, like many verifications; the first one then takes its time. */
const check = `grep -q formatted src/base.txt || echo formatted >> src/base.txt
[ -e ../verifying ] && exit 0
touch ../verifying
sleep 60
`;

test("LOOP-20 LOOP-11 LOOP-22: killed while the baseline is verified, its changes to tracked files go, a person's stay", async () => {
  project = practice({ "check.sh": check, "src/base.txt": "ok\n", "src/mine.txt": "mine\n" });
  const config = 'verifyBaseline: auto\nverify: ["sh check.sh"]\n';
  await project.useWorker({ "*": [{ write: { "src/{id}.txt": "x" } }] }, config);
  await project.addTasks(["do it"]);
  await killWhen(project, "../verifying");
  expect(project.read("src/base.txt")).toBe("ok\nformatted\n");
  project.write("src/mine.txt", "edited after the kill\n");
  const refused = await project.ralph("run");
  expect([refused.code, refused.stderr]).toEqual([
    5,
    expect.stringMatching(/^error: 1 tracked file not committed: src\/mine\.txt$/m),
  ]);
  expect(project.read("src/base.txt")).toBe("ok\n");
  project.git("commit", "-qam", "mine");
  const { code } = await project.run();
  expect(code).toBe(0);
  expect(project.git("status", "--porcelain")).toBe("");
  expect(project.git("for-each-ref", "refs/ralph/rollback")).not.toBe("");
});

test("LOOP-20 LOOP-22 TRUST-10: killed while the baseline is verified, commits that its code removed and made are undone", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_KILLS");
  const code =
    "git update-ref HEAD HEAD~1\necho 'exit 0' > hollow.sh\ngit add hollow.sh\ngit commit -qm tidy hollow.sh";
  const moving = `[ -e ../verifying ] && exit 0\n${code}\ntouch ../verifying\nsleep 60\n`;
  project = practice({ "check.sh": moving, "src/base.txt": "ok\n" });
  const config = 'verifyBaseline: auto\nverify: ["sh check.sh"]\n';
  await project.useWorker({ "*": [{ write: { "src/{id}.txt": "x" } }] }, config);
  await project.addTasks(["do it"]);
  project.write("person.txt", "mine\n");
  project.write("notes.txt", "not committed\n");
  project.git("add", "person.txt");
  project.git("commit", "-qm", "a person's commit");
  await killWhen(project, "../verifying");
  expect(project.commits()[0]).toBe("tidy");
  project.write("late.txt", "written after the kill\n");
  const { code: exit, events } = await project.run();
  expect(exit).toBe(0);
  const recovered = events.find(({ type }) => type === "run.recovered")?.["warnings"];
  const what =
    /^put HEAD back to main at \w+, .* 1 new commit removed: .* \w+ a person's commit \(verification did, before/;
  expect(recovered).toEqual([expect.stringMatching(what)]);
  expect(project.commits().slice(1)).toEqual(["a person's commit", "configure ralph", "start"]);
  expect(project.git("status", "--porcelain").split("\n")).toEqual(["?? late.txt", "?? notes.txt"]);
  expect(project.git("show", "--name-only", "--format=", "HEAD")).toBe("src/t-1.txt");
});
