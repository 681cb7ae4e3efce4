import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RalphError } from "../../../base/errors.ts";
import { markdown } from "./markdown.ts";

const fixture = readFileSync(
  join(import.meta.dirname, "../../../../test/fixtures/tasks/openspec-tasks.md"),
  "utf8",
);
const change = "openspec/changes/pocket-notes/tasks.md";
const parse = (text: string, path = "TODO.md") => markdown.parse({ path, text });
const tick = (text: string, key: string, path = "TODO.md") =>
  markdown.mark({ path, text }, new Map([[key, true]]));
/** `key <parent state title` */
const lines = (text: string, path?: string) =>
  parse(text, path).tasks.map(
    ({ key, parentKey, state, title }) => `${key} <${parentKey ?? ""} ${state} ${title}`,
  );

describe("TASK-4: an OpenSpec change", () => {
  const { tasks, warnings } = parse(fixture, change);

  test("TASK-11: items are tasks with their numbers as ids, prefixed with the change; headings are groups", () => {
    expect(tasks).toHaveLength(45);
    expect(warnings).toEqual([]);
    expect(tasks.filter(({ parentKey }) => parentKey !== null)).toEqual([]);
    expect(tasks.filter(({ key }) => key.startsWith("8.")).map(({ id }) => id)).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => `pocket-notes:8.${n}`),
    );
    expect(tasks.find(({ key }) => key === "8.10")).toMatchObject({
      parentKey: null,
      title: "Archive the change",
    });
  });

  test("titles keep their markup, sub-bullets and paragraphs are the description", () => {
    const of = (key: string) => tasks.find((task) => task.key === key);
    expect(of("1.4")?.title).toBe("Delete notes softly, see [the policy](docs/deleting.md)");
    expect(of("6.5")?.title).toBe("Edit __init__.py and *args unharmed");
    expect(of("4.3")?.description).toBe("- the same change twice is no error\n- order does not matter");
  });

  test("ticked items are done", () => {
    const done = tasks.filter(({ state }) => state === "done").map(({ key }) => key);
    expect(done).toEqual([
      ...["1.1", "1.2", "1.3", "1.4", "1.5"],
      ...["2.1", "2.2", "2.3", "2.4", "2.5"],
      ...["3.1", "3.2"],
    ]);
  });

  test("nothing is stated about dependencies, priorities or verification", () => {
    for (const task of tasks) expect(Object.keys(task)).not.toContain("dependsOn");
    for (const task of tasks) expect(Object.keys(task)).not.toContain("verification");
  });

  test.each([
    ["openspec/changes/add-login/tasks.md", "add-login:1.1"],
    ["packages/web/openspec/changes/add-login/tasks.md", "add-login:1.1"],
    ["openspec/changes/archive/2026-01-31-add-login/tasks.md", "add-login:1.1"],
    ["openspec/changes/größe ändern/tasks.md", "gr-e-ndern:1.1"],
    ["docs/tasks.md", "1.1"],
  ])("%s: %s", (path, id) => {
    expect(parse("## 1. One\n- [ ] 1.1 Two\n", path).tasks[0]?.id).toBe(id);
  });
});

