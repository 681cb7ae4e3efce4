import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { beads } from "./beads.ts";

const fixture = readFileSync(
  join(import.meta.dirname, "../../../../test/fixtures/tasks/issues.jsonl"),
  "utf8",
);
const path = "issues.jsonl";
const parse = (text: string) => beads.parse({ path, text });
const tick = (text: string, key: string) => beads.mark({ path, text }, new Map([[key, true]]));
const lines = (...issues: readonly object[]): string =>
  issues.map((issue) => `${JSON.stringify({ title: "T", ...issue })}\n`).join("");
const link = (to: string, type: string): object => ({ issue_id: "x", depends_on_id: to, type });

describe("TASK-4: beads issues as they are", async () => {
  const { tasks, warnings } = await parse(fixture);
  const task = (id: string) => tasks.find((found) => found.id === id);

  test("all of them, by status and priority, parents before their children", () => {
    expect(warnings).toEqual([]);
    expect(tasks).toHaveLength(12);
    const inState = (state: string) => tasks.filter((found) => found.state === state).map(({ id }) => id);
    expect(inState("blocked")).toEqual(["bd-pr-sheriff"]);
    expect(inState("open")).toEqual(["bd-xmf", "bd-5ua", "bd-1lc"]);
    expect(task("bd-pr-sheriff")?.reason).toBe("pinned in its file");
    expect(task("bd-mql4")).toMatchObject({ priority: 4, state: "done", line: 12, parentKey: null });
    const ids = tasks.map(({ id }) => id);
    expect(ids.indexOf("bd-au0")).toBeLessThan(ids.indexOf("bd-au0.7"));
    expect(tasks.filter(({ parentKey }) => parentKey === "bd-au0")).toHaveLength(3);
  });

  test("`blocks` is waited for, no other link is", async () => {
    expect(task("bd-b3og")?.dependsOnIfKnown).toEqual(["bd-tggf", "bd-wisp-p27dfw"]);
    expect(task("bd-au0.5")?.dependsOnIfKnown).toEqual([]);
    const related = await parse(
      lines({
        id: "a",
        dependencies: [link("b", "related"), link("c", "discovered-from"), link("d", "tracks")],
      }),
    );
    expect(related.tasks[0]).toMatchObject({ dependsOnIfKnown: [], parentKey: null });
  });
});

test("TASK-4: texts, labels, kinds", async () => {
  const issue = {
    id: "a",
    issue_type: "bug",
    labels: ["ui", "bug"],
    description: "D",
    design: "Use X",
    notes: "N",
  };
  const acceptance = { acceptance_criteria: "- [ ] one\n- two\n" };
  expect((await parse(lines({ ...issue, ...acceptance }))).tasks[0]).toMatchObject({
    description: "D\n\n## Design\n\nUse X\n\n## Notes\n\nN",
    tags: ["bug", "ui"],
    acceptance: ["one", "two"],
    priority: 2,
  });
});

test.each([
  ["deferred", "blocked"],
  ["blocked", "blocked"],
  ["on_hold", "blocked"],
  ["in_progress", "open"],
  ["open", "open"],
  ["closed", "done"],
])("TASK-4: %s is %s", async (status, state) => {
  expect((await parse(lines({ id: "a", status }))).tasks[0]).toMatchObject({
    state,
    reason: state === "blocked" ? `${status} in its file` : null,
  });
});

test("TASK-4: a deleted issue is skipped with a warning; a closed epic with an open child stays open", async () => {
  const text = lines(
    { id: "c", parent: "e", dependencies: [link("nowhere", "parent-child")] },
    { id: "e", status: "closed" },
    { id: "gone", status: "tombstone" },
  );
  const { tasks, warnings } = await parse(text);
  expect(tasks.map(({ id, parentKey, state }) => [id, parentKey, state])).toEqual([
    ["e", null, "open"],
    ["c", "e", "open"],
  ]);
  expect(warnings).toEqual([
    "issues.jsonl: 1 deleted issue skipped",
    expect.stringMatching(/^issues\.jsonl:2: e is closed but has open children/),
  ]);
});

