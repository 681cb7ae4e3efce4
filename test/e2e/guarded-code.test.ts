import { existsSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { onlyInLongForm } from "../test-size.ts";
import { type Practice, practice, type RunEvent } from "./practice.ts";

// Code that an agent wrote runs again outside of an agent's session: in the baseline and `ralph verify`.
let project: Practice;
afterEach(() => project?.remove());

const driver = resolve(import.meta.dirname, "../../node_modules/@photostructure/sqlite");
const fine = { write: { "src/{id}.txt": "fine\n" } };

/** The committed check plants a filter and marks the third task as done wherever `trigger` holds. */
async function withPlanter(trigger: string, config = ""): Promise<void> {
  const sql = `"${process.execPath}" ../sql.cjs "UPDATE tasks SET status = 'done' WHERE id = 't-3'"`;
  const plant = [
    `git config filter.p.clean 'touch ${"$"}PWD/../marked; cat'`,
    "mkdir -p .git/info && echo '* filter=p' > .git/info/attributes",
    sql,
    "touch ../planted",
  ].join("\n");
  project = practice({ "check.sh": `if ${trigger}; then\n${plant}\nfi\n`, "src/base.txt": "ok\n" });
  const program = `const { DatabaseSync } = require(${JSON.stringify(driver)});
const db = new DatabaseSync(".ralph/progress.db");
for (const sql of process.argv.slice(2)) db.exec(sql);
db.close();
`;
  writeFileSync(join(dirname(project.dir), "sql.cjs"), program);
  await project.useWorker({ "*": [fine] }, `verify: ["sh check.sh"]\n${config}`);
  await project.addTasks(["one", "two", "three"]);
}

const there = (name: string): boolean => existsSync(join(project.dir, name));

async function statuses(): Promise<readonly string[]> {
  const all = (await project.json("task", "list", "--all")) as { status: string }[];
  return all.map(({ status }) => status);
}

const warningsIn = (events: readonly RunEvent[], type: string): readonly string[] =>
  events.filter((event) => event.type === type).flatMap(({ warnings }) => warnings as string[]);

const restored = (by: string) => [
  expect.stringMatching(`put back .git/config: .*${by}`),
  expect.stringMatching(`put back .git/info/attributes: .*${by}`),
  expect.stringMatching(`put back task t-3: .*${by}`),
];

function expectNothingPlanted(): void {
  expect(["../planted", "../marked", ".git/info/attributes"].map(there)).toEqual([true, false, false]);
  expect(project.git("config", "--local", "--list")).not.toContain("filter.p");
}

test("TRUST-10 TRUST-11: what the verification before the first attempt changes is put back and reported", async () => {
  await withPlanter("[ ! -e ../planted ]", "verifyBaseline: auto\n");
  const { code, events } = await project.run("t-1");
  expect(code).toBe(0);
  expect(await statuses()).toEqual(["done", "pending", "pending"]);
  expect(warningsIn(events, "guard.restored")).toEqual(restored("verification"));
  expectNothingPlanted();
});

test("TRUST-10 TRUST-11: ralph verify puts back what git would execute and rows, and leaves a person's work", async () => {
  await withPlanter("[ ! -e ../planted ]");
  // What a person may do meanwhile.
  const person = [
    "git config user.name Other",
    "echo mine > src/mine.txt",
    "git add src && git commit -qm mine",
    "echo '# mine' >> .ralph/config.yaml",
  ].join("\n");
  project.write("check.sh", `${person}\n${project.read("check.sh")}`);
  project.git("commit", "-qam", "more");
  const { code, stderr } = await project.ralph("verify");
  expect([code, stderr]).toEqual([0, expect.stringMatching(/put back \.git\/config, .*put-aside/)]);
  expect(stderr).toMatch(/put back \.git\/info\/attributes, /);
  expect(stderr).toMatch(/put back task t-3: it was changed other than by ralph/);
  expect(stderr).toMatch(/\.ralph\/config\.yaml changed during the verification and stays/);
  expect(await statuses()).toEqual(["pending", "pending", "pending"]);
  expect(project.read(".ralph/config.yaml")).toContain("# mine");
  expect(project.git("log", "-1", "--format=%s")).toBe("mine");
  expectNothingPlanted();
});

test("TRUST-11: a run that begins and ends during ralph verify keeps its records, and the code's are removed", async (context) => {
  onlyInLongForm(context);
  project = practice({ "check.sh": "! grep -rqs BROKEN src\n", "src/base.txt": "ok\n" });
  await project.useWorker({ "*": [fine] }, 'verify: ["sh check.sh"]\n');
  await project.addTasks(["one", "two"]);
  const sql =
    "INSERT INTO pending_commits (iteration_id, task_id, base, paths, message, created_at, finished_at) SELECT 'i-f' || id, 'x-' || id, 'b', '{}', 'm', '2026', '2026' FROM tasks";
  writeFileSync(
    join(dirname(project.dir), "forge.cjs"),
    `const { DatabaseSync } = require(${JSON.stringify(driver)});
const db = new DatabaseSync(".ralph/progress.db");
db.exec(${JSON.stringify(sql)});
db.close();
`,
  );
  const forge = `"${process.execPath}" ../forge.cjs`;
  const wait = `if mkdir ../once; then until [ -e ../ran ]; do sleep 0.1; done; ${forge}; fi\n`;
  project.write("check.sh", `${wait}! grep -rqs BROKEN src\n`);
  project.git("commit", "-qam", "wait");
  const verifying = project.start("verify");
  // The default, a second, is too short for a start of ralph on a busy machine.
  await expect.poll(() => existsSync(join(project.dir, "../once")), { timeout: 30_000 }).toBe(true);
  expect((await project.run("t-1")).code).toBe(0);
  writeFileSync(join(project.dir, "../ran"), "");
  const { stderr } = await verifying;
  expect(stderr).not.toContain("a commit of t-1");
  expect(stderr).not.toContain("the working tree");
  expect(stderr).toContain("removed the record of a commit of x-t-1: it was added other than by ralph");
  expect((await project.ralph("undo", "t-1")).stdout).toContain("undid t-1: reverted 1 commit");
});

test("TRUST-10 TRUST-11: a harmless setting that changes during ralph verify stays without a word", async () => {
  project = practice();
  await project.useWorker({ "*": [fine] }, 'verify: ["git config user.name Other"]\n');
  await project.addTasks(["one"]);
  const { code, stderr } = await project.ralph("verify");
  expect([code, stderr.trim()]).toEqual([0, "verifying: git config user.name Other"]);
  expect(project.git("config", "user.name")).toBe("Other");
});

test("LOOP-18 TRUST-11: a remote that appears during ralph verify stays and is named", async (context) => {
  onlyInLongForm(context);
  project = practice();
  await project.useWorker({ "*": [fine] }, 'verify: ["git remote add evil ../evil"]\n');
  await project.addTasks(["one"]);
  const { code, stderr } = await project.ralph("verify");
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/kept a new remote in \.git\/config: evil \(\.\.\/evil\);/),
  ]);
  expect(project.git("remote")).toBe("evil");
});

test("TRUST-10 TRUST-11: a trial of the verification by ralph doctor leaves no program for git, and no row", async () => {
  await withPlanter("[ ! -e ../planted ]");
  const { stderr } = await project.ralph("doctor");
  expect(stderr).toMatch(/put back \.git\/config, /);
  expect(stderr).toMatch(/put back task t-3: /);
  expectNothingPlanted();
  expect(await statuses()).toEqual(["pending", "pending", "pending"]);
});
