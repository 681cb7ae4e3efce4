import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { copyOf, duringIteration, type Practice, practice, waitForPerson } from "./practice.ts";

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

  const unsure = await project.ralph("undo", id);
  expect([unsure.code, unsure.stderr]).toEqual([
    2,
    expect.stringMatching(/1 commit during .*\nhint: .* --all` reverts all/),
  ]);
  const undone = await project.ralph("undo", id, "--all");
  expect(undone.stderr).toMatch(
    /^\w{9} one .*\(Practice\)\n\w{9} agent: own \(Practice, made during the session\)\n/,
  );
  expect(undone.stdout).toMatch(/reverted 2 commits/);
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
  const again = await project.ralph("undo", id);
  const hint = `hint: the task is open: the next run works on it; ralph log ${id} shows what was done\n`;
  expect([again.code, again.stderr]).toEqual([
    2,
    expect.stringContaining(`${id} is undone already\n${hint}`),
  ]);
});

test("LOOP-9: undo keeps what a person committed during the session", async () => {
  project = practice({ "src/base.txt": "x", "mine.txt": "m\n" });
  const work = { run: [waitForPerson], write: { "src/{id}.txt": "x" } };
  await project.useWorker({ "*": [work] }, 'verify: ["test -e src"]\n');
  await project.addTasks(["one"]);
  const run = project.run();
  await duringIteration(project, async () => {
    project.write("mine.txt", "mine\n");
    project.git("commit", "-qam", "a person's own");
  });
  expect((await run).code).toBe(0);
  const mine = project.git("log", "-1", "--format=%h", "--abbrev=9", "--grep=person");
  const unsure = await project.ralph("undo", "t-1");
  expect([unsure.code, unsure.stderr]).toEqual([
    2,
    expect.stringMatching(
      new RegExp(
        `${mine} a person's own \\(Practice, made during the session\\)\n.*may be yours.*\n.*--keep ${mine}`,
      ),
    ),
  ]);
  expect((await project.ralph("undo", "t-1", "--keep", "abcdef123")).stderr).toMatch(/no such commit of t-1/);
  const undone = await project.ralph("undo", "t-1", "--keep", mine);
  expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining("reverted 1 commit;")]);
  expect([project.read("mine.txt"), project.git("ls-files", "src")]).toEqual(["mine\n", "src/base.txt"]);
  expect((await project.ralph("undo", "t-1", "--all")).stderr).toMatch(/t-1 is undone already/);
});

test("LOOP-9: undo of a task without commits, or over uncommitted work, changes nothing and says why", async () => {
  project = practice();
  await project.useWorker({}, "");
  await project.addTasks(["one"]);
  const nothing = await project.ralph("undo", "t-1");
  expect(nothing.code).toBe(2);
  expect(nothing.stderr).toMatch(/no commit of task t-1.*\nhint:/);
  project.write("README.md", "mine\n");
  const dirty = await project.ralph("undo", "t-1");
  expect(dirty.code).toBe(5);
  // It has no --allow-dirty.
  expect(dirty.stderr).toMatch(/README\.md\nhint: Commit or stash them first\.\n$/);
  expect(project.read("README.md")).toBe("mine\n");
});

test.each(
  variants(
    [
      ["tasks.md", "- [ ] one\n- [ ] two\n- [ ] three\n", /^- \[x\]/gm],
      [
        "tasks.yaml",
        "tasks:\n  - id: a\n    title: one\n  - id: b\n    title: two\n  - id: c\n    title: three\n",
        /completed: true/g,
      ],
    ],
    1,
  ),
)(
  "LOOP-9: every task of %s can be undone, beneath the ticks of later ones, and its log says so",
  async (file, list, tick) => {
    project = practice({ [file]: list, "src/base.txt": "x" });
    await project.useWorker({ "*": [{ write: { "src/{id}.txt": "x" } }] }, 'verify: ["test -e src"]\n');
    await project.ralph("task", "import", file);
    const ids = ((await project.json("task", "list")) as { id: string }[]).map(({ id }) => id);
    expect((await project.run()).code).toBe(0);
    const ticks = (): number => project.read(file).match(tick)?.length ?? 0;
    expect(ticks()).toBe(3);
    const [first = "", second = "", third] = ids;
    for (const [at, id] of [first, second].entries()) {
      const undone = await project.ralph("undo", id);
      expect([undone.stderr, undone.code]).toEqual([expect.not.stringContaining("error"), 0]);
      expect(ticks()).toBe(2 - at);
      expect(project.git("status", "--porcelain")).toBe("");
    }
    expect(project.git("ls-files", "src")).toBe(`src/base.txt\nsrc/${third}.txt`);
    const { stdout } = await project.ralph("log", first);
    expect(stdout).toMatch(/\n.* undone: reverted [0-9a-f]{9}\n[\s\S]*committed: [0-9a-f]{9} \(undone\)/);
    expect((await project.run()).code).toBe(0);
    expect(ticks()).toBe(3);
  },
);