test("TASK-4: records of agents and messages are no tasks, and are told", async () => {
  const kinds = ["agent", "message", "role", "task", "bug"];
  const { tasks, warnings } = await parse(lines(...kinds.map((type) => ({ id: type, issue_type: type }))));
  expect(tasks.map(({ id }) => id)).toEqual(["task", "bug"]);
  expect(warnings).toEqual(["issues.jsonl: 3 records of agents and messages skipped"]);
});

test("TASK-4: a child that waits for its parent or grandparent does not, which wait for it", async () => {
  const up = [link("p", "parent-child"), link("p", "blocks"), link("g", "blocks"), link("o", "blocks")];
  const text = lines({ id: "c", dependencies: up }, { id: "p", parent: "g" }, { id: "g" }, { id: "o" });
  const { tasks } = await parse(text);
  expect(tasks.find(({ id }) => id === "c")).toMatchObject({ parentKey: "p", dependsOnIfKnown: ["o"] });
});

test.each([
  ["", "RALPH_IMPORT_EMPTY", "contains no issues"],
  ['{"id":"a","title":"T"}\n{"id":"b" "title":"T"}', "RALPH_JSON_INVALID", "issues.jsonl:2:11: invalid JSON"],
  [
    '{"id":"a","title":"T"}\n<<<<<<< HEAD\n',
    "RALPH_JSON_INVALID",
    "issues.jsonl:2: unresolved merge conflict",
  ],
  ['{"id":"a","title":"T"}\n7\n', "RALPH_IMPORT_INVALID", "issues.jsonl:2:1: this must be an object"],
  ['\n\n {"title":"T"}', "RALPH_IMPORT_INVALID", "issues.jsonl:3:2: `id` must be given"],
  [
    '{"id":"a","title":"T","priority":"P1"}',
    "RALPH_IMPORT_INVALID",
    "issues.jsonl:1:34: `priority` of issue a must be an integer",
  ],
  ["[".repeat(100_000), "RALPH_JSON_INVALID", "nested deeper than 100 levels"],
])("TASK-4: %.40j is refused", async (text, code, message) => {
  const refusal = { code, message: expect.stringContaining(message), hint: expect.any(String) };
  await expect(parse(text)).rejects.toMatchObject(refusal);
});

describe("TASK-5: closing an issue changes its status alone", () => {
  test("in the file as it is", async () => {
    const changed = (await tick(fixture, "bd-5ua")) ?? "";
    const [before, after] = [fixture.split("\n"), changed.split("\n")];
    const line = before.findIndex((text) => text.includes('"id": "bd-5ua"'));
    expect(after[line]).toBe(before[line]?.replace('"status": "in_progress"', '"status": "closed"'));
    expect(after.with(line, "")).toEqual(before.with(line, ""));
    expect(await tick(changed, "bd-5ua")).toBe(changed);
  });

  test.each([
    [
      "CRLF, byte order mark, blank lines",
      '\uFEFF{"id":"a","status":"open"}\r\n\r\n{"id":"b","status":"open"}\r\n',
      "b",
      '\uFEFF{"id":"a","status":"open"}\r\n\r\n{"id":"b","status":"closed"}\r\n',
    ],
    [
      "first line behind a byte order mark",
      '\uFEFF{"id":"a","status":"open"}\n',
      "a",
      '\uFEFF{"id":"a","status":"closed"}\n',
    ],
    [
      "no status, no line break at the end",
      '{"id": "a", "title": "\\"status\\": 1"}',
      "a",
      '{"id": "a", "status": "closed", "title": "\\"status\\": 1"}',
    ],
    [
      "a status within another object",
      '{"id":"a","x":{"status":"open"},"status":"open"}',
      "a",
      '{"id":"a","x":{"status":"open"},"status":"closed"}',
    ],
  ])("%s", async (_name, before, key, after) => expect(await tick(before, key)).toBe(after));

  test("an issue that is gone", async () => expect(await tick(fixture, "bd-nobody")).toBeUndefined());
});
