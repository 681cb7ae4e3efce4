import { beforeEach, expect, test } from "vitest";
import { openTempStore } from "../../../test/temp-store.ts";
import type { Db } from "../../store/port/db.ts";
import { readSplit } from "./split-proposal.ts";
import type { NewTask } from "./task.ts";
import { createTask, requireTask } from "./task-store.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const source = { format: "markdown", path: "tasks.md", key: "1.1" } as const;
let db: Db;

beforeEach(async () => {
  db = await openTempStore();
  await add({ id: "t-1", title: "Parse dates" });
});

function add(task: NewTask): Promise<unknown> {
  return db.transaction((tx) => createTask(tx, task, now));
}

async function read(checklist: string, id = "t-1"): ReturnType<typeof readSplit> {
  return readSplit(db, await requireTask(db, id), checklist);
}

test("STRAT-4: a checklist's top items are the parts, what stands below one is its description", async () => {
  const checklist = [
    "Here is how:",
    "- [ ] Parse the  day",
    "  Only ISO dates.",
    "  - [ ] with a test",
    "",
    "* [ ] Parse the zone `<b>` 'x'",
    "- [x] Read the file",
  ].join("\n");
  expect(await read(checklist)).toEqual({
    parts: [
      { title: "Parse the day", description: "Only ISO dates.\n- [ ] with a test" },
      { title: "Parse the zone `<b>` 'x'", description: "" },
    ],
  });
});

const items = (...titles: readonly string[]): string => titles.map((title) => `- [ ] ${title}`).join("\n");

test.each([
  ["no list at all", "just words", /no unfinished part/],
  ["one part", items("only"), /only one part/],
  ["parts that are ticked", "- [x] a\n- [x] b", /no unfinished part/],
  ["more than ten", items(..."abcdefghijk"), /lists 11 parts/],
  ["the same title twice", items("Write it", "write  it."), /two of its parts/],
  ["its own title", items("Parse dates!", "other"), /same title as the task/],
  ["an empty title", "- [ ]\n- [ ] b", /no title/],
  ["a title of signs alone", items("…", "b"), /no title/],
  ["a title that is an essay", items("x".repeat(201), "b"), /201 characters/],
])("STRAT-4: a split is refused, with the reason, for %s", async (_, checklist, reason) => {
  expect(await read(checklist)).toEqual({ refused: expect.stringMatching(reason) });
});

test("STRAT-4: a task is split at most twice; an imported task at any depth", async () => {
  await add({ id: "t-2", parentId: "t-1", title: "Day" });
  await add({ id: "t-3", parentId: "t-2", title: "Leap day" });
  expect(await read(items("a", "b"), "t-2")).toMatchObject({ parts: [{}, {}] });
  expect(await read(items("a", "parse DATES"), "t-2")).toMatchObject({ refused: expect.any(String) });
  expect(await read(items("a", "b"), "t-3")).toMatchObject({
    refused: expect.stringContaining("cannot be split further"),
  });
  await add({ id: "s-1", title: "Story", source: { ...source, key: "1" } });
  await add({ id: "s-2", parentId: "s-1", title: "Chapter", source: { ...source, key: "1.1" } });
  await add({ id: "s-3", parentId: "s-2", title: "Line", source: { ...source, key: "1.1.1" } });
  expect(await read(items("a", "b"), "s-3")).toMatchObject({ parts: [{}, {}] });
});

test("STRAT-4: a hundred thousand lines are read in no time, and no odd line throws", async () => {
  expect(await read("\t- [ ]\u0000 \u001b[2Jx\n".repeat(100_000))).toMatchObject({
    refused: expect.any(String),
  });
});

test("TRUST-12: a description of 300,000 lines is cut off", async () => {
  const { parts } = (await read(`- [ ] a\n${"  b\n".repeat(300_000)}- [ ] c`)) as {
    parts: readonly { description: string }[];
  };
  expect(parts[0]?.description).toMatch(/^b\nb\n/);
});
