import { afterAll, beforeAll, expect, test } from "vitest";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;

interface Line {
  readonly id: string;
  readonly title: string;
  readonly status: string;
}

const numbers = Array.from({ length: 40 }, (_, at) => at + 1);
const nouns = ["parser", "printer", "cache", "index", "report"];
const titleOf = (n: number): string => `Task ${n}: write the ${nouns[n % 5]}`;
const original = `# Plan\n\n${numbers.map((n) => `${n % 10 === 1 ? `\n## Part ${(n + 9) / 10}\n\n` : ""}- [ ] ${titleOf(n)}\n`).join("")}`;

beforeAll(async () => {
  project = practice({ "tasks.md": original });
  await project.useWorker({ "*": [{ append: { "work.txt": "{id}\n" } }] }, 'verify: ["true"]\n');
});
afterAll(() => project.remove());

const list = async (): Promise<readonly Line[]> => (await project.json("task", "list")) as Line[];
const commitList = (text: string): void => {
  project.write("tasks.md", text);
  project.git("commit", "-q", "-am", "edit the list");
};
const openTitles = (text: string): readonly string[] =>
  [...text.matchAll(/^ *- \[ \] (.+)$/gm)].map(([, title = ""]) => title);

/** 20 edits: 4 added, 4 renamed, 4 moved, 4 ticked, 4 deleted. */
function edited(text: string): string {
  const lines = text.split("\n");
  const at = (n: number): number => lines.findIndex((line) => line.includes(`Task ${n}:`));
  for (const n of [5, 15, 25, 35]) lines.splice(at(n), 0, `- [ ] A new one before ${n}`);
  for (const n of [6, 16, 26, 36]) lines[at(n)] = lines[at(n)]?.replace("write the", "rewrite the old") ?? "";
  for (const n of [7, 17, 27, 37]) {
    const [line = ""] = lines.splice(at(n), 1);
    lines.splice(at(n - 4), 0, line);
  }
  for (const n of [8, 18, 28, 38]) lines[at(n)] = lines[at(n)]?.replace("[ ]", "[x]") ?? "";
  for (const n of [9, 19, 29, 39]) lines.splice(at(n), 1);
  return lines.join("\n");
}

test("TASK-10: after 20 edits of a list of 40 tasks between runs, list and store are equal", async () => {
  await project.ralph("task", "import", "tasks.md");
  expect((await list()).map(({ title }) => title)).toEqual(numbers.map(titleOf));
  expect((await project.run("--max-iterations", "3")).code).toBe(3);
  const before = await list();
  const deleted = before.filter(({ title }) => /Task (?:9|19|29|39):/.test(title)).map(({ id }) => id);
  const renamed = before.find(({ title }) => title.startsWith("Task 16:"));
  expect((await project.json("status")) as object).toMatchObject({ lists: [] });
  commitList(edited(project.read("tasks.md")));
  const status = (await project.json("status")) as { lists: { changes: { kind: string }[] }[] };
  const kinds = status.lists[0]?.changes.map(({ kind }) => kind) ?? [];
  const count = (kind: string): number => kinds.filter((one) => one === kind).length;
  expect(["added", "renamed", "moved", "ticked", "removed"].map(count)).toEqual([4, 4, 4, 4, 4]);
  expect((await project.answer("status")).stdout).toContain("list     tasks.md changed: ");
  expect(await list()).toEqual(before);
  const { events } = await project.run("--once");
  expect(events.find(({ type }) => type === "list.synced")).toMatchObject({ path: "tasks.md", total: 20 });
  const after = await list();
  const open = after.filter(({ status: state }) => state !== "done").map(({ title }) => title);
  expect(open).toEqual(openTitles(project.read("tasks.md")));
  expect(after.filter(({ status: state }) => state === "done")).toHaveLength(3 + 4 + 1);
  expect(after.filter(({ id }) => deleted.includes(id))).toEqual([]);
  expect(after.find(({ id }) => id === renamed?.id)?.title).toBe("Task 16: rewrite the old printer");
  expect((await project.json("status")) as object).toMatchObject({ lists: [] });
});

