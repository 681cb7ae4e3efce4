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
    },
    ["Read dates with a zone. Keep that zone when they are written, also in logs.", "Write dates."],
  );
  ({ events } = await project.run());
});
afterAll(() => project?.remove());

test("LOOP-9: a commit's subject is the title's first sentence; the rest and the agent's summary are its body", () => {
  const [message] = project.git("log", "--format=%B", "--grep=Ralph-Task: t-1").split("\n\nVerified by:");
  expect(message).toBe(
    [
      "Read dates with a zone (t-1)",
      "Keep that zone when they are written, also in logs.",
      "The parser keeps the zone now.",
    ].join("\n\n"),
  );
});

test("LOOP-16 LOOP-17: an agent's own commit is shown with its own subject, in the run and in its summary", () => {
  const own = { taskId: "t-2", subject: "agent: write dates", hash: project.git("rev-parse", "HEAD") };
  expect(events.filter(({ type }) => type === "commit.created")[1]).toMatchObject(own);
  const report = events.at(-1)?.["report"] as { readonly commits: readonly unknown[] };
  expect(report.commits[1]).toMatchObject(own);
});
