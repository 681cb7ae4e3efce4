import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { prd } from "./prd.ts";

const fixture = readFileSync(join(import.meta.dirname, "../../../../test/fixtures/tasks/prd.json"), "utf8");
const parse = (text: string) => prd.parse({ path: "prd.json", text });
const tick = (text: string, key: string) => prd.mark({ path: "prd.json", text }, new Map([[key, true]]));
const refusal = (text: string) => {
  try {
    parse(text);
  } catch (error) {
    return error;
  }
  return undefined;
};

test("TASK-4: a prd.json as it is used goes in whole, its first priority first", () => {
  const { tasks, warnings } = parse(fixture);
  expect(warnings).toEqual([]);
  expect(tasks.map(({ id, priority, state }) => [id, priority, state])).toEqual([
    ["US-001", 1, "open"],
    ["US-002", 2, "open"],
    ["US-003", 3, "open"],
    ["US-004", 4, "open"],
  ]);
  expect(tasks[1]).toEqual({
    key: "US-002",
    id: "US-002",
    line: 19,
    title: "Display priority indicator on task cards",
    description: "As a user, I want to see task priority at a glance.",
    state: "open",
    reason: null,
    priority: 2,
    tags: [],
    acceptance: [
      "Each task card shows colored priority badge (red=high, yellow=medium, gray=low)",
      "Priority visible without hovering or clicking",
      "Typecheck passes",
      "Verify in browser using dev-browser skill",
    ],
    dependsOn: [],
  });
});

const story = (fields: string): string => `{"userStories": [{"id": "a", "title": "A"${fields}}]}`;

test("TASK-4: what other writers of the format add", () => {
  const text = story(
    ', "passes": true, "priority": "High", "notes": "see #3", "labels": ["ui"], "dependsOn": ["b"], "retries": 1',
  );
  const { tasks, warnings } = parse(text);
  expect(tasks[0]).toMatchObject({
    state: "done",
    priority: 1,
    description: "Notes: see #3",
    tags: ["ui"],
    dependsOn: ["b"],
  });
  expect(warnings).toEqual(['prd.json:1:18: unknown key "retries" ignored']);
  expect(
    parse('\uFEFF{"userStories": [{"id": 1.10, "title": "A", "__proto__": {"passes": true}}]}').tasks[0],
  ).toMatchObject({
    id: "1.10",
    state: "open",
  });
});

describe("TASK-4: errors name their place", () => {
  test.each([
    [
      '{"userStories": [\n  {"id": "a" "title": "A"}]}',
      "RALPH_JSON_INVALID",
      "prd.json:2:14: invalid JSON: comma expected",
    ],
    ['{"stories": []}', "RALPH_IMPORT_INVALID", "prd.json:1:1: missing list `userStories`"],
    ['{"userStories": {}}', "RALPH_IMPORT_INVALID", "prd.json:1:17: missing list"],
    ['{"userStories": []}', "RALPH_IMPORT_EMPTY", "the list `userStories` is empty"],
    ['{"userStories": [\n "a"]}', "RALPH_IMPORT_INVALID", "prd.json:2:2: this must be an object"],
    ['{"userStories": [{"title": "A"}]}', "RALPH_IMPORT_INVALID", "prd.json:1:18: `id` must be given"],
    [story(', "passes": "yes"'), "RALPH_IMPORT_INVALID", "`passes` of story a must be true or false"],
    [
      story(',\n "priority": 1.5'),
      "RALPH_IMPORT_INVALID",
      "prd.json:2:14: `priority` of story a must be an integer",
    ],
    [story(', "depends_on": ["b"]'), "RALPH_IMPORT_UNKNOWN_KEY", 'unknown key "depends_on"'],
    ["[".repeat(1_000_000), "RALPH_JSON_INVALID", "nested deeper than 100 levels"],
  ])("%.60s", (text, code, message) => {
    expect(refusal(text)).toMatchObject({
      code,
      message: expect.stringContaining(message),
      hint: expect.any(String),
    });
  });
});

