import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

/** A project in which a person does `act` while `check` runs before the first attempt. */
async function during(act: string, check = "true") {
  const files = { "check.sh": "exit 0\n", "other.txt": "o\n", "third.txt": "t\n", "fourth.txt": "f\n" };
  project = practice(files);
  project.write("../person.sh", `set -e\n[ ! -e ../acted ] || exit 0\ntouch ../acted\n${act}\n`);
  const verify = JSON.stringify([`sh ../person.sh && ${check} && sh check.sh`]);
  const config = `verifyBaseline: auto\nverifyGuard: report\nverify: ${verify}\n`;
  await project.useWorker({ "*": [{ write: { "src/{id}.txt": "x\n" } }] }, config);
  await project.addTasks(["one"]);
  const { code, events } = await project.run();
  const baseline = events.find(({ type }) => type === "baseline.finished");
  const ends = finished(events).map(({ outcome, warnings }) => [outcome, warnings]);
  return { code, events, warnings: baseline?.["warnings"], ends };
}

const kept = (what: string) => [`changed during the verification, and stays as it is: ${what}`];
const shown = (): string => project.git("status", "--porcelain");

test("LOOP-20 LOOP-9: what a person commits and edits while the baseline is verified stays, and is named once", async () => {
  const act =
    "echo x >> other.txt; git commit -qam mine; echo y >> third.txt; echo z > new.txt; git add new.txt";
  const { code, warnings, ends } = await during(act);
  expect([code, warnings, ends]).toEqual([0, kept("1 new commit; new.txt, third.txt"), [["done", []]]]);
  expect(project.commits().slice(1, 2)).toEqual(["mine"]);
  expect(project.git("show", "--name-only", "--format=", "HEAD")).toBe("src/t-1.txt");
  expect([shown(), project.read("third.txt")]).toEqual(["A  new.txt\n M third.txt", "t\ny\n"]);
});

test.each(
  variants(
    [
      ["another branch", "git switch -qc elsewhere", "elsewhere"],
      ["a detached HEAD", "git checkout -q --detach", "a detached HEAD"],
      ["an older commit", "git reset -q --hard HEAD~1", "main"],
    ],
    1,
  ),
)(
  "LOOP-20 LOOP-25: a person who goes to %s meanwhile ends the run before an agent starts",
  async (_, act, place) => {
    const { code, events, ends } = await during(act);
    expect([code, ends]).toEqual([5, []]);
    const summary = expect.stringMatching(
      new RegExp(`HEAD moved from main at \\w+ to ${place} at \\w+ during`),
    );
    expect(events.at(-1)).toMatchObject({ reason: "git", summary });
  },
);