describe("TASK-4: any checklist", () => {
  test("TASK-11: nested items are children; headings are groups that keys name", () => {
    const text =
      "# Plan\n\n- [ ] First\n\n## Later\n* [x] A\n  1. [X] B\n\t\t+ [ ] C\n\n## Notes\n\nNothing to do.\n";
    expect(lines(text)).toEqual([
      "first < open First",
      "later / a < open A",
      "later / a / b <later / a open B",
      "later / a / b / c <later / a / b open C",
    ]);
  });

  test("TASK-11: a plain bullet that contains items is a group", () => {
    expect(lines("- Backend\n  - [ ] API\n- Frontend\n  - [x] API\n")).toEqual([
      "backend / api < open API",
      "frontend / api < done API",
    ]);
  });

  test("TASK-11: a heading with a checkbox is a task and the parent of its items, and is ticked", () => {
    const text = "# Plan\n\n## [ ] Backend\n\nWith care.\n\n### Groundwork\n- [ ] API\n\n## [x] Done\n";
    expect(lines(text)).toEqual([
      "backend < open Backend",
      "backend / groundwork / api <backend open API",
      "done < done Done",
    ]);
    expect(parse(text).tasks[0]?.description).toBe("With care.");
    expect(tick(text, "backend")).toBe(text.replace("## [ ] B", "## [x] B"));
  });

  test("TASK-11: an indented paragraph is the description, with or without an empty line before it", () => {
    const text =
      "- [ ] Title\n  first `line`\n  second line\n\n  Another paragraph.\n- [ ] Next\n\n  Its text.\n";
    expect(parse(text).tasks).toMatchObject([
      { key: "title", title: "Title", description: "first `line`\nsecond line\n\nAnother paragraph." },
      { title: "Next", description: "Its text." },
    ]);
    const wrapped =
      "- [ ] Write the parser for dates that are late and make sure that the\n      leap years are covered\n      Then rest.\n";
    expect(parse(wrapped).tasks).toMatchObject([
      {
        title: "Write the parser for dates that are late and make sure that the leap years are covered",
        description: "Then rest.",
      },
    ]);
  });

  test("TASK-11: `[]` is an open checkbox, and is ticked", () => {
    expect(lines("- [] One\n- [ ] Two\n")).toEqual(["one < open One", "two < open Two"]);
    expect(tick("- [] One\n- [ ] Two\n", "one")).toBe("- [x] One\n- [ ] Two\n");
    expect(tick("- [] One\n- [ ] Two\n", "two")).toBe("- [] One\n- [x] Two\n");
  });

  test("TASK-11: what resembles a checkbox is named with its line", () => {
    const good = "- [ ] real\n- [link](x)\n- [1] reference\n- [API] word\n- [a]: x\n- [x](y)\n";
    expect(parse(good).warnings).toEqual([]);
    const bad =
      "- [?] dropped\n- [ ]\n- [y] z\n- [ x] spaced\n- [ ]close\n- [x]\n\ntext\n-[ ] glued\n\n[ ] bare\n\n- [ ] a\n  -[x] glued too\n";
    expect(parse(`${good}${bad}`).warnings).toEqual([
      'TODO.md:7: not imported: "- [?] dropped": [?] is neither [ ] nor [x]',
      'TODO.md:8: not imported: "- [ ]": the item is empty',
      'TODO.md:9: not imported: "- [y] z": [y] is neither [ ] nor [x]',
      'TODO.md:10: not imported: "- [ x] spaced": [ x] is neither [ ] nor [x]',
      'TODO.md:11: not imported: "- [ ]close": a space is missing after [ ]',
      'TODO.md:12: not imported: "- [x]": the item is empty',
      'TODO.md:15: not imported: "-[ ] glued": a space is missing before [',
      'TODO.md:17: not imported: "[ ] bare": the marker "- " is missing before [',
      'TODO.md:20: not imported: "-[x] glued too": a space is missing before [',
    ]);
    expect(parse(`${good}${bad}`).tasks.map(({ title }) => title)).toEqual(["real", "a"]);
    expect(() => parse("- [?] dropped\n")).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("[?] is neither") }),
    );
  });

  test("equal texts are told apart by their number", () => {
    expect(parse("- [ ] Test\n- [ ] test\n- [ ] Test\n").tasks.map(({ key }) => key)).toEqual([
      "test",
      "test #2",
      "test #3",
    ]);
  });

  test("keys outlast ticking and reordering", () => {
    const keys = (text: string) => parse(text).tasks.map(({ key }) => key);
    const before = keys("## A\n- [ ] one\n- [ ] two `x`\n  - [ ] three\n");
    const after = keys("## A\n- [x] two `x`\n  - [X] three\n- [ ] one\n");
    expect(new Set(after)).toEqual(new Set(before));
  });

  test("a ticked item with open items of its own stays open, and is told", () => {
    const { tasks, warnings } = parse("- [x] Parent\n  - [x] a\n  - [ ] b\n- [ ] Other\n  - [x] c\n");
    expect(tasks.map(({ state }) => state)).toEqual(["open", "done", "open", "done", "done"]);
    expect(warnings).toEqual(["TODO.md:1: ticked but has open items; it stays open until they are ticked"]);
  });

  test("fenced code, inline brackets and empty boxes are no tasks", () => {
    const text =
      "```\n- [ ] code\n```\n\n- [ ] real\n\n    - [ ] child\n\nx [ ] y\n- [ ]\n- [y] z\n- \\[ ] w\n";
    expect(parse(text).tasks.map(({ title }) => title)).toEqual(["real", "child"]);
    expect(parse("- [ ] real\n\n  ```md\n  - [ ] code\n  ```\n").tasks).toMatchObject([
      { title: "real", description: "```md\n- [ ] code\n```" },
    ]);
  });

  test("quotes, wrapped lines, CRLF and a byte order mark", () => {
    const text = "\uFEFF> - [ ] long\r\n>   line\r\n>\r\n> - [x] next\r\n";
    expect(parse(text).tasks).toMatchObject([
      { title: "long", description: "line", state: "open", line: 1 },
      { title: "next", state: "done", line: 4 },
    ]);
  });

  test("a number in a sentence is no id, and a numbering that starts again gives none", () => {
    expect(lines("- [ ] 1.5 hours of testing\n- [ ] deploy\n- [ ] rest\n")[0]).toBe(
      "1.5 hours of testing < open 1.5 hours of testing",
    );
    expect(lines("## A\n- [ ] 1. one\n## B\n- [ ] 1. one\n").filter((line) => line.includes("/"))).toEqual([
      "a / 1. one < open 1. one",
      "b / 1. one < open 1. one",
    ]);
    expect(lines("- [ ] 1. one\n  - [ ] 1.1 two\n")).toEqual(["1 < open one", "1.1 <1 open two"]);
  });

  test("a paragraph too long for a title is the description", () => {
    const words = "word ".repeat(150).trim();
    const [task] = parse(`- [ ] ${words}\n\n  More.\n`).tasks;
    expect(task?.title).toHaveLength(120);
    expect(task?.description).toBe(`${words}\n\nMore.`);
    expect(task?.key.length).toBeLessThan(250);
  });

  test.each(["", "# Title\n\nText\n", "```\n- [ ] x\n```\n", "- a\n- b\n"])(
    "%j contains no checklist",
    (text) => {
      expect(() => parse(text)).toThrow(expect.objectContaining({ code: "RALPH_IMPORT_EMPTY" }));
    },
  );

  test("hostile nesting and a list beyond any size end in an error, soon", () => {
    const indented = Array.from({ length: 1000 }, (_, depth) => `${"  ".repeat(depth)}- [ ] x\n`).join("");
    expect(() => parse("-\n".repeat(600_000))).toThrow(
      expect.objectContaining({ code: "RALPH_IMPORT_INVALID", hint: expect.stringContaining("Split") }),
    );
    for (const text of ["> ".repeat(50_000), "- ".repeat(50_000), "1. ".repeat(50_000), indented]) {
      expect(() => parse(`${text}- [ ] x\n`)).toThrow(
        expect.objectContaining({ code: "RALPH_IMPORT_INVALID" }),
      );
    }
  });
});

