import {
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openProjectKey } from "../../src/trust/project-key.ts";
import { onlyInLongForm } from "../test-size.ts";
import { type Practice, withTasks } from "./practice.ts";

// What a person does with the files of a project between two commands.

let project: Practice;
afterEach(() => project?.remove());

const done = {
  "*": [
    {
      write: { "src/{id}.txt": "x" },
      say: "<learning>build {id} first</learning><task-done>{id}</task-done>",
    },
  ],
};
const folder = (): string => join(project.dir, ".ralph");
/** In a process of its own: one that serves many keeps the store open, whose file these tests replace. */
const states = async (): Promise<unknown> => {
  const { stdout } = await project.start("task", "list", "--all", "--json");
  return (JSON.parse(stdout) as { status: string }[]).map(({ status }) => status);
};
const checks = async (
  ...args: string[]
): Promise<readonly { check: string; status: string; detail: string }[]> =>
  JSON.parse((await project.start("doctor", ...args, "--json")).stdout);

/** A copy of `.ralph` in other files, as `tar` and `rsync` make them. */
function backUp(): string {
  const kept = join(mkdtempSync(join(dirname(project.dir), "kept-")), "ralph");
  cpSync(folder(), kept, { recursive: true });
  return kept;
}

function restore(kept: string): void {
  rmSync(folder(), { recursive: true });
  cpSync(kept, folder(), { recursive: true });
}

function take(kept: string): void {
  for (const file of readdirSync(kept)) {
    rmSync(join(folder(), file), { force: true });
    copyFileSync(join(kept, file), join(folder(), file));
  }
}

/** The folder that the warning about replaced files names. */
function foundIn(stderr: string): string {
  expect(stderr).toMatch(/^warning: \.ralph\/progress\.db is not the file that ralph used last/m);
  const [, kept = ""] =
    /cp (\.ralph\/put-aside\/found-\w+)\/\* \.ralph\/ && ralph doctor --repair/.exec(stderr) ?? [];
  expect(readdirSync(join(project.dir, kept))).toEqual(
    expect.arrayContaining(["events.jsonl", "progress.db"]),
  );
  return join(project.dir, kept);
}

async function dayAfterBackup(): Promise<string> {
  project = await withTasks(done, ["one", "two"]);
  await project.ralph("status");
  const yesterday = backUp();
  expect((await project.start("run", "--once")).code).toBe(3);
  expect((await project.ralph("memory", "store", "Quokkas parse dates as UTC")).code).toBe(0);
  return yesterday;
}

