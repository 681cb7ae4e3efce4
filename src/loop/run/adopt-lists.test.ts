import { expect, test } from "vitest";
import { tempLoop } from "../../../test/temp-loop.ts";
import { listTasks } from "../../tasks/graph/task-store.ts";
import { importTasks } from "../../tasks/import-tasks.ts";
import { adoptMeanwhile } from "./adopt-lists.ts";
import { openLoop } from "./open-loop.ts";

test("TASK-10: an agent that adds an item in each session does not keep a run at work for ever", async () => {
  const { setup, repository } = await tempLoop("true", [], { adoptLists: true });
  repository.write("tasks.md", "- [ ] One\n");
  await importTasks(setup.db, { projectRoot: setup.root, path: "tasks.md" }, new Date());
  const loop = openLoop(setup);
  loop.adopted.growths = 199;
  for (const list of ["- [ ] One\n- [ ] Two\n", "- [ ] One\n- [ ] Two\n- [ ] Three\n"]) {
    repository.write("tasks.md", list);
    await adoptMeanwhile(loop);
  }
  expect((await listTasks(setup.db)).map(({ title }) => title)).toEqual(["One", "Two"]);
});