describe("TASK-5: ticking a story changes its tick alone", () => {
  test.each([
    ["the real file", fixture, "US-003", fixture.replace(/("id": "US-003"[^}]*"passes": )false/, "$1true")],
    [
      "one line",
      '{"userStories":[{"id":"a","title":"A","passes":false},{"id":"b","title":"B"}]}',
      "a",
      '{"userStories":[{"id":"a","title":"A","passes":true},{"id":"b","title":"B"}]}',
    ],
    [
      "missing, one line",
      '{"userStories":[{"id":"a","title":"A"}]}',
      "a",
      '{"userStories":[{"id":"a","passes":true,"title":"A"}]}',
    ],
    [
      "missing, CRLF and a byte order mark",
      '\uFEFF{"userStories": [\r\n\t{\r\n\t\t"id" : "a",\r\n\t\t"title" : "A"\r\n\t}]}',
      "a",
      '\uFEFF{"userStories": [\r\n\t{\r\n\t\t"id" : "a",\r\n\t\t"passes" : true,\r\n\t\t"title" : "A"\r\n\t}]}',
    ],
    [
      "null",
      '{"userStories":[{"id":"a","title":"A","passes": null }]}',
      "a",
      '{"userStories":[{"id":"a","title":"A","passes": true }]}',
    ],
    [
      "a repeated key",
      '{"userStories":[{"id":"a","title":"A","passes":false,"passes":false}]}',
      "a",
      '{"userStories":[{"id":"a","title":"A","passes":false,"passes":true}]}',
    ],
    [
      "escapes",
      '{"userStories":[{"id":"\\u0061","title":"\\"passes\\":false","passes":false}]}',
      "a",
      '{"userStories":[{"id":"\\u0061","title":"\\"passes\\":false","passes":true}]}',
    ],
    [
      "ticked already",
      '{"userStories":[{"id":"a","title":"A","passes":true}]}',
      "a",
      '{"userStories":[{"id":"a","title":"A","passes":true}]}',
    ],
    [
      "a number",
      '{"userStories":[{"id":1.10,"title":"A","passes":false}]}',
      "1.10",
      '{"userStories":[{"id":1.10,"title":"A","passes":true}]}',
    ],
  ])("%s", (_name, before, key, after) => {
    expect(after).not.toBe("");
    expect(tick(before, key)).toBe(after);
  });

  test("a story that is gone", () => expect(tick(fixture, "US-9")).toBeUndefined());

  test("in any file that JSON can write", () => {
    const extra = fc.dictionary(
      fc.string().filter((key) => !["id", "title", "passes"].includes(key)),
      fc.jsonValue(),
      { maxKeys: 3 },
    );
    const stories = fc.array(fc.record({ extra, before: fc.boolean(), title: fc.string({ minLength: 1 }) }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(
        stories,
        fc.nat(5),
        fc.constantFrom(0, 2, 3, "\t"),
        fc.boolean(),
        (list, pick, indent, crlf) => {
          const made = list.map(({ extra: more, before, title }, at) => {
            const passes = pick % 2 === 0 ? { passes: false } : {};
            return before
              ? { ...more, id: `s${at}`, ...passes, title }
              : { id: `s${at}`, title, ...passes, ...more };
          });
          const plain = JSON.stringify({ userStories: made, project: '"userStories": []' }, null, indent);
          const text = crlf ? plain.replaceAll("\n", "\r\n") : plain;
          const at = pick % made.length;
          const ticked = tick(text, `s${at}`) ?? "";
          const expected = JSON.parse(text);
          expected.userStories[at].passes = true;
          expect(JSON.parse(ticked)).toEqual(expected);
          // All that stood there still stands there, in its order.
          const [start, end] = unequal(text, ticked);
          expect(text.slice(start, text.length - end)).toMatch(/^(?:fals)?$/);
          expect(tick(ticked, `s${at}`)).toBe(ticked);
        },
      ),
    );
  });
});

/** How many characters the two have in common at the start and at the end. */
function unequal(a: string, b: string): readonly [number, number] {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return [start, end];
}
