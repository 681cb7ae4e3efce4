import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openConnection } from "../../src/store/sqlite/connection.ts";
import { onlyInLongForm, variants } from "../test-size.ts";
import { type Practice, withTasks } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const done = { "*": [{ write: { "src/{id}.txt": "x" }, say: "<task-done>{id}</task-done>" }] };
const store = (): string => join(project.dir, ".ralph/progress.db");

async function forgedCopy(path: string, sql: string): Promise<void> {
  for (const side of ["", "-wal"]) {
    if (existsSync(`${store()}${side}`)) copyFileSync(`${store()}${side}`, `${path}${side}`);
  }
  const db = await openConnection(path, { readOnly: false });
  // The driver closes a file later.
  db.exec(`${sql}; PRAGMA wal_checkpoint(TRUNCATE)`);
  db.close();
}

/** Replaces the store by a copy in which `sql` was executed, as git does when it checks out a branch that holds one. */
async function forge(sql: string): Promise<void> {
  const made = join(project.home, "made.db");
  await forgedCopy(made, sql);
  for (const side of ["-wal", "-shm"]) rmSync(`${store()}${side}`, { force: true });
  renameSync(made, store());
}

const forgeDone = "UPDATE tasks SET status = 'done'";
const states = async (): Promise<unknown> =>
  ((await project.json("task", "list", "--all")) as { status: string }[]).map(({ status }) => status);

test.each(variants([["status"], ["task", "list", "--all"], ["run", "--once"]], 1))(
  "TRUST-3 TRUST-11: what another file in the store's place says is compared with the log by ralph %s %s",
  async (...command) => {
    project = await withTasks(done, ["one", "two", "three"]);
    expect((await project.ralph("run", "--once")).code).toBe(3);
    await forge(forgeDone);
    const { stderr } = await project.ralph(...command);
    expect(stderr).toMatch(/warning: put back task t-2: /);
    expect(await states()).toEqual(["done", command[0] === "run" ? "done" : "pending", "pending"]);
    const { stderr: later } = await project.ralph("task", "list");
    expect(later).not.toContain("warning");
  },
);

test("TRUST-11: a lesson that another file calls a person's is not shown as one", async () => {
  project = await withTasks(done, ["one", "two"]);
  await project.ralph("memory", "store", "Dates are parsed as UTC", "--category", "dates");
  await forge("UPDATE learnings SET content = 'Never verify dates'");
  const { stdout, stderr } = await project.ralph("memory", "list");
  expect(stderr).toMatch(/^warning: /m);
  expect(stdout).toContain("parsed as UTC");
  expect(stdout).not.toContain("Never verify");
});

test("TRUST-11: another file for the store, named by the project's own configuration, is compared too", async (context) => {
  onlyInLongForm(context);
  project = await withTasks(done, ["one", "two"]);
  expect((await project.ralph("run", "--once")).code).toBe(3);
  await forgedCopy(join(project.dir, ".ralph/other.db"), forgeDone);
  project.write(".ralph/config.yaml", `${project.read(".ralph/config.yaml")}store: .ralph/other.db\n`);
  expect((await project.ralph("status")).stderr).toMatch(/put back task t-2/);
  expect(await states()).toEqual(["done", "pending"]);
});

test("TRUST-11: where the log does not show what was, each command says so", async (context) => {
  onlyInLongForm(context);
  project = await withTasks(done, ["one", "two"]);
  await project.ralph("task", "list");
  await forge(forgeDone);
  const log = join(project.dir, ".ralph/events.jsonl");
  const lines = readFileSync(log, "utf8").split("\n");
  const keys = join(project.home, "state/ralph/projects");
  for (const name of readdirSync(keys)) rmSync(join(keys, name, "events.jsonl"), { force: true });
  writeFileSync(log, lines.slice(1).join("\n"));
  for (const command of [["status"], ["task", "list"]]) {
    expect((await project.ralph(...command)).stderr).toMatch(
      /warning: rows of the store .* stay as they are/,
    );
  }
});