/** Two finished tasks, `t-1` then `t-2`; each writes what its `*` step says. */
async function twoDone(step: Readonly<Record<string, unknown>>): Promise<Practice> {
  const made = practice({ "src/base.txt": "x\n", "src/both.txt": "start\n" });
  await made.useWorker({ "*": [step] }, 'verify: ["test -e src"]\n');
  await made.addTasks(["work on t-1", "work on t-2"]);
  expect((await made.run()).code).toBe(0);
  return made;
}

/** `twoDone` where each task writes a file of its own: run once, a copy for each test. */
let original: Practice | undefined;
afterAll(() => original?.remove());
async function twoApart(): Promise<Practice> {
  original ??= await twoDone({ write: { "src/{id}.txt": "x" } });
  const copy = copyOf(original);
  await copy.approveConfig();
  return copy;
}

test("LOOP-9: undo that later work is in the way of changes nothing and names the file", async () => {
  project = await twoDone({ write: { "src/both.txt": "by {id}\n" } });
  const before = project.git("rev-parse", "HEAD");
  const undone = await project.ralph("undo", "t-1");
  expect([undone.code, undone.stderr]).toEqual([
    5,
    expect.stringMatching(/conflict in src\/both\.txt; t-2 changed the same lines\nhint: ralph undo t-2,/),
  ]);
  expect(project.git("rev-parse", "HEAD")).toBe(before);
  expect(project.git("status", "--porcelain")).toBe("");
  expect(await project.json("task", "list")).toMatchObject([{ status: "done" }, { status: "done" }]);
  // The later one out of the way, it goes.
  expect((await project.ralph("undo", "t-2")).code).toBe(0);
  expect((await project.ralph("undo", "t-1")).code).toBe(0);
  expect(project.read("src/both.txt")).toBe("start\n");
});

test("LOOP-9: undo on a branch without the commit changes nothing and names the branch that has it", async () => {
  project = await twoApart();
  project.git("switch", "-qc", "other", "HEAD~2");
  const head = project.git("rev-parse", "HEAD");
  const undone = await project.ralph("undo", "t-1");
  expect([undone.code, undone.stderr]).toEqual([
    2,
    expect.stringMatching(
      /commit \w{9} of task t-1 is not on other\nhint: git switch main, then ralph undo t-1/,
    ),
  ]);
  expect(project.git("rev-parse", "HEAD")).toBe(head);
  expect(await project.json("task", "show", "t-1")).toMatchObject({ status: "done" });
  project.git("switch", "-q", "main");
  project.git("commit", "-q", "--amend", "-m", "amended");
  const amended = await project.ralph("undo", "t-2");
  expect([amended.code, amended.stderr]).toEqual([
    2,
    expect.stringMatching(/is not on main\nhint: if it was/),
  ]);
});

test("LOOP-9: undo waits for no run that is at work: it is refused", async () => {
  project = await twoApart();
  await project.ralph("task", "add", "third", "--id", "t-3");
  project.setScript({ "*": [{ run: [["sh", "-c", ": > ../here; sleep 60"]] }] });
  const run = project.run();
  while (!existsSync(`${project.dir}/../here`)) await sleep(25);
  const undone = await project.ralph("undo", "t-1");
  expect([undone.code, undone.stderr]).toEqual([
    5,
    expect.stringMatching(/another run is active.*\nhint: .*ralph stop/),
  ]);
  expect((await project.ralph("stop")).code).toBe(0);
  expect((await run).code).toBe(3);
  expect(await project.json("task", "show", "t-1")).toMatchObject({ status: "done" });
});

test("LOOP-9 LOOP-11: an undo that was killed between git and the store is finished by the next", async () => {
  project = await twoApart();
  const [hash] = ((await project.json("log", "t-2")) as { commits: string[] }).commits;
  project.git("revert", "--no-edit", String(hash));
  const head = project.git("rev-parse", "HEAD");
  expect(await project.json("undo", "t-2")).toMatchObject({ id: "t-2", reverted: [], head });
  expect(await project.json("task", "list")).toMatchObject([{ status: "done" }, { status: "pending" }]);
});