describe("TASK-5: ticking", () => {
  test.each(["**Bold** first", "`code`", "[a link](b)", "<b>x</b>", "![image](c)", "_a_"])(
    "an item that begins with markup is ticked: %s",
    (title) => {
      const key = parse(`- [ ] ${title}\n`).tasks[0]?.key ?? "";
      expect(tick(`- [ ] ${title}\n`, key)).toBe(`- [x] ${title}\n`);
    },
  );

  const word = fc.constantFrom("fix", "the `bug`", "*now*", "[x](y)", "✓", "a b", "[ ]", "1.2 x", "- y");
  const item = fc.record({
    depth: fc.integer({ min: 0, max: 3 }),
    marker: fc.constantFrom("-", "*", "+", "1.", "2)"),
    box: fc.constantFrom("[ ]", "[x]", "[X]"),
    text: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" ")),
    after: fc.constantFrom("", "  ", "\n", "\n\n## Heading", "\n\n```\n- [ ] no\n```", "\n\n> - [ ] quoted"),
  });
  const documents = fc.record({
    start: fc.constantFrom("", "\uFEFF", "# Title\n\n"),
    items: fc.array(item, { minLength: 1, maxLength: 12 }),
    newline: fc.constantFrom("\n", "\r\n"),
    end: fc.boolean(),
  });

  test("changes exactly one character of any document, and no other task's state", () => {
    let ticked = 0;
    fc.assert(
      fc.property(documents, fc.nat(), ({ start, items, newline, end }, pick) => {
        const body = items.map(
          (it) => `${"  ".repeat(it.depth)}${it.marker} ${it.box} ${it.text}${it.after}`,
        );
        const text = (start + body.join("\n") + (end ? "\n" : "")).replaceAll("\n", newline);
        const keys = parseKeys(text);
        const key = keys[pick % Math.max(1, keys.length)];
        if (key === undefined) return;
        const after = tick(text, key);
        if (after === undefined || after === text) return;
        ticked++;
        expect(after).toHaveLength(text.length);
        const changed = [...text].flatMap((character, at) => (character === [...after][at] ? [] : [at]));
        expect(changed).toHaveLength(1);
        expect([...after][changed[0] ?? 0]).toBe("x");
        expect(parseKeys(after)).toEqual(keys);
        expect(tick(after, key)).toBe(after);
      }),
      { numRuns: 150 },
    );
    expect(ticked).toBeGreaterThan(20);
  });

  function parseKeys(text: string): readonly string[] {
    try {
      return parse(text).tasks.map(({ key }) => key);
    } catch (error) {
      if (error instanceof RalphError) return [];
      throw error;
    }
  }

  test("one line of the whole fixture differs", () => {
    const before = fixture.split("\n");
    const after = tick(fixture, "6.2", change)?.split("\n") ?? [];
    expect(after.filter((line, at) => line !== before[at])).toEqual([
      "- [x] 6.2 Keep the cursor line over restarts",
    ]);
  });

  test("a heading has no box, an entry may be gone, a ticked one stays", () => {
    expect(tick(fixture, "6", change)).toBe(fixture);
    expect(tick(fixture, "9.9", change)).toBeUndefined();
    expect(tick("- [X] a\n", "a")).toBe("- [X] a\n");
  });
});
