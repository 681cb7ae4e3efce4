import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const storeOf = ({ dir }: Practice): string => join(dir, ".ralph/progress.db");

/** The backups, oldest first. */
function backupsOf({ home }: Practice): readonly string[] {
  const all = join(home, "state/ralph/backups");
  if (!existsSync(all)) return [];
  return readdirSync(all).flatMap((name) =>
    readdirSync(join(all, name))
      .sort()
      .map((file) => join(all, name, file)),
  );
}

async function statuses(): Promise<unknown> {
  const tasks = (await project.json("task", "list")) as { id: string; status: string }[];
  return Object.fromEntries(tasks.map(({ id, status }) => [id, status]));
}

/** A project with four tasks, of which one is done. */
async function withTasks(): Promise<void> {
  project = practice({ "src/base.txt": "ok\n" });
  await project.useWorker({ "*": [{ write: { "src/{id}.txt": "x" } }] }, 'verify: ["true"]\n');
  await project.addTasks(["one", "two", "three", "four"]);
  expect((await project.run("--once")).code).toBe(3);
}

/** Its backup is of before t-2 was done with a commit. */
async function afterBackup(): Promise<void> {
  await withTasks();
  const backups = backupsOf(project);
  expect((await project.run("--once")).code).toBe(3);
  for (const file of backupsOf(project)) if (!backups.includes(file)) rmSync(file);
}

const damages: readonly { readonly how: string; readonly damage: (path: string) => void }[] = [
  { how: "gone", damage: (path) => rmSync(path) },
  {
    how: "damaged in its middle",
    damage: (path) => writeFileSync(path, readFileSync(path).fill("garbage", 4096)),
  },
  { how: "gone with all that git ignores", damage: () => project.git("clean", "-qfdx") },
  {
    how: "cut in half",
    damage: (path) => truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096 + 100),
  },
  { how: "no database at all", damage: (path) => writeFileSync(path, "not a database\n".repeat(1000)) },
  { how: "empty", damage: (path) => truncateSync(path, 0) },
];

test.each(variants(damages, 2))(
  "TRUST-8: a store that is $how is reported, kept, restored from its backup, and brought up to date by commits",
  async ({ damage }) => {
    await afterBackup();
    const path = storeOf(project);
    damage(path);
    const broken = existsSync(path) ? readFileSync(path) : null;
    for (const command of [["status"], ["task", "retry", "t-1"], ["init"]]) {
      const { code, stderr } = await project.answer(...command);
      expect(stderr).toMatch(/error: .*progress\.db.*\nhint: .*ralph doctor --repair/);
      expect(code).toBe(5);
    }
    const found = await project.ralph("doctor");
    expect(found.stdout).toMatch(/^✗ store .*\n +hint: .*ralph doctor --repair/m);
    expect(found.code).toBe(5);
    if (broken) expect(readFileSync(path).equals(broken)).toBe(true);

    const { stdout } = await project.ralph("doctor", "--repair");
    expect(stdout).toMatch(
      /^! repair +restored the store from its backup of \d{4}-.*done since, by their commits: t-2/m,
    );
    expect(stdout).toMatch(/^✓ store .*intact.* 4 tasks/m);
    expect(await statuses()).toEqual({ "t-1": "done", "t-2": "done", "t-3": "pending", "t-4": "pending" });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    if (broken) {
      const [folder = ""] = readdirSync(join(project.dir, ".ralph/backups"));
      expect(readFileSync(join(project.dir, ".ralph/backups", folder, "progress.db")).equals(broken)).toBe(
        true,
      );
    }
    expect((await project.run()).code).toBe(0);
    expect(await statuses()).toMatchObject({ "t-3": "done", "t-4": "done" });
  },
);

const writer = join(import.meta.dirname, "../fakes/write-store.mjs");

test("TRUST-8 UX-1: a table of tasks or memory that is gone is told with the hint, and restored from the backup", async () => {
  await withTasks();
  const lesson = "The greeting must end with a dot, or the release check refuses it.";
  await project.json("memory", "store", lesson);
  expect((await project.run("--once")).code).toBe(3);
  const drop = ["DROP TABLE learning_signatures", "DROP TABLE learning_history"];
  execFileSync(process.execPath, [writer, ...drop], { cwd: project.dir });
  const { code, stderr } = await project.ralph("memory", "store", "Zebras are striped where the router is.");
  expect([code, stderr]).toEqual([
    5,
    expect.stringMatching(/lacks the table learning_\w+[\s\S]*ralph doctor --repair/),
  ]);
  expect((await project.ralph("doctor")).stdout).toMatch(/incomplete: the table .* is missing/);
  expect((await project.ralph("doctor", "--repair")).stdout).toContain("restored the store from its backup");
  expect(await project.json("memory", "find", "greeting")).toMatchObject({
    results: [{ memory: { lesson } }],
  });
});

test("TRUST-8: the last three backups stay, private, in the user's state folder", async () => {
  await withTasks();
  for (let run = 0; run < 3; run += 1) await project.run("--once");
  const backups = backupsOf(project);
  expect(backups).toHaveLength(3);
  for (const file of backups) {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, "..")).mode & 0o777).toBe(0o700);
  }
});

test("TRUST-8: what was undone after its commit stays open", async () => {
  await afterBackup();
  expect(await project.ralph("undo", "t-2")).toMatchObject({ code: 0 });
  rmSync(storeOf(project));
  await project.ralph("doctor", "--repair");
  expect(await statuses()).toMatchObject({ "t-2": "pending" });
});

const onLinux = process.platform === "linux" ? test : test.skip;
onLinux("TRUST-8: a damaged store that another process has open is not replaced under it", async () => {
  await afterBackup();
  const path = storeOf(project);
  const holder = openSync(path, "r");
  writeFileSync(path, "not a database\n".repeat(1000));
  const { code, stderr } = await project.ralph("doctor", "--repair");
  closeSync(holder);
  expect(stderr).toMatch(new RegExp(`^error: process ${process.pid} has the store .* open\nhint: `));
  expect(code).toBe(5);
  expect(existsSync(join(project.dir, ".ralph/backups"))).toBe(false);
});

test("TRUST-8: a damaged store without a backup is left as it is, with what can be done", async () => {
  project = practice();
  await project.addTasks(["one"]);
  const path = storeOf(project);
  writeFileSync(path, "not a database\n".repeat(1000));
  const { code, stdout } = await project.ralph("doctor", "--repair");
  expect(stdout).toMatch(/^✗ store .*\n +hint: there is no backup/m);
  expect(code).toBe(5);
  expect(readFileSync(path, "utf8")).toContain("not a database");
});
