import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

test("LOOP-9: undo reverts a task's commits, the agent's own too, unticks its file and reopens it", async () => {
  project = practice({ "tasks.md": "- [ ] one\n- [ ] two\n", "src/base.txt": "x" });
  await project.useWorker(
    {
      "*": [
        { write: { "src/own.txt": "own" }, commit: "agent: own", append: {} },
        { write: { "src/rest.txt": "rest" } },
      ],
    },
    'verify: ["test -f src/rest.txt"]\n',
  );
  await project.ralph("task", "import", "tasks.md");
  const [first] = (await project.json("task", "list")) as { id: string }[];
  const id = String(first?.id);
  expect((await project.ralph("run", id)).code).toBe(0);
  expect(project.read("tasks.md")).toBe("- [x] one\n- [ ] two\n");
  const before = project.commits().length;

  const undone = await project.ralph("undo", id);
  expect(undone.stdout).toMatch(/2 commits reverted/);
  expect(undone.code).toBe(0);
  expect(project.read("tasks.md")).toBe("- [ ] one\n- [ ] two\n");
  expect(() => project.read("src/own.txt")).toThrow();
  expect(() => project.read("src/rest.txt")).toThrow();
  expect(project.commits().length).toBe(before + 2);
  expect(await project.json("task", "list")).toMatchObject([
    { id, status: "pending" },
    { status: "pending" },
  ]);
  expect(project.git("status", "--porcelain")).toBe("");
});

test("LOOP-9: undo of a task without commits, or over uncommitted work, changes nothing and says why", async () => {
  project = practice();
  await project.useWorker({}, "");
  await project.ralph("task", "add", "one", "--id", "t-1");
  const nothing = await project.ralph("undo", "t-1");
  expect(nothing.code).toBe(2);
  expect(nothing.stderr).toMatch(/no commit of task t-1.*\nhint:/);
  project.write("README.md", "mine\n");
  const dirty = await project.ralph("undo", "t-1");
  expect(dirty.code).toBe(5);
  expect(project.read("README.md")).toBe("mine\n");
});
