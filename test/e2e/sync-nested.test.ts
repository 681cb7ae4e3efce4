import { afterAll, beforeAll, expect, test } from "vitest";
import { type Edit, edited, itemsOf, type ListLine, linesOf, textOf } from "../edited-list.ts";
import { type Practice, practice } from "./practice.ts";

let project: Practice;

interface Line {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly parentId: string | null;
}

/** 40 items in five parts, up to three deep. */
const original: readonly ListLine[] = Array.from({ length: 40 }, (_, at): readonly ListLine[] => {
  const depth = [0, 1, 2, 2, 1, 0, 1, 1][at % 8] ?? 0;
  const item = { kind: "item", depth, title: `Task ${at + 1}`, done: false, note: "" } as const;
  return at % 8 === 0 ? [{ ...item, kind: "heading", depth: 0, title: `Part ${at / 8 + 1}` }, item] : [item];
}).flat();

beforeAll(async () => {
  project = practice({ "tasks.md": textOf(original) });
  await project.useWorker({ "*": [{ append: { "work.txt": "{id}\n" } }] }, 'verify: ["true"]\n');
  await project.ralph("task", "import", "tasks.md");
});
afterAll(() => project.remove());

const list = async (): Promise<readonly Line[]> => (await project.json("task", "list")) as Line[];
const read = (): readonly ListLine[] => linesOf(project.read("tasks.md"));
const rows = (lines: readonly Line[]): readonly (readonly [string, string])[] =>
  lines.flatMap(({ title, status, parentId }) => {
    const parent = lines.find(({ id }) => id === parentId);
    return status === "done" || status === "blocked" ? [] : [[title, parent?.title ?? ""] as const];
  });

function expectedRows(lines: readonly ListLine[]): readonly (readonly [string, string])[] {
  const items = itemsOf(lines);
  return items.flatMap(({ title, parent, finished }) =>
    finished ? [] : [[title, parent === undefined ? "" : (items[parent]?.title ?? "")] as const],
  );
}

const kinds: readonly Edit["kind"][] = [
  ...(["add", "rename", "move", "delete", "tick", "indent", "outdent", "swap", "nest", "lift"] as const),
  ...(["copy", "note", "heading", "retitle", "move", "tick", "add", "delete", "rename", "move"] as const),
];

test("TASK-10: after 20 edits of a nested list of 40 tasks between runs, list and store are equal", async () => {
  expect(rows(await list())).toEqual(expectedRows(original));
  expect((await project.run("--max-iterations", "2")).code).toBe(3);
  // Behind the finished items, spread over the list.
  const edits = kinds.map(
    (kind, n): Edit => ({
      kind,
      at: 6 + ((n * 7) % 36),
      to: 8 + ((n * 11) % 30),
      depth: n % 3,
      phrase: `Item ${n}`,
    }),
  );
  const lines = edits.reduce(edited, read());
  project.write("tasks.md", textOf(lines));
  project.git("commit", "-q", "-am", "edit the list");
  const done = (await list()).filter(({ status }) => status === "done").map(({ id }) => id);
  const { events } = await project.run("--max-iterations", "2");
  expect(events.find(({ type }) => type === "list.synced")).toMatchObject({ path: "tasks.md" });
  expect(rows(await list())).toEqual(expectedRows(read()));
  const after = await list();
  expect(after.filter(({ id, status }) => done.includes(id) && status !== "done")).toEqual([]);
  expect((await project.json("status")) as object).toMatchObject({ lists: [] });
});

test("TASK-10: an unticked finished item is reported by status, sync and a run; retry does it again", async () => {
  const [done] = (await list()).filter(({ status, title }) => status === "done" && title === "Task 3");
  const lines = read().map((line) => (line.title === "Task 3" ? { ...line, done: false } : line));
  project.write("tasks.md", textOf(lines));
  project.git("commit", "-q", "-am", "untick");
  const notTicked = { path: "tasks.md", changes: [], unticked: [{ id: done?.id, title: "Task 3" }] };
  expect((await project.json("status")) as object).toMatchObject({ lists: [notTicked] });
  expect((await project.ralph("status")).stdout).toContain(
    `list     tasks.md: 1 finished task not ticked: ${done?.id} Task 3`,
  );
  const synced = await project.ralph("task", "sync");
  expect(synced.stderr).toContain(`run \`ralph task retry ${done?.id}\` to do it again`);
  const { events } = await project.run("--once");
  expect(events.find(({ type }) => type === "list.warned")).toMatchObject({
    warnings: expect.arrayContaining([expect.stringContaining(`${done?.id} Task 3`)]),
  });
  await project.ralph("task", "retry", done?.id ?? "");
  expect((await project.json("task", "next")) as object).toMatchObject({ id: done?.id });
  expect((await project.json("status")) as object).toMatchObject({ lists: [] });
});

test("TASK-10: task edit says that the file of a listed task is adopted again", async () => {
  const [task] = (await list()).filter(({ status }) => status === "pending");
  const edit = await project.ralph("task", "edit", task?.id ?? "", "--title", "Another title");
  expect(edit.stderr).toContain(
    `${task?.id} is an item of tasks.md, which the next run adopts; change it there too`,
  );
  const other = await project.ralph(
    "task",
    "edit",
    task?.id ?? "",
    "--priority",
    "high",
    "--title",
    task?.title ?? "",
  );
  expect(other.stderr).not.toContain("change it there");
});
