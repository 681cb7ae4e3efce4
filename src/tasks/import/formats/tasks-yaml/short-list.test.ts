import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RalphError } from "../../../../base/errors.ts";
import { markAlone, markInWhole, tasksYaml } from "../tasks-yaml.ts";
import { withoutShared } from "./short-list.ts";

const path = "tasks.yaml";
const runs = 500;
const marks = (id: string, value = true) => new Map([[id, value]]);

/** The text with the tick, or that the list is refused. */
async function outcome(mark: typeof markInWhole, text: string, id: string): Promise<string | undefined> {
  try {
    return await mark({ path, text }, marks(id));
  } catch (error) {
    if (error instanceof RalphError) return error.code;
    throw error;
  }
}

const values = fc.constantFrom(
  ...[
    "x",
    '"x"',
    "'it''s'",
    "|\n      - id: t-1\n      more",
    ">-\n      folded\n\n      tasks:",
    '"over\n      lines"',
  ],
  ...[
    "[a, b]",
    "{id: t-2}",
    "\n      - id: t-3\n      - b",
    "\n    - id: t-1",
    "a & b",
    "**bold**",
    "x # - id: t-2",
    "~",
    "",
  ],
);
const idTexts = fc.constantFrom("t-1", '"t-1"', "t-2", "'t-2'", "t-3", "007", '"t\\x2d1"');
const fields = fc.array(fc.tuple(fc.constantFrom("title", "notes", "completed", "&a a", "b"), values), {
  maxLength: 4,
});
const block = fc.tuple(idTexts, fields).map(([id, more]) => {
  const lines = more.map(([key, value], n) => `    ${key}${n || ""}: ${value}\n`).join("");
  return `  - id: ${id}\n${lines}`;
});
const odd = fc.oneof(
  idTexts.map((id) => `  - {id: ${id}, completed: false}\n`),
  fields.map((more) => `  -\n${more.map(([key, value]) => `    ${key}: ${value}\n`).join("")}    id: t-1\n`),
  fc.constantFrom(
    ...[
      "\n",
      "  # - id: t-1\n",
      "# note\n",
      "  - *a\n",
      "  - id: *a\n",
      "  -\tid: t-2\n",
      "- id: t-2\n",
      "  x\n",
    ],
  ),
);
const entries = fc.oneof({ weight: 5, arbitrary: block }, { weight: 1, arbitrary: odd });
const heads = fc.constantFrom(
  "",
  "",
  "",
  "version: 1\n",
  "notes: |\n  tasks:\n    - id: t-1\n",
  "x: &a t-1\n",
  "{",
  "---\n",
  "\ufeff",
  'a: "b\n',
);
const tails = fc.constantFrom("", "", "", "other:\n  - id: t-1\n", "...\n", "}", "x: *a\n", "# end", '"\n');
const lists = fc
  .tuple(
    heads,
    fc.constantFrom("tasks:\n", "tasks:\n", "tasks: # all\n", '"tasks":\n', "tasks: &l\n"),
    fc.array(entries, { maxLength: 6 }),
    tails,
  )
  .map((parts) => parts.flat().join(""));

test("TASK-5: in a list that is valid, ticking an entry without reading the others changes the same", async () => {
  let alone = 0;
  await fc.assert(
    fc.asyncProperty(
      lists,
      fc.constantFrom("t-1", "t-2", "t-3", "007"),
      fc.boolean(),
      async (made, id, isDos) => {
        const text = isDos ? made.replaceAll("\n", "\r\n") : made;
        const whole = await outcome(markInWhole, text, id);
        // A list that is not valid is not noticed, unless the entry itself is concerned.
        if (whole?.startsWith("RALPH_") && whole !== "RALPH_WRITE_BACK") return;
        // An import refuses a list in which two entries have one id.
        if (/\\x2d1"/.test(text) && id === "t-1") return;
        const ticked = await outcome(markAlone, text, id);
        if (ticked === undefined) return;
        alone++;
        expect(ticked).toBe(whole);
      },
    ),
    { numRuns: runs },
  );
  expect(alone).toBeGreaterThan(runs / 40);
});

const ticks = async (text: string): Promise<readonly string[] | string> => {
  try {
    const { tasks } = await tasksYaml.parse({ path, text });
    return tasks.map(({ key, state }) => `${key} ${state}`);
  } catch (error) {
    if (error instanceof RalphError) return error.code;
    throw error;
  }
};

const titled = fc
  .tuple(
    heads,
    fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.boolean(), values), { maxLength: 5 }),
    tails,
  )
  .map(([head, tasks, tail]) => ({ head, tasks: new Map(tasks.map((one) => [one[0], one])), tail }))
  .map(({ head, tasks, tail }) => {
    const entry = ([n, done, text]: readonly [number, boolean, string]) =>
      `  - id: t-${n}\n    title: a\n    notes: ${text}\n    completed: ${done}\n`;
    return `${head}tasks:\n${Array.from(tasks.values(), entry).join("")}${tail}`;
  });

test("TASK-10: two versions of a list without what they share state the same ticks of all that differs", async () => {
  let shorter = 0;
  await fc.assert(
    fc.asyncProperty(titled, titled, async (former, current) => {
      const [whole, before] = [await ticks(current), await ticks(former)];
      const short = await withoutShared(path, former, current);
      if (short === undefined || typeof whole === "string" || typeof before === "string") return;
      shorter++;
      const left = await ticks(short[1]);
      const differing = whole.filter((one) => !before.includes(one));
      expect(typeof left === "string" ? [] : left).toEqual(expect.arrayContaining(differing));
      expect(whole).toEqual(expect.arrayContaining(typeof left === "string" ? [] : [...left]));
    }),
    { numRuns: runs },
  );
  expect(shorter).toBeGreaterThan(runs / 40);
});

describe("a list that must be read whole", () => {
  const [a, b] = ["  - id: a\n    completed: false\n", "  - id: b\n    title: x\n"];
  test.each([
    ["an alias", `x: &x 1\ntasks:\n${a}  - id: b\n    title: *x\n`],
    ["braces around it", `{\n"tasks":\n[ {id: a} ] }\n`],
    ["a text over lines that looks like one", `{x: "\ntasks:\n${a}", tasks: [{id: a}]}\n`],
    ["a quoted key", `"tasks":\n${a}${b}`],
    ["an id with an escape", `tasks:\n  - id: "\\x61"\n`],
  ])("%s", async (_, text) => {
    expect(await markAlone({ path, text }, marks("a"))).toBeUndefined();
  });

  test("an entry that is gone", async () => {
    expect(await markAlone({ path, text: `tasks:\n${a}` }, marks("b"))).toBeUndefined();
  });

  test("the last of many ticks and unticks in one pass", async () => {
    const text = `tasks:\n${a}${b}`;
    const ticked = await markAlone(
      { path, text },
      new Map([
        ["a", true],
        ["b", true],
      ]),
    );
    expect(ticked).toBe(
      `tasks:\n  - id: a\n    completed: true\n  - id: b\n    completed: true\n    title: x\n`,
    );
  });
});
