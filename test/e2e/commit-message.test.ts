import { afterAll, beforeAll, expect, test } from "vitest";
import { type Practice, type RunEvent, withTasks } from "./practice.ts";

let project: Practice;
let events: readonly RunEvent[];

beforeAll(async () => {
  project = await withTasks(
    {
      "t-1": [
        {
          write: { "src/zone.txt": "x" },
          say: "The parser keeps the zone now.\n\n<task-done>t-1</task-done>",
        },
      ],
      "t-2": [{ write: { "src/own.txt": "x" }, commit: "agent: write dates" }],
      "t-3": [
        {
          write: { "src/one.txt": "x" },
          run: [
            ["git", "add", "-A"],
            ["git", "commit", "-qm", "agent: one"],
            ["touch", "src/two.txt"],
            ["git", "add", "-A"],
            ["git", "commit", "-qm", "agent: two"],
            ["touch", "src/rest.txt"],
          ],
        },
      ],
    },
    [
      "Read dates with a zone. Keep that zone when they are written, also in logs.",
      "Write dates.",
      "Commit in steps",
    ],
  );
  ({ events } = await project.run());
});
afterAll(() => project?.remove());

test("LOOP-9: a commit's subject is the title's first sentence; the rest and the agent's summary are its body", () => {
  const [message] = project.git("log", "--format=%B", "--grep=Ralph-Task: t-1").split("\n\nVerified by:");
  expect(message).toBe(
    [
      "Read dates with a zone",
      "Keep that zone when they are written, also in logs.",
      "The parser keeps the zone now.",
    ].join("\n\n"),
  );
});

test("LOOP-16 LOOP-17: an agent's own commit is shown with its own subject, in the run and in its summary", () => {
  const hash = project.git("log", "--format=%H", "--grep=agent: write dates");
  const own = { taskId: "t-2", subject: "agent: write dates", hash };
  expect(events.filter(({ type }) => type === "commit.created")[1]).toMatchObject(own);
  const report = events.at(-1)?.["report"] as { readonly commits: readonly unknown[] };
  expect(report.commits[1]).toMatchObject(own);
});

test("LOOP-16 LOOP-17: of an agent's several own commits each is shown, before ralph's for the rest", async () => {
  const subjects = ["agent: one", "agent: two", "Commit in steps"];
  const shown = project.git("log", "-3", "--reverse", "--format=%h %s").split("\n");
  expect(shown.map((line) => line.replace(/^\S+ /, ""))).toEqual(subjects);
  expect(events.findLast(({ type }) => type === "commit.created")).toMatchObject({
    subject: subjects[2],
    own: [{ subject: subjects[0] }, { subject: subjects[1] }],
  });
  const report = events.at(-1)?.["report"] as { readonly commits: readonly { readonly subject: string }[] };
  expect(report.commits.slice(-3).map(({ subject }) => subject)).toEqual(subjects);
  const { stdout } = await project.ralph("log", "t-3");
  const hashes = project.git("log", "-3", "--reverse", "--format=%H").split("\n");
  expect(stdout).toContain(`committed: ${hashes.map((hash) => hash.slice(0, 9)).join(", ")}`);
});
