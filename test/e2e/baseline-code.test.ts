import { afterEach, expect, test } from "vitest";
import { onlyInLongForm } from "../test-size.ts";
import { finished, type Practice, practice, type RunEvent } from "./practice.ts";

// Code that an earlier task's agent wrote runs before the first attempt too, where no agent's session is judged by it.
let project: Practice;
afterEach(() => project?.remove());

const fine = { write: { "src/{id}.txt": "good\n" } };
const broken = { write: { "src/{id}.txt": "broken\n" } };

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
  events.filter(({ type }) => type === "guard.restored").flatMap((event) => event["warnings"] as string[]);
const outcomes = (events: readonly RunEvent[]) => finished(events).map(({ outcome }) => outcome);

test("TRUST-10 LOOP-20: a person's commits that the verification before the first attempt removes are put back", async (context) => {
  onlyInLongForm(context);
  await withCode("git update-ref HEAD HEAD~1", fine);
  const { events } = await project.run();
  expect(outcomes(events)).toEqual(["done"]);
  const what =
    /^put HEAD back to main at \w+, as it was before; .*: \w+ a person's commit \(verification did\)$/;
  expect(warnings(events)).toEqual([expect.stringMatching(what)]);
  expect(project.commits()).toEqual([
    expect.stringContaining("t-1"),
    "a person's commit",
    "configure ralph",
    "start",
  ]);
  expect(project.git("show", "HEAD:person.txt")).toBe("mine");
  expect(project.git("status", "--porcelain")).toBe("");
});

test("TRUST-10 LOOP-20: a commit by the verification before the first attempt is removed, without a person's files", async () => {
  const code = "git checkout -qb other; echo 'exit 0' > check.sh; git add -A; git commit -qm tidy";
  await withCode(code, broken);
  project.write("notes.txt", "of a person\n");
  const { events } = await project.run();
  expect(outcomes(events)).toEqual(["failed"]);
  expect(warnings(events)).toEqual([
    expect.stringMatching(
      /^notes\.txt, which you had not committed, was in a commit .* \(verification did\)$/,
    ),
    expect.stringMatching(
      /^put HEAD back to main at \w+, from other, as it was before; 1 new commit removed: /,
    ),
  ]);
  expect(project.git("branch", "--show-current")).toBe("main");
  expect(project.commits()).toEqual(["a person's commit", "configure ralph", "start"]);
  expect(project.read("check.sh")).toContain("grep");
  expect(project.git("status", "--porcelain").split("\n")).toContain("?? notes.txt");
});

test("LOOP-20: an uncommitted edit of a person that the verification before the first attempt changes is reported", async () => {
  await withCode("echo more >> src/base.txt", fine);
  project.write("src/base.txt", "good, edited by a person\n");
  const { events } = await project.run("--allow-dirty");
  expect(warnings(events)).toEqual([
    "src/base.txt, which has uncommitted changes of yours, was changed: review it (verification did)",
  ]);
  expect(outcomes(events)).toEqual(["done"]);
});
