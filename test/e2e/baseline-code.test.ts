import { afterEach, expect, test } from "vitest";
import { finished, type Practice, practice, type RunEvent } from "./practice.ts";

// Code that an earlier task's agent wrote runs before the first attempt too, where no agent's session is judged by it.
let project: Practice;
afterEach(() => project?.remove());

const fine = { write: { "src/{id}.txt": "good\n" } };

/** A project whose check runs `code` once, when a person made a commit after the first task. */
async function withCode(code: string, work: object, config = ""): Promise<void> {
  const once = `if [ -e person.txt ] && [ ! -e ../ran ]; then touch ../ran\n${code}\nfi\n`;
  const check = `for f in src/*; do grep -q good "$f" || exit 1; done\n${once}`;
  project = practice({ "check.sh": check, "src/base.txt": "good\n" });
  await project.useWorker(
    { "*": [work] },
    `verifyBaseline: auto\nverify: ["sh check.sh"]\nlimits: { maxAttempts: 1 }\n${config}`,
  );
  await project.addTasks(["one"]);
  project.write("person.txt", "mine\n");
  project.git("add", "person.txt");
  project.git("commit", "-qm", "a person's commit");
}

const warnings = (events: readonly RunEvent[]): readonly string[] =>
  events.filter(({ type }) => type === "baseline.finished").flatMap((event) => event["warnings"] as string[]);
const outcomes = (events: readonly RunEvent[]) => finished(events).map(({ outcome }) => outcome);

test("TRUST-10 LOOP-20: a verification before the first attempt that removes a person's commit ends the run", async () => {
  await withCode("git update-ref HEAD HEAD~1", fine);
  const { code, events } = await project.run();
  expect([code, outcomes(events)]).toEqual([5, []]);
  expect(events.at(-1)).toMatchObject({
    reason: "git",
    summary: expect.stringContaining("HEAD moved from main"),
  });
});

test("LOOP-20: an uncommitted edit of a person that the verification before the first attempt changes is named", async () => {
  await withCode("echo more >> src/base.txt", fine);
  project.write("src/base.txt", "good, edited by a person\n");
  const { events } = await project.run("--allow-dirty");
  expect(warnings(events)).toEqual(["changed during the verification, and stays as it is: src/base.txt"]);
  expect(outcomes(events)).toEqual(["done"]);
});
