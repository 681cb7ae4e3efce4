import { expect, test } from "vitest";
import { markdown } from "../markdown.ts";

const path = "TODO.md";
const parse = (text: string) => markdown.parse({ path, text });
const tick = (text: string, key: string) => markdown.mark({ path, text }, new Map([[key, true]]));
/** `key <parent state title` */
const lines = (text: string) =>
  parse(text).tasks.map(({ key, parentKey, state, title }) => `${key} <${parentKey ?? ""} ${state} ${title}`);

test.each(["-", "~", "/"])("TASK-11: `[%s]` is begun, so open, and is ticked", (mark) => {
  const text = `- [${mark}] 1. One\n  - [${mark}]* 1.1 Two\n- [x] 2. Three\n`;
  expect(lines(text)).toEqual(["1 < open One", "1.1 <1 open Two", "2 < done Three"]);
  expect(tick(text, "1.1")).toBe(text.replace(`[${mark}]* 1.1`, "[x]* 1.1"));
  expect(parse(text).warnings).toEqual([]);
});

test("TASK-11: `[ ]*` is optional: a task that runs last, and is ticked", () => {
  const text = "- [ ] 1. One\r\n  - [ ]* 1.1 Two\r\n  - [x]* 1.2 Three\r\n- []* Four\r\n";
  expect(lines(text)).toEqual(["1 < open One", "1.1 <1 open Two", "1.2 <1 done Three", "four < open Four"]);
  const { tasks } = parse(text);
  expect(tasks.map(({ tags, priority }) => [tags, priority])).toEqual([
    [undefined, undefined],
    ...Array.from({ length: 3 }, () => [["optional"], 3]),
  ]);
  expect(tick(text, "1.1")).toBe(text.replace("[ ]* 1.1", "[x]* 1.1"));
  expect(tick(text, "four")).toBe(text.replace("[]*", "[x]*"));
});

test("TASK-11: of tasks with the same number the first has it as its id", () => {
  const text = "- [ ] 2.1 Read\n- [ ] 2.1 Write\n- [ ] 2.1 Write\n- [ ] 3.1 Rest\n";
  expect(parse(text).tasks.map(({ key, id }) => [key, id])).toEqual([
    ["2.1", "2.1"],
    ["2.1 write", null],
    ["2.1 write #2", null],
    ["3.1", "3.1"],
  ]);
  expect(tick(text, "2.1 write #2")).toBe(text.replace(/\[ \](?= 2.1 Write\n- \[ \] 3)/, "[x]"));
  expect(lines("## 1.1 A\n- [ ] 1.1 A\n- [ ] 1.2 B\n")).toEqual(["1.1 < open A", "1.2 < open B"]);
});

test.each([
  ["T001 Set up", "T001", [], "Set up"],
  ["T002 [P] Lint", "T002", ["P"], "Lint"],
  ["T003 [P] [US1] Model in src/a.ts", "T003", ["P", "US1"], "Model in src/a.ts"],
  ["T004: [US12] Service", "T004", ["US12"], "Service"],
  ["**T005** [P] Bold", "T005", ["P"], "Bold"],
  ["[T006] In brackets", "T006", [], "In brackets"],
  ["T007b [P] A second one", "T007b", ["P"], "A second one"],
  ["T1000 - Late", "T1000", [], "Late"],
])("TASK-11: spec-kit: %s", (item, id, tags, title) => {
  const text = `## Phase 1\n- [ ] ${item}\n- [ ] Some other\n`;
  expect(parse(text).tasks[0]).toMatchObject({ key: id, id, title, ...(tags.length > 0 && { tags }) });
  expect(tick(text, id)).toBe(text.replace("[ ]", "[x]"));
});

test.each([
  ["(depends on T001)", ["T001"]],
  ["(depends on T001, T002 and T004)", ["T001", "T002", "T004"]],
  ["(Depends on: T001-T003), then (blocked by T005)", ["T001", "T002", "T003", "T005"]],
  ["(depends on 1.2, 9.9)", ["1.2"]],
  ["(depends on T009)", undefined],
  ["(depends on the weather)", undefined],
  ["after T001", undefined],
])("TASK-11: an item that says `%s` waits", (words, blockers) => {
  const text = `- [ ] T001 A\n- [ ] 1.2 B\n- [ ] 1.3 C\n- [ ] T009 D ${words}\n`;
  expect(parse(text).tasks[3]?.dependsOnIfKnown).toEqual(blockers);
});

test("TASK-11: a repeated id of spec-kit is that of the first", () => {
  expect(parse("- [ ] T001 A\n- [ ] T001 B\n").tasks.map(({ key, id }) => [key, id])).toEqual([
    ["T001", "T001"],
    ["t001 b", null],
  ]);
});