test("UX-1 TRUST-10: doctor says of other files what a repair would do with them, before it does", async () => {
  project = await withTasks(done, ["one", "two"]);
  await project.run("--max-iterations", "1");
  const kept = backUp();
  await project.run();
  restore(kept);
  const hints = JSON.parse((await project.start("doctor", "--json")).stdout) as Record<string, string>[];
  const other = hints.filter(({ detail }) => detail?.includes("is not the file that ralph used last"));
  expect(other).toMatchObject([{ check: "store", status: "warn" }]);
  expect(other[0]?.["hint"]).toMatch(/puts back what ralph recorded .* to take them, .*--repair`$/);
  expect(hints.find(({ check }) => check === "event log")?.["hint"]).toBe(other[0]?.["hint"]);
  await project.start("task", "list");
  expect(await checks()).not.toContainEqual(expect.objectContaining({ check: "store", status: "warn" }));
});

test("CTX-3: a restored backup is kept with the command that takes it, and then stays", async () => {
  restore(await dayAfterBackup());
  const kept = foundIn((await project.ralph("status")).stderr);
  expect(await states()).toEqual(["done", "pending"]);
  expect((await project.start("memory", "find", "quokkas")).stdout).toContain("Quokkas");
  take(kept);
  const repaired = await checks("--repair");
  expect(repaired[0]?.detail).toMatch(/other than ralph recorded here: .*task t-1/);
  for (const command of ["status", "status"])
    expect((await project.ralph(command)).stderr).not.toContain("warning");
  expect(await states()).toEqual(["pending", "pending"]);
});

test("CTX-3: `ralph doctor --repair` accepts a restored backup, also for later copies of it, and keeps what was newer", async (context) => {
  onlyInLongForm(context);
  restore(await dayAfterBackup());
  const [first] = await checks("--repair");
  expect(first).toMatchObject({ check: "repair", status: "warn" });
  expect(await states()).toEqual(["pending", "pending"]);
  restore(backUp());
  expect((await project.ralph("status")).stderr).not.toContain("warning");
  expect(await states()).toEqual(["pending", "pending"]);
  const [broken = ""] = readdirSync(join(folder(), "backups"));
  expect(existsSync(join(folder(), "backups", broken, "recorded-events.jsonl"))).toBe(true);
  // As the hint says.
  renameSync(join(folder(), "progress.db"), join(folder(), "away.db"));
  cpSync(join(folder(), "backups", broken, "recorded-events.jsonl"), join(folder(), "events.jsonl"));
  await checks("--repair");
  expect(await states()).toEqual(["done", "pending"]);
  expect((await project.ralph("status")).stderr).not.toContain("warning");
});

test("CTX-3: work of another machine is kept with the command that takes it, and then stays", async () => {
  project = await withTasks(done, ["one", "two"]);
  await project.ralph("status");
  const here = project.env["XDG_STATE_HOME"] ?? "";
  renameSync(here, `${here}-away`);
  await project.approveConfig();
  expect((await project.ralph("run", "--once")).code).toBe(3);
  rmSync(here, { recursive: true });
  renameSync(`${here}-away`, here);
  restore(backUp());
  const kept = foundIn((await project.ralph("status")).stderr);
  expect(await states()).toEqual(["pending", "pending"]);
  take(kept);
  const doctor = await checks();
  expect(doctor.find(({ check }) => check === "event log")?.detail).toMatch(/another key .*another machine/);
  await checks("--repair");
  restore(backUp());
  expect((await project.ralph("status")).stderr).not.toContain("warning");
  expect(await states()).toEqual(["done", "pending"]);
});

test("CTX-3: where git clean removed .ralph, each command names the copy of the log, which --repair restores", async () => {
  project = await withTasks(done, ["one", "two"]);
  expect((await project.ralph("run", "--once")).code).toBe(3);
  project.git("clean", "-fdxq");
  expect(existsSync(join(folder(), "progress.db"))).toBe(false);
  for (const command of [["status"], ["run"]]) {
    const { code, stderr } = await project.ralph(...command);
    expect(code).toBe(5);
    expect(stderr).toMatch(/it kept a copy of the event log, .*\nhint: run `ralph doctor --repair`/);
  }
  expect((await checks()).find(({ check }) => check === "store")?.detail).toContain(
    "kept a copy of the event log",
  );
  await checks("--repair");
  expect(await states()).toEqual(["done", "pending"]);
  expect((await project.ralph("status")).stderr).not.toContain("warning");
});

test("CTX-3 UX-1: --repair knows the store that it rebuilt, after removed files or a copy in its place", async () => {
  project = await withTasks(done, ["one", "two"]);
  expect((await project.ralph("run", "--once")).code).toBe(3);
  for (const name of readdirSync(folder()).filter((one) => /^(?:progress\.db|events\.jsonl)/.test(one)))
    rmSync(join(folder(), name));
  const restored = await checks("--repair");
  expect(restored.map(({ detail }) => detail).join("\n")).toMatch(/^restored .*\nrebuilt the store from /);
  const stores = restored.filter(({ check }) => check === "store");
  expect(stores).toEqual([expect.objectContaining({ status: "ok" })]);
  expect(await states()).toEqual(["done", "pending"]);
  // A copy with the same rows.
  restore(backUp());
  expect((await checks()).filter(({ check }) => check === "store")).toHaveLength(2);
  expect((await checks("--repair")).filter(({ check }) => check === "store")).toHaveLength(1);
  const { stderr } = await project.ralph("status");
  expect(stderr).not.toContain("warning");
});

test("CTX-3: a new beginning where .ralph was removed keeps the copy of the log and says where", async () => {
  project = await withTasks(done, ["one", "two"]);
  expect((await project.ralph("run", "--once")).code).toBe(3);
  project.git("clean", "-fdxq");
  const { stderr } = await project.ralph("task", "add", "three", "--id", "t-3");
  const [, kept = ""] = /the event log of the removed \.ralph is kept in (.*)/.exec(stderr) ?? [];
  expect(existsSync(kept)).toBe(true);
  expect(await states()).toEqual(["pending"]);
  expect((await project.ralph("run")).code).toBe(0);
  expect(existsSync(kept)).toBe(true);
  expect((await project.ralph("task", "list")).stderr).not.toMatch(/note:|warning/);
});

test("UX-1: doctor leaves a link that a person put in the place of .ralph, and names it", async () => {
  project = await withTasks(done, ["one"]);
  await project.ralph("status");
  renameSync(folder(), `${project.dir}-elsewhere`);
  symlinkSync(`${project.dir}-elsewhere`, folder());
  const { stdout, stderr } = await project.ralph("doctor", "--json");
  expect(stderr).not.toContain("warning");
  expect(lstatSync(folder()).isSymbolicLink()).toBe(true);
  const found = JSON.parse(stdout) as { check: string; detail: string }[];
  expect(found.find(({ check }) => check === "permissions")?.detail).toContain(".ralph is a symbolic link");
});

test("UX-1: after --repair restored lessons that an older store lacks, their words are found", async () => {
  project = await withTasks(done, ["one"]);
  expect((await project.ralph("memory", "store", "Wombats count cents")).code).toBe(0);
  const older = backUp();
  expect((await project.ralph("memory", "store", "Quokkas parse dates as UTC")).code).toBe(0);
  rmSync(join(folder(), "progress.db"));
  copyFileSync(join(older, "progress.db"), join(folder(), "progress.db"));
  expect((await checks("--repair")).filter(({ status }) => status === "fail")).toEqual([]);
  expect((await project.start("memory", "find", "quokkas")).stdout).toContain("Quokkas");
});

test("CTX-3 LOOP-11: a backup that a person restores after a kill is kept too, until a run has recovered", async () => {
  const yesterday = await dayAfterBackup();
  const key = openProjectKey(join(project.home, "state/ralph"), project.dir);
  // As a killed run leaves it.
  key.writeWork("i-killed", {});
  restore(yesterday);
  const { stderr } = await project.ralph("status");
  expect(stderr).toContain("To take that instead, once `ralph run` has recovered from the killed run: `cp ");
  foundIn(stderr);
  expect(await states()).toEqual(["done", "pending"]);
});
