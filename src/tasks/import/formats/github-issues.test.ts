import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { githubIssues } from "./github-issues.ts";

const fixture = readFileSync(
  join(import.meta.dirname, "../../../../test/fixtures/tasks/issues.json"),
  "utf8",
);
const parse = (value: unknown) =>
  githubIssues.parse({
    path: "issues.json",
    text: typeof value === "string" ? value : JSON.stringify(value),
  });
const only = (fields: object) => parse([{ number: 1, title: "T", ...fields }]).tasks[0];

test("TASK-4: issues as `gh issue list --json` prints them", () => {
  const { tasks, warnings } = parse(fixture);
  expect(tasks).toMatchObject(
    [
      {
        id: "gh-11",
        state: "open",
        parentKey: null,
        tags: ["epic", "v2"],
        acceptance: ["A benchmark stands in CI"],
        line: 2,
      },
      {
        id: "gh-12",
        parentKey: "gh-11",
        priority: 1,
        tags: ["bug", "priority: high"],
        dependsOnIfKnown: ["gh-13", "gh-15", "gh-400"],
      },
      { id: "gh-13", parentKey: "gh-11", state: "done", priority: 2 },
      { id: "gh-15", parentKey: "gh-11", priority: 0, description: "", dependsOnIfKnown: ["gh-13"] },
    ].toSorted((a, b) => a.id.localeCompare(b.id)),
  );
  expect(tasks[0]?.description).toContain("Sync is slow.\n\n- [ ] #12");
  expect(tasks[1]?.title).toBe('Batch the "writes" <b>now</b>');
  expect(warnings).toEqual(["issues.json is a copy of the issues: finished tasks are not closed on GitHub"]);
});

test("TASK-4: one issue of `gh issue view`, and what GitHub's API adds", () => {
  expect(parse({ number: 7, title: "One", state: "closed", labels: ["x"] }).tasks).toMatchObject([
    { id: "gh-7", state: "done", tags: ["x"] },
  ]);
  const withPull = parse([
    { number: 1, title: "A" },
    { number: 2, title: "B", pull_request: { url: "" } },
  ]);
  expect(withPull.tasks).toHaveLength(1);
  expect(withPull.warnings[0]).toBe("issues.json: 1 pull request skipped");
});

test.each([
  ["P0", 0],
  ["p3", 3],
  ["P1 - soon", 1],
  ["priority: high", 1],
  ["priority/critical", 0],
  ["Priority: P4", 4],
  ["low priority", 3],
  ["critical", 0],
  ["high", 2],
  ["performance", 2],
  ["priority: someday", 2],
  ["constructor", 2],
])("TASK-4: the label %j means priority %i", (name, priority) => {
  expect(only({ labels: [{ name }] })?.priority).toBe(priority);
});

test.each([
  ["Blocked by #2", ["gh-2"]],
  ["**Depends on**: #2", []],
  ["depends on: #2, #3 and #4.", ["gh-2", "gh-3", "gh-4"]],
  ["blocked by #1", []],
  ["not blocked by anything, see #5", []],
  ["unblocked by #5", []],
  ["```\nblocked by #5\n```", []],
  ["blocked by other/repo#5", []],
  ["Blocked by\n#2\n#3", ["gh-2", "gh-3"]],
])("TASK-4: %j waits for %j", (body, blockers) => {
  expect(only({ body })?.dependsOnIfKnown).toEqual(blockers);
});

describe("TASK-4: families", () => {
  test("an issue cannot be its own ancestor", () => {
    const { tasks, warnings } = parse([
      { number: 1, title: "A", body: "- [ ] #2" },
      { number: 2, title: "B", body: "- [ ] #1\n- [ ] #2" },
    ]);
    expect(tasks.map(({ id, parentKey }) => [id, parentKey])).toEqual([
      ["gh-2", null],
      ["gh-1", "gh-2"],
    ]);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain("ignored parent gh-1 of gh-2");
  });

  test("a closed one with an open part stays open until that is done", () => {
    const { tasks } = parse([
      { number: 2, title: "B", state: "OPEN", parent: { number: 1 } },
      { number: 1, title: "A", state: "CLOSED" },
    ]);
    expect(tasks).toMatchObject([
      { id: "gh-1", state: "open" },
      { id: "gh-2", parentKey: "gh-1" },
    ]);
  });
});

test.each([
  ["[]", "RALPH_IMPORT_EMPTY", "contains no issues"],
  ['[{"title": "T"}]', "RALPH_IMPORT_INVALID", "issues.json:1:2: not an issue: `number` is missing"],
  [
    '[\n{"number": "x", "title": "T"}]',
    "RALPH_IMPORT_INVALID",
    "issues.json:2:12: `number` must be an issue's number",
  ],
  ['[{"number": 1, "title": ""}]', "RALPH_IMPORT_INVALID", "`title` of issue 1 must be given"],
  [
    '[{"number": 1, "title": "T", "state": "MERGED"}]',
    "RALPH_IMPORT_INVALID",
    "`state` of issue 1 must be OPEN or CLOSED",
  ],
  ['[{"number": 1, "title": "T", "labels": [[]]}]', "RALPH_IMPORT_INVALID", "`labels` of issue 1"],
  ['[{"number": 1,', "RALPH_JSON_INVALID", "issues.json:1:15: invalid JSON"],
])("TASK-4: %j is refused", (text, code, message) => {
  let error: unknown;
  try {
    parse(text);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code, message: expect.stringContaining(message), hint: expect.any(String) });
});

test("TASK-5: nothing in it is ticked", () => {
  expect(githubIssues.mark({ path: "issues.json", text: fixture }, new Map([["gh-12", true]]))).toBe(fixture);
});
