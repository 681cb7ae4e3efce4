import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type ListProject, openListProject } from "../../test/task-lists.ts";
import { nextTask } from "./graph/next-task.ts";
import { allDependencies, blockersOf } from "./graph/task-graph.ts";
import { listTasks, requireTask } from "./graph/task-store.ts";
import { markDone } from "./graph/task-transitions.ts";
import type { ImportReport } from "./import-tasks.ts";
import { tickSource } from "./write-back.ts";

const fixtures = join(import.meta.dirname, "../../test/fixtures/tasks");
const now = new Date("2026-03-01T10:00:00.000Z");
let { root, db, put, run } = {} as ListProject;

beforeEach(async () => {
  ({ root, db, put, run } = await openListProject(() => now));
});

async function take(path: string, text?: string, format?: string): Promise<ImportReport> {
  if (text === undefined) await copyFile(join(fixtures, path), join(root, path));
  else await put(path, text);
  return run(path, format);
}

const ring = [
  ["a", "b"],
  ["b", "c"],
  ["c", "a"],
] as const;
test.each([
  [
    "issues.jsonl",
    (id: string, to: string, done: boolean) =>
      `${JSON.stringify({ id, title: id, status: done ? "closed" : "open", dependencies: [{ depends_on_id: to, type: "blocks" }] })}\n`,
  ],
  [
    "tasks.yaml",
    (id: string, to: string, done: boolean) =>
      `- {id: ${id}, title: ${id}, completed: ${done}, depends_on: ${to}}\n`,
  ],
])("TASK-4: finished tasks wait for nothing, so they may be in a cycle: %s", async (path, line) => {
  const head = path === "tasks.yaml" ? "tasks:\n" : "";
  const list = (...done: string[]): string =>
    head + ring.map(([id, to]) => line(id, to, done.includes(id))).join("");
  await expect(take(path, list())).rejects.toMatchObject({ code: "RALPH_TASK_CYCLE" });
  await take(path, list("a", "b", "c"));
  await take(path, list("b"));
  expect(await allDependencies(db)).toHaveLength(0);
});

test.each([
  ["prd.json", "prd", 4, 0],
  ["issues.json", "github-issues", 4, 1],
  ["issues.jsonl", "beads", 12, 8],
])(
  "TASK-4: %s is detected as %s, and a second import changes nothing",
  async (path, format, created, done) => {
    const first = await take(path);
    expect(first).toMatchObject({ format, updated: [], missing: [] });
    expect([first.created.length, first.done.length]).toEqual([created, done]);
    const before = [await listTasks(db), await allDependencies(db)];
    const second = await take(path);
    expect([second.created, second.updated, second.unchanged.length]).toEqual([[], [], created]);
    expect([await listTasks(db), await allDependencies(db)]).toEqual(before);
  },
);

test("TASK-4: a prd.json that was edited updates what is not done, removes what is gone, and says so", async () => {
  await take("prd.json");
  expect((await nextTask(db))?.id).toBe("US-001");
  await db.transaction((tx) => markDone(tx, "US-001", now));
  const file = JSON.parse(await readFile(join(fixtures, "prd.json"), "utf8"));
  file.userStories[0].title = "Rewritten after it was done";
  file.userStories[1].title = "Show it";
  file.userStories[2].priority = 1;
  file.userStories.pop();
  const report = await take("prd.json", JSON.stringify(file));
  expect(report).toMatchObject({ created: [], updated: ["US-002", "US-003"], removed: ["US-004"] });
  expect((await requireTask(db, "US-001")).title).toBe("Add priority field to database");
  expect((await requireTask(db, "US-001")).status).toBe("done");
  expect((await nextTask(db))?.id).toBe("US-003");
});

test("TASK-4: unknown blockers in a copy of a tracker cause a warning, not an error", async () => {
  const report = await take("issues.jsonl");
  expect(report.warnings).toEqual([
    "issues.jsonl: 2 tasks depend on unknown tasks; ignored: bd-wisp-uq6fx, bd-wisp-vnssv",
  ]);
  // An issue of another file is no stranger.
  await take(
    "more.jsonl",
    '{"id":"x","title":"X","dependencies":[{"depends_on_id":"bd-1lc","type":"blocks"}]}',
  );
  expect(await blockersOf(db, "x")).toEqual(["bd-1lc"]);
});

