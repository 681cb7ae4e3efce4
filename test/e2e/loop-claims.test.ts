import { afterEach, expect, test } from "vitest";
import { finished, type Practice, verify, withTasks } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

test("SIG-10 SIG-7 LOOP-4: another task's id and sigils in other words, a fence or a quote finish nothing", async () => {
  const says = [
    "<task-done>t-9</task-done>",
    "<task-done>{id}</task-done>\nWait, I have not run the tests.",
    "```\n<task-done>{id}</task-done>\n```",
    "> <task-done>{id}</task-done>",
  ];
  const steps = says.map((say, at) => [`t-${at + 1}`, [{ write: { "src/{id}.txt": "x" }, say }]]);
  project = await withTasks(Object.fromEntries(steps), says);
  const { code, events } = await project.run("--max-attempts", "1");
  expect(finished(events).map(({ taskId, outcome, taskStatus }) => [taskId, outcome, taskStatus])).toEqual(
    says.map((_, at) => [`t-${at + 1}`, "no_sigil", "blocked"]),
  );
  expect(code).toBe(4);
});

test("SIG-10: the error and the next prompt name the other task's id of a sigil", async () => {
  const write = { "src/a.txt": "{attempt}" };
  const report = "<failure-report>\nwhat_tried: a\nwhy_failed: no key.\n</failure-report>\n";
  const steps = [
    "<task-done>t-9</task-done>",
    "<task-failed>t-8</task-failed>",
    `${report}<task-done>t-7</task-done>`,
  ];
  const script = { prompts: "../prompts", "*": [...steps, "Bye."].map((say) => ({ write, say })) };
  project = await withTasks(script, ["do it"]);
  const { events } = await project.run("--max-iterations", "4");
  const ignored = (kind: string, id: string) =>
    `the agent's ${kind} sigil does not count: it names "${id}", not "t-1"`;
  const reasons = [ignored("done", "t-9"), ignored("failed", "t-8"), ignored("done", "t-7")];
  expect(
    finished(events)
      .map(({ reason }) => reason)
      .slice(0, 3),
  ).toEqual(reasons);
  for (const [index, reason] of reasons.entries())
    expect(project.read(`../prompts/t-1-${index + 2}.txt`)).toContain(reason);
});

test("SIG-8: under completion: verified an agent without sigils still gets its work done", async () => {
  project = await withTasks(
    { "*": [{ write: { "src/{id}.txt": "x" }, say: "ok" }] },
    ["one"],
    `${verify}completion: verified\n`,
  );
  const { code, events } = await project.run();
  expect(finished(events)).toMatchObject([{ outcome: "done", verification: "passed" }]);
  expect(code).toBe(0);
});
