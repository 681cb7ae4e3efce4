import { expect, test } from "vitest";
import { command as showRecords } from "../src/cli/commands/learnings/show.ts";
import { command as editLearning } from "../src/cli/commands/memory/edit.ts";
import { command as listMemory } from "../src/cli/commands/memory/list.ts";
import { command as run } from "../src/cli/commands/run.ts";
import { fail } from "../src/cli/commands/task/close.ts";
import { add, edit } from "../src/cli/commands/task/edit.ts";
import { command as list } from "../src/cli/commands/task/list.ts";
import { twoTasks } from "./command-folder.ts";

test.each([
  ["empty title: a task needs a title", add, ["  \t"], "one line"],
  ["empty title: a task needs a title", edit, ["a", "--title", " "], "one line"],
  ['invalid --tag "": the value is empty', add, ["x", "--tag", "y", "--tag", ""], "leave out --tag"],
  ['invalid --file "": the value is empty', add, ["x", "--file", ""], "leave out --file"],
  ['invalid --accept " ": the value is empty', edit, ["a", "--accept", " "], "leave out --accept"],
  ['invalid --text " ": the value is empty', editLearning, ["l-1", "--text", " "], "ralph memory remove"],
  ['invalid --reason "": the value is empty', fail, ["a", "--reason", ""], "why it failed"],
  ['invalid --name "": the value is empty', run, ["--name", ""], "leave out --name"],
  ['invalid --model " ": the value is empty', run, ["--model", " "], "leave out --model"],
  ['invalid --budget-usd "": the value is empty', run, ["--budget-usd", ""], "leave out --budget-usd"],
] as const)("UX-4: what is blank is refused: %s", async (message, spec, words, hint) => {
  const folder = await twoTasks();
  await expect(folder.run(spec, ...words)).rejects.toMatchObject({
    message,
    hint: expect.stringContaining(hint),
  });
  expect(await folder.json(list)).toMatchObject([
    { id: "a", title: "Parse dates", status: "pending" },
    { id: "b" },
  ]);
});

test.each([
  ["unknown task nope", list, ["--parent", "nope"]],
  ["unknown task nope", showRecords, ["nope"]],
  ["run not found: run-nope", showRecords, ["--run", "run-nope"]],
  ["unknown task nope", listMemory, ["--task", "nope"]],
  ["run not found: run-nope", listMemory, ["--run", "run-nope", "--json"]],
] as const)("UX-4: an empty answer is none for an unknown id: %s of %#", async (message, spec, words) => {
  const folder = await twoTasks();
  await expect(folder.run(spec, ...words)).rejects.toMatchObject({ message, hint: expect.any(String) });
});

test("UX-4: a known task without memory has an empty answer", async () => {
  const folder = await twoTasks();
  expect(await folder.json(showRecords, "a")).toEqual([]);
  expect(await folder.json(listMemory, "--task", "a")).toEqual([]);
});
