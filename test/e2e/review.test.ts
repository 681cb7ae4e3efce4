import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { finished, type Practice, type RunEvent, withTasks } from "./practice.ts";

let project: Practice | undefined;

afterEach(() => project?.remove());

/** A project whose agent also reviews, as another agent: it gives these answers, one after the other. */
async function reviewed(given: readonly string[]): Promise<Practice> {
  project = await withTasks({ "*": [{ write: { "src/{id}.txt": "{attempt}" } }] }, ["Write it"]);
  const worker = project.read("../worker.sh");
  const answers = join(project.dir, "../answers");
  project.write("../answers", `${given.join("\n")}\n`);
  project.write(
    "../worker.sh",
    `if [ "$RALPH_MODEL" = judge ]; then
cat >> ${join(project.dir, "../asked")}; touch here.txt
head -n 1 ${answers}; sed -i 1d ${answers}; exit 0
fi
${worker}`,
  );
  project.write(
    ".ralph/config.yaml",
    `${project.read(".ralph/config.yaml").replace('["sh","../worker.sh"]', `["sh","${join(project.dir, "../worker.sh")}"]`)}review: { agent: command, model: judge }\nsandbox: off\n`,
  );
  project.git("commit", "-q", "-a", "-m", "review");
  await project.approveConfig();
  return project;
}

const reviews = (events: readonly RunEvent[]): unknown[] =>
  events.filter(({ type }) => type === "review.finished").map(({ verdict }) => verdict);
const fail = (why: string): string => `<review verdict="fail">${why}</review>`;

test("UX-9: a review's no is a failed attempt with its reasons, its yes lets the retry through; it sees the task, the change and what passed", async () => {
  const made = await reviewed([fail("src/t-1.txt:1 lacks the date"), '<review verdict="pass">fine</review>']);
  const { code, events, stderr } = await made.run();
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(finished(events)).toMatchObject([
    { outcome: "failed", category: "review", errorExcerpt: "src/t-1.txt:1 lacks the date" },
    { outcome: "done", verification: "passed", warnings: [] },
  ]);
  expect(reviews(events)).toEqual(["fail", "pass"]);
  const asked = made.read("../asked");
  for (const part of ["Write it", "sh check.sh", "+++ b/src/t-1.txt"]) expect(asked).toContain(part);
  expect(made.git("status", "--porcelain")).toBe("");
  const end = events.at(-1) as unknown as { report: { byModel: readonly { model: string }[] } };
  expect(end.report.byModel.map(({ model }) => model)).toContain("judge (review)");
});

test("UX-9: two refusals a task at most, and no answer: the work is committed with a warning", async () => {
  const made = await reviewed([fail("no"), fail("no again"), fail("never asked")]);
  const refused = finished((await made.run()).events);
  expect(refused.map(({ outcome }) => outcome)).toEqual(["failed", "failed", "done"]);
  expect(refused.at(-1)?.["warnings"]).toEqual([
    expect.stringMatching(/^not reviewed by command \(judge\): the review refused 2 attempts before/),
  ]);
  made.remove();
  const mute = await reviewed(["I like it"]);
  const { code, events } = await mute.run();
  expect(code).toBe(0);
  expect(finished(events)).toMatchObject([
    { outcome: "done", warnings: ["not reviewed by command (judge): the answer has no verdict"] },
  ]);
});
