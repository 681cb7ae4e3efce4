import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tasksYaml } from "../tasks-yaml.ts";

const fixture = readFileSync(
  join(import.meta.dirname, "../../../../../test/fixtures/tasks/tasks.yaml"),
  "utf8",
);
const tick = (text: string, id: string) =>
  tasksYaml.mark({ path: "tasks.yaml", text }, new Map([[id, true]]));

describe("TASK-5: ticking", () => {
  test.each([
    ["the scalar in place", "tasks:\n- id: a\n  completed: false # later\n  title: A\n", "false", "true"],
    ["quoted", "tasks:\n- id: a\n  completed: 'no'\n", "'no'", "true"],
    ["an empty one", "tasks:\n- id: a\n  completed:\n  title: A\n", "completed:", "completed: true"],
    ["an empty one with a comment", "tasks:\n- id: a\n  completed: # ?\n", "completed:", "completed: true"],
    ["a line after the id", "tasks:\n  - id: a # x\n    title: A\n", "# x\n", "# x\n    completed: true\n"],
    [
      "id not first",
      "tasks:\n  - title: A\n    id: a\n    files: []\n",
      "id: a\n",
      "id: a\n    completed: true\n",
    ],
    ["wide dash", "tasks:\n  -   id: a\n      title: A\n", "id: a\n", "id: a\n      completed: true\n"],
    ["CRLF", "tasks:\r\n- id: a\r\n  title: A\r\n", "id: a\r\n", "id: a\r\n  completed: true\r\n"],
    ["no line break at the end", "tasks:\n- title: A\n  id: a", "id: a", "id: a\n  completed: true"],
    [
      "CRLF and no line break at the end",
      "tasks:\r\n- title: A\r\n  id: a",
      "id: a",
      "id: a\r\n  completed: true",
    ],
    [
      "byte order mark, trailing spaces",
      "\uFEFFtasks:  \n- id: a  \n  title: A \n",
      "id: a  \n",
      "id: a  \n  completed: true\n",
    ],
    ["flow style", "tasks:\n  - {id: a, title: B}\n  - {id: c}\n", "id: a", "id: a, completed: true"],
    ["flow style with the key", "tasks: [{id: a, completed: false}]\n", "false", "true"],
    ["flow style, key alone", "tasks: [{id: a, completed}]\n", "completed", "completed: true"],
    ["JSON", '{"tasks": [{"id": "a", "title": "A"}]}\n', '"id": "a"', '"id": "a", "completed": true'],
    [
      "id as a block",
      "tasks:\n  - id: |-\n      a\n    title: A\n",
      "      a\n",
      "      a\n    completed: true\n",
    ],
    ["a status", "tasks:\n- id: a\n  status: pending # later\n", "pending", "done"],
    ["a status in JSON", '{"tasks": [{"id": "a", "status": "in-progress"}]}', '"in-progress"', '"done"'],
    ["an empty status", "tasks:\n- id: a\n  status:\n  title: A\n", "status:", "status: done"],
    ["another tool's flag", "tasks:\n- id: a\n  done: false\n  status: open\n", "false", "true"],
    ["no id", "tasks:\n- title: A # x\n- title: B\n", "A # x\n", "A # x\n  completed: true\n"],
    ["no id, in braces", "tasks: [{title: 'A', files: b}]\n", "'A'", "'A', completed: true"],
    [
      "no id, several lines",
      "tasks:\n- title: >-\n    A\n  files: b\n",
      "    A\n",
      "    A\n  completed: true\n",
    ],
    ["no id, with a status", "tasks:\n- title: A\n  status: 'todo'\n", "'todo'", "'done'"],
    ["quoted keys", 'tasks:\n  - "id": a\n', '"id": a\n', '"id": a\n    "completed": true\n'],
  ])("%s", async (_name, text, from, to) => {
    const ticked = await tick(text, "a");
    expect(ticked).toBe(text.replace(from, to));
    expect(await tick(ticked ?? "", "a")).toBe(ticked);
  });

  test("one line of the whole fixture differs", async () => {
    const before = fixture.split("\n");
    const changed = (await tick(fixture, "ED2"))?.split("\n") ?? [];
    expect(changed).toHaveLength(before.length);
    expect(changed.filter((line, at) => line !== before[at])).toEqual(["    completed: true"]);
    const added = (await tick(fixture, "SY4"))?.split("\n") ?? [];
    const at = before.indexOf('  - id: "SY4"');
    expect(added).toEqual(before.toSpliced(at + 1, 0, "    completed: true"));
  });

  test("of equal titles without an id the one that is meant, also in a long list", async () => {
    const filler = "tasks:\n".concat(
      ...Array.from({ length: 2000 }, (_, n) => `- id: n${n}\n  title: The title of ${n}\n`),
    );
    const text = `${filler}- title: Fix\n- title: fix\n  description: "id: fix"\n- title: n1\n`;
    expect(await tick(text, "fix")).toBe(text.replace("Fix\n", "Fix\n  completed: true\n"));
    expect(await tick(text, "fix #2")).toBe(text.replace("fix\n", "fix\n  completed: true\n"));
    expect(await tick(text, "n1 #2")).toBe(text.replace(/title: n1\n/, "title: n1\n  completed: true\n"));
  });

  test("a status is put back", async () => {
    const text = 'tasks:\n- id: a\n  status: "Done"\n- id: b\n  status: completed\n';
    const untick = tasksYaml.mark({ path: "tasks.yaml", text }, new Map([["a", false]]));
    expect(await untick).toBe(text.replace("Done", "pending"));
    expect(await tick(text, "b")).toBe(text);
  });

  test("an entry that is gone", async () => {
    expect(await tick(fixture, "nobody")).toBeUndefined();
  });

  test("an entry that is an alias of another cannot be ticked alone", async () => {
    const text = "tasks:\n  - &x\n    id: a\n  - *x\n";
    await expect(tick(text, "a")).rejects.toMatchObject({ code: "RALPH_WRITE_BACK" });
  });
});
