import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ImportedTask } from "../source/imported-task.ts";
import { tasksYaml } from "./tasks-yaml.ts";

const fixture = readFileSync(join(import.meta.dirname, "../../../../test/fixtures/tasks/tasks.yaml"), "utf8");
const parse = (text: string) => tasksYaml.parse({ path: "tasks.yaml", text });
const tick = (text: string, id: string) =>
  tasksYaml.mark({ path: "tasks.yaml", text }, new Map([[id, true]]));
const only = async (fields: string): Promise<ImportedTask> => {
  const [task] = (await parse(`tasks:\n  - id: a\n    title: A\n${fields}`)).tasks;
  if (!task) throw new Error("no task");
  return task;
};

describe("TASK-4: a whole tasks.yaml", async () => {
  const { tasks, warnings } = await parse(fixture);
  const task = (id: string) => tasks.find((found) => found.id === id);

  test("all tasks in the file's order, with ids as they are written", () => {
    expect(tasks).toHaveLength(32);
    expect(tasks.map(({ id }) => id).slice(0, 9)).toEqual([
      "ST1",
      "ST2",
      "ST3",
      "ST4",
      "ST5",
      "ST6",
      "ST7",
      "007",
      "SY1",
    ]);
    expect(tasks.filter(({ id }) => id === "1e3" || id === "1.10")).toHaveLength(2);
    expect(task("RE8")?.dependsOn).toEqual(["RE1", "1.10", "007"]);
  });

  test("every field of an entry", () => {
    expect(task("ST1")).toEqual({
      key: "ST1",
      id: "ST1",
      line: 13,
      title: "Store notes in SQLite",
      description: [
        "Store notes in SQLite, so that the phase storage can end.",
        "",
        "Steps:",
        "1. Read `src/storage.ts`: it holds the entry point",
        "2. Write the failing test first",
        "   - one case for the empty note",
        "   - one for 10,000 lines",
        "",
        "```bash",
        'npm test -- --grep "Store"  # not a comment',
        "```",
        "",
        'Today → tomorrow: "- [ ] this is no checkbox"',
      ].join("\n"),
      state: "done",
      reason: null,
      priority: 0,
      tags: ["storage", "notes"],
      files: ["src/storage.ts"],
      acceptance: ["Store notes in SQLite works offline", "Works: with an empty note as well"],
      verification: [{ run: "npm test -- storage", timeoutMs: null }],
      commitTemplate: "feat(storage): Store notes in SQLite",
      parallelGroup: 1,
      dependsOn: [],
    });
  });

  test("verification as one script of several lines, and as a list", () => {
    const script = "set -e\nnpm run build\nnpm test -- storage";
    expect(task("ST4")?.verification).toEqual([{ run: script, timeoutMs: null }]);
    expect(task("ST2")?.verification?.map(({ run }) => run)).toEqual([
      "npm run build",
      "npm test -- storage",
    ]);
    expect(task("ST3")?.verification).toEqual([]);
  });

  test("completed, blocked and deferred", () => {
    const inState = (state: string) => tasks.filter((found) => found.state === state).map(({ id }) => id);
    expect(inState("done")).toEqual(["ST1", "ST2", "ST3", "ST4", "ST5", "SY1", "ED8"]);
    expect(inState("blocked")).toEqual(["ED3", "RE6"]);
    expect(task("ED3")?.reason).toBe("The clipboard cannot be read in a sandbox.");
    expect(task("RE6")?.reason).toBe("Waits for the translators");
    expect(task("ED8")?.reason).toBeNull();
  });

  test("unknown keys are told once each", () => {
    expect(warnings).toEqual([
      expect.stringMatching(/^tasks\.yaml:\d+:15: unknown key "estimate" ignored, and in 1 task more$/),
    ]);
  });
});