test("TASK-5: a finished story and a finished issue are ticked in their files, one of GitHub is not", async () => {
  for (const path of ["prd.json", "issues.jsonl", "issues.json"]) await take(path);
  const finish = async (id: string) => {
    await db.transaction((tx) => markDone(tx, id, now));
    return tickSource(root, await requireTask(db, id));
  };
  expect(await finish("US-002")).toMatchObject({ path: "prd.json", changed: true });
  expect(await finish("bd-1lc")).toMatchObject({ path: "issues.jsonl", changed: true });
  expect(await finish("gh-15")).toMatchObject({ path: "issues.json", changed: false });
  const changes = async (path: string) => {
    const [before, after] = await Promise.all([fixtures, root].map((at) => readFile(join(at, path), "utf8")));
    const lines = before?.split("\n") ?? [];
    return after?.split("\n").filter((line, at) => line !== lines[at]);
  };
  expect(await changes("prd.json")).toEqual(['      "passes": true,']);
  expect(await changes("issues.jsonl")).toEqual([expect.stringContaining('"status": "closed"')]);
  expect(await changes("issues.json")).toEqual([]);
});

describe("TASK-4: files that are not what they seem", () => {
  test.each([
    ["other.json", '{"a": 1}', "RALPH_IMPORT_FORMAT", "not detected by its content"],
    ["list.json", "{\n  userStories: []\n}", "RALPH_JSON_INVALID", "list.json:2:3: invalid JSON"],
    ["empty.json", "", "RALPH_JSON_INVALID", "empty.json:1:1: invalid JSON"],
    ["notes.txt", "hello", "RALPH_IMPORT_FORMAT", "not detected by its name"],
    ["a.jsonl", '{"type":"user","message":{}}', "RALPH_IMPORT_INVALID", "a.jsonl:1:1: `id` must be given"],
    ["nul.json", '{"userStories": [\0]}', "RALPH_JSON_INVALID", "nul.json:1:18"],
    ["ids.json", '{"userStories": [{"id": "../../x", "title": "T"}]}', "RALPH_TASK_BAD_ID", "ids.json:1: "],
    [
      "proto.json",
      '{"__proto__": {"userStories": [{"id": "a", "title": "T"}]}}',
      "RALPH_IMPORT_INVALID",
      "missing list",
    ],
    [
      "twice.json",
      '{"userStories": [{"id": "a", "title": "T"},\n{"id": "\\u0061", "title": "U"}]}',
      "RALPH_IMPORT_DUPLICATE_ID",
      "twice.json:2: duplicate id a: already used in line 1",
    ],
    [
      "ring.json",
      '{"userStories": [{"id": "a", "title": "T", "dependsOn": ["b"]}, {"id": "b", "title": "U", "dependsOn": ["a"]}]}',
      "RALPH_TASK_CYCLE",
      "a → b → a",
    ],
  ])("%s is refused whole", async (path, text, code, message) => {
    await expect(take(path, text)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    expect(await listTasks(db)).toEqual([]);
  });

  test("a file without a known extension is detected by its content, or by --format", async () => {
    expect((await take("stories", await readFile(join(fixtures, "prd.json"), "utf8"))).format).toBe("prd");
    expect((await take("list.txt", "- [ ] one", "markdown")).created).toHaveLength(1);
    await expect(take("x.json", "{}", "jira")).rejects.toMatchObject({
      code: "RALPH_IMPORT_FORMAT",
      hint: "Use one of: tasks-yaml, markdown, prd, task-master, github-issues, beads.",
    });
  });

  test("TASK-8: lone surrogates and NUL are cleaned, markup and quotes stay", async () => {
    const title = '"; DROP TABLE tasks; -- <b>\\ud800 \\u0000é';
    await take("odd.json", `{"userStories": [{"id": "a", "title": "${title.replaceAll('"', '\\"')}"}]}`);
    expect((await requireTask(db, "a")).title).toBe('"; DROP TABLE tasks; -- <b>\uFFFD é');
  });
});