test("TASK-10: retry puts a task first, skip blocks it, remove asks for the file", async () => {
  const [first, second, third] = (await list()).filter(({ status }) => status === "pending");
  expect((await project.ralph("task", "skip", first?.id ?? "")).stdout).toContain(`skipped ${first?.id}`);
  const refused = await project.ralph("task", "remove", second?.id ?? "");
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("it is an item of tasks.md") });
  const edit = await project.ralph("task", "edit", second?.id ?? "", "--title", "Another title");
  expect(edit.stderr).toContain(`${second?.id} is an item of tasks.md, which the next run adopts`);
  await project.ralph("task", "add", "By hand", "--id", "hand");
  expect((await project.ralph("task", "remove", "hand")).stdout).toBe("removed hand By hand\n");
  const last = (await list()).findLast(({ status }) => status === "pending");
  await project.ralph("task", "retry", last?.id ?? "");
  const { events } = await project.run("--once");
  expect(finished(events)).toMatchObject([{ taskId: last?.id, outcome: "done" }]);
  expect(await list()).toContainEqual(expect.objectContaining({ id: first?.id, status: "blocked" }));
  const done = (await list()).find(({ status }) => status === "done");
  await project.ralph("task", "retry", done?.id ?? "");
  expect(openTitles(project.read("tasks.md"))).toContain(done?.title);
  project.git("commit", "-q", "-am", "reopen");
  expect((await project.json("task", "next")) as object).toMatchObject({ id: done?.id });
  expect(third).toBeDefined();
});

test("TASK-10: an unticked finished item is reported by status, sync and a run until it is done again", async () => {
  const [done] = (await list()).filter(({ status }) => status === "done");
  const title = done?.title ?? "";
  commitList(project.read("tasks.md").replace(`[x] ${title}`, `[ ] ${title}`));
  const notTicked = { path: "tasks.md", changes: [], unticked: [{ id: done?.id, title }] };
  expect((await project.json("status")) as object).toMatchObject({ lists: [notTicked] });
  expect((await project.ralph("task", "sync")).stderr).toContain(`run \`ralph task retry ${done?.id}\``);
  const { events } = await project.run("--once");
  expect(events.find(({ type }) => type === "list.warned")).toMatchObject({
    warnings: expect.arrayContaining([expect.stringContaining(`${done?.id} ${title}`)]),
  });
  await project.ralph("task", "retry", done?.id ?? "");
  expect((await project.json("status")) as object).toMatchObject({ lists: [] });
});

test("TASK-10: sync off changes nothing; ask stops where nobody can answer; task sync adopts", async () => {
  const config = project.read(".ralph/config.yaml");
  project.write(".ralph/config.yaml", `${config}sync: off\n`);
  await project.approveConfig();
  commitList(`${project.read("tasks.md")}- [ ] One more\n- [?] Not this\n`);
  const titles = async (): Promise<readonly string[]> => (await list()).map(({ title }) => title);
  expect((await project.json("status")) as object).toMatchObject({ lists: [] });
  await project.run("--once");
  expect(await titles()).not.toContain("One more");
  project.write(".ralph/config.yaml", `${config}sync: ask\n`);
  await project.approveConfig();
  expect(await project.ralph("run", "--once")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("ralph task sync"),
  });
  const synced = await project.ralph("task", "sync");
  expect(synced.stdout).toContain("tasks.md: 1 added");
  expect(synced.stderr).toContain('"- [?] Not this": [?] is neither [ ] nor [x]');
  expect(await titles()).toContain("One more");
  commitList(`<<<<<<< a\n${project.read("tasks.md")}=======\n>>>>>>> b\n`);
  expect(await project.ralph("task", "sync")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unresolved merge conflicts"),
  });
});
