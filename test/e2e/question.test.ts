import { afterEach, expect, test } from "vitest";
import { type Practice, withTasks } from "./practice.ts";

let project: Practice | undefined;
afterEach(() => project?.remove());

test("LOOP-17 UX-3: an agent's question as its last message is the reason of a task that needs a person", async () => {
  const say = "Both would work here.\n\nPostgres or SQLite?";
  project = await withTasks({ "*": [{ say }] }, ["store the rows"]);
  const { stdout } = await project.ralph("run");
  const asks = "the agent asks: Postgres or SQLite?";
  expect(stdout.replace(/\s+/g, " ")).toContain(asks);
  for (const command of [["task", "list"], ["status"], ["log", "t-1"]])
    expect((await project.ralph(...command)).stdout).toContain(asks);
  const { stderr } = await project.ralph("task", "list");
  expect(stderr).not.toContain("task reset");
  await project.ralph("task", "retry", "t-1");
  expect((await project.ralph("run", "--max-attempts", "2")).stdout).toContain("attempt 3 of 4");
});
