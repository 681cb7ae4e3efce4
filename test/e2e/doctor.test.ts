import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Owner } from "../../src/base/owner.ts";
import { insertRun } from "../../src/loop/run-store.ts";
import { thisOwner } from "../../src/process/identity.ts";
import { openStore } from "../../src/store/open-store.ts";
import { copyOf, type Practice, practice } from "./practice.ts";

let project: Practice;
let original: Practice;
/** The list of tasks of the original. */
let listed: unknown;
beforeAll(async () => {
  original = practice();
  await original.useWorker({}, 'verify: ["true"]\n');
  original.write("tasks.md", Array.from({ length: 40 }, (_, n) => `- [ ] task number ${n}\n`).join(""));
  original.git("add", "-A");
  original.git("commit", "-q", "-m", "tasks");
  const { code, stderr } = await original.ralph("task", "import", "tasks.md");
  if (code !== 0) throw new Error(stderr);
  listed = await original.json("task", "list");
});
afterEach(() => project?.remove());
afterAll(() => original?.remove());

interface Check {
  readonly check: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly hint: string | null;
}

const storeOf = (made: Practice): string => join(made.dir, ".ralph/progress.db");

test("UX-1: in a project where all is well every check passes, and the exit code is 0", async () => {
  project = copyOf(original);
  await project.approveConfig();
  const checks = (await project.json("doctor")) as Check[];
  expect(checks.filter(({ status, hint }) => status !== "ok" || hint !== null)).toEqual([]);
  // The agents of this machine that the project does not use.
  const others = /^(?:agent (?!command)|other agents)/;
  expect(checks.map(({ check }) => check).filter((check) => !others.test(check))).toEqual([
    "node",
    "git",
    "repository",
    "disk",
    "isolation",
    "config",
    "agent command",
    "verification",
    "store",
    "event log",
    "rows",
    "memory index",
    "run",
    "approvals",
    "permissions",
    "hivemind",
    "structured context",
    "journal",
  ]);
  const { code, stdout } = await project.ralph("doctor");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^✓ verification +`true` passed in /m);
  expect(stdout).toMatch(/^✓ store +\S+progress\.db: intact, schema \d+, 40 tasks, \d+/m);
});

const faults: readonly {
  readonly what: string;
  readonly spoil: (made: Practice) => void | Promise<void>;
  readonly finds: Partial<Check>;
}[] = [
  {
    what: "an unknown key in the configuration",
    spoil: (made) => made.write(".ralph/config.yaml", "modle: opus\n"),
    finds: { check: "config", status: "fail", hint: expect.stringContaining("model") },
  },
  {
    what: "an agent that is not there",
    spoil: async (made) => {
      made.write(".ralph/config.yaml", "agent: claude\nagents: { claude: { program: /nowhere/claude } }\n");
      await made.ralph("trust", "approve", "--yes");
    },
    finds: { check: "agent claude", status: "fail", hint: expect.stringContaining("Install") },
  },
  {
    what: "an identity that git does not have",
    spoil: (made) => {
      made.git("config", "--unset", "user.email");
      made.git("config", "user.useConfigOnly", "true");
    },
    finds: { check: "repository", status: "fail", hint: expect.stringContaining("git config") },
  },
  {
    what: "a configuration that nobody approved",
    spoil: (made) =>
      made.write(".ralph/config.yaml", 'agent: command\nagents: { command: { argv: ["true"] } }\n'),
    finds: { check: "approvals", status: "warn", hint: expect.stringContaining("ralph trust approve") },
  },
  {
    what: "a symbolic link in .ralph",
    spoil: (made) => symlinkSync("/etc/passwd", join(made.dir, ".ralph/logs")),
    finds: { check: "permissions", status: "fail", hint: expect.any(String) },
  },
  {
    what: "a store that is a folder",
    spoil: (made) => made.write(".ralph/config.yaml", "store: .ralph\n"),
    finds: { check: "store", status: "fail", hint: expect.any(String) },
  },
];

test.each(faults)("UX-1: $what is found, with how to mend it", async ({ spoil, finds }) => {
  project = copyOf(original);
  await spoil(project);
  const { code, stdout } = await project.ralph("doctor", "--json");
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining(finds));
  const failed = (JSON.parse(stdout) as Check[]).some(({ status }) => status === "fail");
  expect(code).toBe(failed ? 5 : 0);
});

test("TRUST-6: what others may read is told, and --repair closes it", async () => {
  project = copyOf(original);
  chmodSync(join(project.dir, ".ralph"), 0o755);
  chmodSync(storeOf(project), 0o644);
  const before = (await project.json("doctor")) as Check[];
  expect(before.find(({ check }) => check === "permissions")).toMatchObject({ status: "warn" });
  const after = (await project.json("doctor", "--repair")) as Check[];
  expect(after.find(({ check }) => check === "permissions")).toMatchObject({ status: "ok" });
  expect(statSync(storeOf(project)).mode & 0o777).toBe(0o600);
  expect(statSync(join(project.dir, ".ralph")).mode & 0o777).toBe(0o700);
});

test("UX-1: what agents left is not complained of, as ralph keeps it as it was", async () => {
  project = copyOf(original);
  const kept = join(project.dir, ".ralph/put-aside/run-1");
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  symlinkSync("/etc", join(kept, "etc"));
  writeFileSync(join(kept, "open"), "", { mode: 0o666 });
  const checks = (await project.json("doctor")) as Check[];
  expect(checks.find(({ check }) => check === "permissions")).toMatchObject({ status: "ok" });
});

async function noteRun(made: Practice, owner: Owner): Promise<void> {
  const db = await openStore({ path: storeOf(made) });
  const run = {
    id: "run-x",
    startedAt: "2026-01-02T03:04:05.000Z",
    agent: "command",
    strategy: "fixed",
    owner,
  };
  await db.transaction((tx) => insertRun(tx, { ...run, model: null, session: null, branch: null }));
  await db.close();
}

test("UX-1: a run that died is told from one that is at work, and only the latter keeps --repair away", async () => {
  project = copyOf(original);
  await noteRun(project, { ...thisOwner(), startTime: "0" });
  const died = ((await project.json("doctor")) as Check[]).find(({ check }) => check === "run");
  expect(died).toMatchObject({ status: "warn", hint: expect.stringContaining("ralph run") });
  const db = await openStore({ path: storeOf(project) });
  await db.transaction((tx) => tx.run("UPDATE runs SET start_time = ?", [thisOwner().startTime]));
  await db.close();
  const active = ((await project.json("doctor")) as Check[]).find(({ check }) => check === "run");
  expect(active).toMatchObject({ status: "ok", detail: expect.stringContaining(`process ${process.pid}`) });
  const { code, stderr } = await project.ralph("doctor", "--repair");
  expect(stderr).toMatch(/error: .*run-x has been active.*\nhint: .*ralph stop/);
  expect(code).toBe(5);
});

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

test.each(damages)(
  "TRUST-8 CTX-3: a store that is $how is told, kept, and rebuilt from its log",
  async ({ damage }) => {
    project = copyOf(original);
    const path = storeOf(project);
    damage(path);
    const broken = existsSync(path) ? readFileSync(path) : null;

    const told = await project.answer("status");
    expect(told.stderr).toMatch(/^error: .*progress\.db.*\nhint: .*ralph doctor --repair/);
    expect(told.code).toBe(5);
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

test("TRUST-8: damage that no command has met yet is found, and mended", async () => {
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
