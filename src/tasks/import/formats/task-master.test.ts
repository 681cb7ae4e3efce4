import { expect, test } from "vitest";
import { formatOf } from "../source-formats.ts";
import { taskMaster } from "./task-master.ts";

const path = ".taskmaster/tasks/tasks.json";
const parse = (text: string) => taskMaster.parse({ path, text });
const marked = (text: string, key: string, done = true) =>
  taskMaster.mark({ path, text }, new Map([[key, done]]));

/** As Task Master writes it: numbers or texts as ids, sub-tasks that depend on their neighbours by number. */
const tasks = `[
      {
        "id": 1,
        "title": "Set up the project",
        "description": "Folders and build.",
        "details": "Use Vite.",
        "testStrategy": "npm run build passes.",
        "priority": "high",
        "dependencies": [],
        "status": "done",
        "subtasks": []
      },
      {
        "id": "2",
        "title": "Read stations",
        "description": "Types and client.",
        "priority": "low",
        "dependencies": [ 1 ],
        "status": "in-progress",
        "subtasks": [
          { "id": 1, "title": "Types", "description": "", "dependencies": [], "status": "done", "parentId": "undefined" },
          { "id": 2, "title": "Client", "dependencies": [1, "1"], "status" : "pending",
            "acceptanceCriteria": "- retries twice\\n- caches" },
          { "id": 3, "title": "Docs", "dependencies": ["2.2", 9], "status": "deferred" }
        ],
        "updatedAt": "2026-04-04T02:25:22.390Z"
      }
    ]`;
const older = `{\n  "tasks": ${tasks},\n  "metadata": { "projectName": "Radio" }\n}\n`;
const tagged = `{\r\n\t"master": {\r\n\t\t"tasks": ${tasks},\r\n\t\t"metadata": { "created": "x" }\r\n\t}\r\n}`;

test.each([
  ["the older form", older],
  ["lists by tag", tagged],
  ["a byte order mark", `\uFEFF${older}`],
])("TASK-4: Task Master's tasks.json is read with its sub-tasks: %s", (_, text) => {
  expect(formatOf({ path, text }).name).toBe("task-master");
  const read = parse(text).tasks;
  expect(
    read.map(({ id, parentKey, state, dependsOnIfKnown }) => [id, parentKey, state, dependsOnIfKnown]),
  ).toEqual([
    ["1", null, "done", []],
    ["2", null, "open", ["1"]],
    ["2.1", "2", "done", []],
    ["2.2", "2", "open", ["2.1"]],
    ["2.3", "2", "blocked", ["2.2", "9"]],
  ]);
  expect(read[0]).toMatchObject({
    priority: 1,
    description: "Folders and build.\n\nUse Vite.\n\n## Test strategy\n\nnpm run build passes.",
  });
  expect(read[3]).toMatchObject({ acceptance: ["retries twice", "caches"] });
  expect(read[4]).toMatchObject({ reason: "deferred in its file" });
});

test("TASK-5: a finished task of Task Master gets its status, and nothing else changes", () => {
  for (const text of [older, tagged, older.replaceAll("\n", "\r\n")]) {
    const one = text.replace('"status" : "pending"', '"status" : "done"');
    expect(marked(text, "2.2")).toBe(one);
    expect(marked(one, "2.2", false)).toBe(text);
    expect(marked(text, "2")).toBe(text.replace('"in-progress"', '"done"'));
    expect(marked(text, "1")).toBe(text);
    expect(marked(text, "7")).toBeUndefined();
  }
  expect(marked('{"tasks":[{"id":1,"title":"One"}]}', "1")).toBe(
    '{"tasks":[{"id":1,"title":"One","status":"done"}]}',
  );
});

test("TASK-4: tasks of other tags have ids of their own, and depend on their list", () => {
  const text = JSON.stringify({
    master: { tasks: [{ id: 1, title: "One", status: "pending" }] },
    web: {
      tasks: [
        { id: 1, title: "Page", status: "done", subtasks: [{ id: 1, title: "Form", status: "pending" }] },
        { id: 2, title: "Style", dependencies: [1], status: "review" },
      ],
    },
  });
  expect(
    parse(text).tasks.map(({ id, state, dependsOnIfKnown, tags }) => [id, state, dependsOnIfKnown, tags]),
  ).toEqual([
    ["1", "open", [], undefined],
    ["web:1", "open", [], ["web"]],
    ["web:1.1", "open", [], ["web"]],
    ["web:2", "blocked", ["web:1"], ["web"]],
  ]);
  expect(marked(text, "web:1.1")).toBe(text.replace('"Form","status":"pending"', '"Form","status":"done"'));
});

test("TASK-4: a file of Task Master with a fault is named with its line", () => {
  expect(() => parse('{"tasks":[\n{"id":1}]}')).toThrow(/tasks\.json:2:1: `title` of task 1 must be given/);
  expect(() => parse('{"tasks":[{"title":"a"}]}')).toThrow("`id` must be given");
  expect(() => parse('{"tasks":[3]}')).toThrow("must be an object");
  expect(() => parse('{"tasks":[]}')).toThrow("contains no tasks");
});