test.each(["depend_on", "dependsOn", "verificaton", "blockd"])(
  "TASK-4: %s is refused: what it stands for would silently be lost",
  async (key) => {
    const file = `tasks:\n  - id: a\n    title: A\n    ${key}: [b]\n`;
    const refusal = { code: "RALPH_IMPORT_UNKNOWN_KEY", hint: expect.stringContaining("did you mean") };
    await expect(parse(file)).rejects.toMatchObject(refusal);
  },
);

test.each([
  ["blockedBy", "depends_on"],
  ["blocked_by", "depends_on"],
  ["Blocked-By", "depends_on"],
  ["depends", "depends_on"],
  ["dependencies", "depends_on"],
  ["requires", "depends_on"],
  ["after", "depends_on"],
  ["acceptance", "acceptance_criteria"],
  ["acceptanceCriteria", "acceptance_criteria"],
  ["criteria", "acceptance_criteria"],
])("TASK-4: %s is refused, with the key that has its meaning", async (key, meant) => {
  await expect(parse(`tasks:\n  - id: a\n    title: A\n    ${key}: [b]\n`)).rejects.toMatchObject({
    code: "RALPH_IMPORT_UNKNOWN_KEY",
    message: `tasks.yaml:4:${key.length + 7}: unknown key "${key}"`,
    hint: `did you mean ${meant}?`,
  });
});

describe("TASK-4: single fields", () => {
  test.each([
    ["critical", 0],
    ["high", 1],
    ["Medium", 2],
    ["LOW", 3],
    ["", 2],
  ])("priority %j is %i", async (word, priority) => {
    expect((await only(`    priority: ${word}\n`)).priority).toBe(priority);
  });

  test("what is absent has its default, so that taking it out of the file takes it back", async () => {
    expect(await only("")).toMatchObject({
      description: "",
      state: "open",
      priority: 2,
      tags: [],
      verification: [],
      commitTemplate: null,
      parallelGroup: null,
      dependsOn: [],
    });
  });

  test("one text where a list is expected, and blocked without a reason", async () => {
    expect(await only("    depends_on: b\n    files: src/a.ts\n    blocked: true\n")).toMatchObject({
      dependsOn: ["b"],
      files: ["src/a.ts"],
      state: "blocked",
      reason: "blocked in its file",
    });
  });

  test.each([
    [
      "    priority: urgent\n",
      "tasks.yaml:4:15: `priority` of task a must be one of critical, high, medium, low",
    ],
    ["    completed: maybe\n", "tasks.yaml:4:16: `completed` of task a must be true or false"],
    ["    parallel_group: first\n", "tasks.yaml:4:21: `parallel_group` of task a must be an integer"],
    ["    description: [x]\n", "tasks.yaml:4:18: `description` of task a must be a string"],
    ["    tags: {x: y}\n", "tasks.yaml:4:11: `tags` of task a must be a list of strings"],
  ])("%j is refused", async (field, message) => {
    await expect(only(field)).rejects.toMatchObject({ code: "RALPH_IMPORT_INVALID", message });
  });

  test.each([
    ["tasks:\n  - id:\n    title: A\n", "RALPH_IMPORT_INVALID", "tasks.yaml:2:8: `id` must be given"],
    ["tasks:\n  - description: A\n", "RALPH_IMPORT_INVALID", "tasks.yaml:2:5: `title` must be given"],
    ["tasks:\n  - id: a\n    title: A\n    status: [x]\n", "RALPH_IMPORT_INVALID", "must be a string"],
    ["tasks:\n  - id: a\n", "RALPH_IMPORT_INVALID", "tasks.yaml:2:5: `title` of task a must be given"],
    [
      "tasks:\n  - just text\n",
      "RALPH_IMPORT_INVALID",
      "tasks.yaml:2:5: this entry of `tasks` must be a mapping",
    ],
    ["stories: []\n", "RALPH_IMPORT_INVALID", "tasks.yaml:1:1: missing list `tasks:`"],
    ["- id: a\n", "RALPH_IMPORT_INVALID", "tasks.yaml:1:1: missing list `tasks:`"],
    ["", "RALPH_IMPORT_INVALID", "missing list `tasks:`"],
    ["tasks: []\n", "RALPH_IMPORT_EMPTY", "the list `tasks` is empty"],
    ["tasks:\n", "RALPH_IMPORT_EMPTY", "the list `tasks` is empty"],
    ["tasks:\n  - id: a\n    title: b: c\n", "RALPH_YAML_INVALID", "tasks.yaml:3:12"],
    [
      "tasks:\n  - id: a\n    title: b\n    title: c\n",
      "RALPH_YAML_INVALID",
      'tasks.yaml:4:5: duplicate key "title"',
    ],
  ])("%j is refused", async (text, code, message) => {
    const refusal = { code, message: expect.stringContaining(message), hint: expect.stringMatching(/./) };
    await expect(parse(text)).rejects.toMatchObject(refusal);
  });
});

