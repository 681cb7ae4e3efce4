import { resolve } from "node:path";
import { expect, test } from "vitest";
import { doListJob, type ListRequest } from "../src/tasks/import/thread/list-jobs.ts";
import { runInThread } from "../src/tasks/import/thread/run-in-thread.ts";
import { requireBuild } from "./require-build.ts";

const root = resolve(import.meta.dirname, "..");
requireBuild(root);
const limits = { program: resolve(root, "dist/list-thread.cjs"), maxMs: 30_000 };
const list = (text: string) => ({ path: "tasks.yaml", format: "tasks-yaml", text }) as const;
const text = "tasks:\n  - id: a\n    title: x\n  - id: b\n    title: y\n    completed: true\n";

const requests: Readonly<Record<string, ListRequest>> = {
  parse: { job: "parse", given: [list(text)] },
  mark: { job: "mark", given: [list(text), new Map([["a", true]])] },
  "mark an entry that is gone": { job: "mark", given: [list(text), new Map([["c", true]])] },
  withoutForeignTicks: {
    job: "withoutForeignTicks",
    given: [list(text), { former: text.replace("true", "false"), done: new Set(["a"]) }],
  },
};

test.each(Object.entries(requests))("TRUST-12: a thread answers as ralph itself: %s", async (_, request) => {
  expect(await runInThread(request, limits)).toEqual(doListJob(request));
});

test("TRUST-12: an error of the list crosses the thread with its code and hint", async () => {
  const answer = runInThread({ job: "parse", given: [list("tasks:\n  - id: a\n")] }, limits);
  await expect(answer).rejects.toMatchObject({
    name: "RalphError",
    code: "RALPH_IMPORT_INVALID",
    message: "tasks.yaml:2:5: `title` of task a must be given",
    hint: expect.any(String),
  });
});

test("TRUST-12: a bug in the thread is thrown, and ends no process", async () => {
  const answer = runInThread({ job: "parse", given: [{ ...list(text), text: 7 as never }] }, limits);
  await expect(answer).rejects.toBeInstanceOf(TypeError);
});

test("TRUST-12: a list that takes too long is given up", async () => {
  const long = list(`tasks: [${"{},".repeat(330_000)}]\n`);
  const answer = runInThread({ job: "parse", given: [long] }, { ...limits, maxMs: 200 });
  await expect(answer).rejects.toMatchObject({
    code: "RALPH_LIST_TOO_SLOW",
    message: "cannot read tasks.yaml: that takes more than 0.2 seconds",
    hint: "Split the file.",
  });
});
