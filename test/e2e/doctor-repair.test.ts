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
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { healthyProject, storeOf } from "./doctor-project.ts";
import { copyOf, type Practice, practice } from "./practice.ts";

let project: Practice;
let original: Practice;
/** The list of tasks of the original. */
let listed: unknown;
beforeAll(async () => {
  original = await healthyProject();
  listed = await original.json("task", "list");
});
afterEach(() => project?.remove());
afterAll(() => original?.remove());

const damages: readonly { readonly how: string; readonly damage: (path: string) => void }[] = [
  {
    how: "garbage in its middle",
    damage: (path) => {
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.fill("garbage", 4096));
    },
  },
  {
    how: "cut in half",
    damage: (path) => truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096 + 100),
  },
  { how: "no database at all", damage: (path) => writeFileSync(path, "not a database\n".repeat(1000)) },
  { how: "empty", damage: (path) => truncateSync(path, 0) },
  { how: "gone", damage: (path) => rmSync(path) },
];

test.each(variants(damages, 2))(
  "TRUST-8 CTX-3: a store that is $how is reported, kept, and rebuilt from its log",
  async ({ damage }) => {
    project = copyOf(original);
    const path = storeOf(project);
    damage(path);
    const broken = existsSync(path) ? readFileSync(path) : null;

    const shown = await project.answer("status");
    expect(shown.stderr).toMatch(/^error: .*progress\.db.*\nhint: .*ralph doctor --repair/);
    expect(shown.code).toBe(5);
    // A command that agents may not use first looks for an iteration, in the same store.
    const retried = await project.ralph("task", "retry", "t-1");
    expect(retried.stderr).toMatch(/^error: .*progress\.db.*\nhint: .*ralph doctor --repair/);
    const found = await project.ralph("doctor");
    expect(found.stdout).toMatch(/^✗ store .*\n +hint: .*ralph doctor --repair/m);
    expect(found.code).toBe(5);
    if (broken) expect(readFileSync(path).equals(broken)).toBe(true);

    const { code, stdout } = await project.ralph("doctor", "--repair");
    expect(stdout).toMatch(/^✓ repair .*events\.jsonl: \d+ rows/m);
    expect(stdout).toMatch(/^✓ store .*intact.* 40 tasks/m);
    expect(code).toBe(0);
    expect(await project.json("task", "list")).toEqual(listed);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    if (broken) {
      const folder = /copied to (\S+)/.exec(stdout)?.[1] ?? "";
      expect(folder).toMatch(/\.ralph\/backups\/broken-\d{8}-\d{6}-\d{3}$/);
      expect(readFileSync(join(folder, "progress.db")).equals(broken)).toBe(true);
    }
    expect(readdirSync(join(project.dir, ".ralph")).filter((name) => name.includes("rebuilt"))).toEqual([]);
  },
);

test("TRUST-8 CTX-3: a rebuilt store goes on with the same log, which rebuilds it once more", async () => {
  project = copyOf(original);
  rmSync(storeOf(project));
  expect((await project.ralph("doctor", "--repair")).code).toBe(0);
  await project.ralph("task", "add", "added after the repair");
  const before = (await project.ralph("task", "list", "--json")).stdout;
  expect(before).toContain("added after the repair");
  rmSync(storeOf(project));
  expect((await project.ralph("doctor", "--repair")).code).toBe(0);
  expect((await project.ralph("task", "list", "--json")).stdout).toBe(before);
});

/** The driver keeps a file open after it was closed, and a store that anybody has open is not repaired. */
function askInAnotherProcess(path: string, sql: string): number {
  const script = `import { DatabaseSync } from "@photostructure/sqlite";
    console.log(new DatabaseSync(${JSON.stringify(path)}).prepare(${JSON.stringify(sql)}).get().n);`;
  const cwd = resolve(import.meta.dirname, "../..");
  return Number(execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd }));
}

test("TRUST-8: damage that no command has met yet is found and repaired", async () => {
  project = copyOf(original);
  const path = storeOf(project);
  const rootPage = askInAnotherProcess(
    path,
    "SELECT rootpage AS n FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'tasks' ORDER BY rootpage DESC",
  );
  const bytes = readFileSync(path);
  const page = rootPage - 1;
  writeFileSync(path, bytes.fill(0, page * 4096 + 100, (page + 1) * 4096));
  const found = await project.ralph("doctor");
  expect(found.stdout).toMatch(/^✗ store .*damaged.*\n +hint: .*--repair/m);
  expect(found.code).toBe(5);
  const repaired = await project.ralph("doctor", "--repair");
  // Its output shows the check that failed.
  expect(repaired.code, `${repaired.stdout}${repaired.stderr}`).toBe(0);
  expect(((await project.json("task", "list")) as unknown[]).length).toBe(40);
});

const onLinux = process.platform === "linux" ? test : test.skip;
onLinux("TRUST-8: a damaged store that another process has open is not replaced under it", async () => {
  project = copyOf(original);
  const path = storeOf(project);
  const holder = openSync(path, "r");
  writeFileSync(path, "not a database\n".repeat(1000));
  const broken = readFileSync(path);
  const { code, stderr } = await project.ralph("doctor", "--repair");
  closeSync(holder);
  expect(stderr).toMatch(new RegExp(`^error: process ${process.pid} has the store .* open\nhint: `));
  expect(code).toBe(5);
  expect(readFileSync(path).equals(broken)).toBe(true);
  expect(existsSync(join(project.dir, ".ralph/backups"))).toBe(false);
});

test("TRUST-8 CTX-3: a store in a folder of its own is missed and rebuilt as well", async () => {
  project = practice();
  const path = join(project.dir, "data/tasks.db");
  project.write(".ralph/config.yaml", "store: data/tasks.db\n");
  expect((await project.ralph("task", "add", "first", "--id", "a")).code).toBe(0);
  rmSync(path);
  expect((await project.ralph("task", "add", "second")).stderr).toMatch(
    /data\/tasks\.db.*\nhint: .*--repair/,
  );
  expect(existsSync(path)).toBe(false);
  await project.ralph("doctor", "--repair");
  expect(await project.json("task", "list")).toMatchObject([{ id: "a", title: "first" }]);
});

test("TRUST-8: a damaged store whose log is gone is left as it is, with what can be done", async () => {
  project = copyOf(original);
  const path = storeOf(project);
  rmSync(join(project.dir, ".ralph/events.jsonl"));
  writeFileSync(path, "not a database\n".repeat(1000));
  const broken = readFileSync(path);
  const { code, stdout } = await project.ralph("doctor", "--repair");
  expect(stdout).toMatch(/^✗ store .*\n +hint: .*backups/m);
  expect(code).toBe(5);
  expect(readFileSync(path).equals(broken)).toBe(true);
});