test.each([
  ...["done", "Done", "completed", "closed", "finished"].map((word) => [`status: ${word}`, "done", null]),
  ...["pending", "todo", "in_progress", "In Progress", "not-started", ""].map((word) => [
    `status: ${word}`,
    "open",
    null,
  ]),
  ["status: blocked", "blocked", "blocked in its file"],
  ["status: cancelled", "blocked", "cancelled in its file"],
  ["status: blocked\n    blocked_reason: No key", "blocked", "No key"],
  ["status: open\n    blocked: true", "blocked", "blocked in its file"],
  ["state: closed", "done", null],
  ["done: true", "done", null],
  ["passes: yes", "done", null],
  ["completed: false\n    status: done", "open", null],
])("TASK-4: finished work is not done again: %j", async (field, state, reason) => {
  expect(await only(`    ${field}\n`)).toMatchObject({ state, reason });
  expect((await parse(`tasks:\n  - id: a\n    title: A\n    ${field}\n`)).warnings).toEqual([]);
});

test("TASK-4: without ids, titles tell entries apart", async () => {
  const { tasks } = await parse(
    "tasks:\n- title: Fix it\n- title: fix it\n- id: tidy\n  title: T\n- title: Tidy\n",
  );
  expect(tasks.map(({ key, id, title }) => [key, id, title])).toEqual([
    ["fix it", null, "Fix it"],
    ["fix it #2", null, "fix it"],
    ["tidy", "tidy", "T"],
    ["tidy #2", null, "Tidy"],
  ]);
});

describe("TASK-4: text pasted into a block without indentation", () => {
  const pasted = [
    "tasks:",
    "  - id: a",
    "    title: A",
    "    description: |",
    "      Found by a monitor.",
    "",
    "Symptoms:",
    "- title: wrong",
    "```bash",
    "curl localhost",
    "```",
    "      See the log.",
    "    priority: high",
    "  - id: b",
    "    title: B",
    "    completed: false",
    "",
  ];

  test("belongs to the block, and is told", async () => {
    const { tasks, warnings } = await parse(pasted.join("\n"));
    expect(tasks.map(({ id, priority }) => [id, priority])).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
    expect(tasks[0]?.description).toContain(
      "\nSymptoms:\n- title: wrong\n```bash\ncurl localhost\n```\nSee the log.",
    );
    expect(warnings).toEqual([expect.stringContaining("tasks.yaml:7: lines 7 to 11 are not indented")]);
  });

  test("TASK-5: stays as it is when a task before or after it is ticked", async () => {
    const text = pasted.join("\n");
    expect(await tick(text, "b")).toBe(text.replace("completed: false", "completed: true"));
    expect(await tick(text, "a")).toBe(text.replace("- id: a\n", "- id: a\n    completed: true\n"));
  });

  test("a file that is wrong in another way too keeps its first error", async () => {
    await expect(parse(`${pasted.join("\n")}  - [\n`)).rejects.toThrow("tasks.yaml:9:1");
  });
});
