import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Owner } from "../../src/base/owner.ts";
import { insertRun } from "../../src/loop/rows/run-store.ts";
import { thisOwner } from "../../src/process/identity.ts";
import { openStore } from "../../src/store/open-store.ts";
import { healthyProject, storeOf } from "./doctor-project.ts";
import { copyOf, type Practice } from "./practice.ts";

let project: Practice;
let original: Practice;
beforeAll(async () => {
  original = await healthyProject();
});
afterEach(() => project?.remove());
afterAll(() => original?.remove());

interface Check {
  readonly check: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly hint: string | null;
}

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
    "commits",
    "disk",
    "isolation",
    "config",
    "agent command",
    "verification",
    "store",
    "backups",
    "memory index",
    "run",
    "approvals",
    "permissions",
  ]);
  const { code, stdout } = await project.ralph("doctor");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^✓ verification +`test -d .` passed in /m);
  expect(stdout).toMatch(/^✓ store +\S+progress\.db: intact, schema \d+, 40 tasks, \d+/m);
});

const faults: readonly {
  readonly what: string;
  readonly spoil: (made: Practice) => void | Promise<void>;
  readonly finds: Partial<Check>;
}[] = [
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

test("UX-1: a new clone, whose .ralph holds the configuration alone, is no reason to warn", async () => {
  project = copyOf(original);
  rmSync(join(project.dir, ".ralph"), { recursive: true });
  project.write(".ralph/config.yaml", "agent: command\n");
  chmodSync(join(project.dir, ".ralph"), 0o755);
  const checks = (await project.json("doctor")) as Check[];
  expect(checks.find(({ check }) => check === "permissions")).toMatchObject({ status: "ok" });
});

test("UX-1: what agents left is not complained of, as ralph keeps it as it was", async () => {
  project = copyOf(original);
  const kept = join(project.dir, ".ralph/replaced/run-1");
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
