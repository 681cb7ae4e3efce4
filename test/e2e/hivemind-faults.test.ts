import { execFile, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { variants } from "../test-size.ts";
import { copyOf, type Practice, practice, type RunEvent, ralphStart } from "./practice.ts";

/** How long a prompt may wait for the hivemind, in milliseconds. */
const maxWaitMs = 2000;
let data = "";
let projects: readonly Practice[] = [];
/** Two projects that have stored in their hivemind what the other could be shown. */
let originals: { readonly data: string; readonly projects: readonly Practice[] };
/** The longest time to a prompt with a hivemind that works. */
let healthy = 0;
/** The number of each project's tasks. */
let tasks = 0;
const file = (): string => join(data, "ralph/hivemind.db");

function remove(made: { readonly data: string; readonly projects: readonly Practice[] }): void {
  for (const one of made.projects) one.remove();
  rmSync(made.data, { recursive: true, force: true });
}

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), "ralph-data-"));
  projects = ["ledger", "invoices"].map((name) => {
    const one = practice({ "README.md": "# practice\n" }, { XDG_DATA_HOME: data });
    one.git("remote", "add", "origin", `git@github.com:me/${name}.git`);
    return one;
  });
  for (const one of projects)
    await one.useWorker({ "*": [{ write: { "{id}.txt": "{id}\n" } }] }, 'verify: ["true"]\n');
  healthy = Math.max(...(await runBoth()).flatMap(({ waits }) => waits));
  originals = { data, projects };
});
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), "ralph-data-"));
  tasks = 1;
  cpSync(originals.data, data, { recursive: true });
  projects = originals.projects.map((one) => copyOf(one, { XDG_DATA_HOME: data }));
  for (const one of projects) await one.approveConfig();
});
afterEach(() => remove({ data, projects }));
afterAll(() => remove(originals));

const mounter = "unshare";
/** A file system of its own takes a mount: root, on Linux. */
const canMount = spawnSync(mounter, ["-m", "true"]).status === 0;
const run = promisify(execFile);

interface Loop {
  readonly code: number;
  /** The time before each prompt, in milliseconds: from the run's start or the end of the attempt before it. */
  readonly waits: readonly number[];
  /** The words of `ralph status` afterwards. */
  readonly status: string;
}

/** Lets both projects work on one more task at once; `on` prepares a small file system as the hivemind's folder. */
async function runBoth(on?: readonly string[]): Promise<readonly Loop[]> {
  tasks += 1;
  for (const one of projects)
    await one.addTasks([{ id: `t-${tasks}`, title: `Convert the dates of the export ${tasks}` }]);
  const ralph = [process.execPath, ...ralphStart].map((word) => `"${word}"`).join(" ");
  const folder = join(data, "ralph");
  const mount = [
    `cp -a ${folder} ${data}/kept`,
    `mount -t tmpfs -o size=400k tmpfs ${folder}`,
    `cp -a ${data}/kept/. ${folder}`,
    ...(on ?? []).map((line) => line.replaceAll("FOLDER", folder)),
  ];
  const loops = projects.map(
    ({ dir, home }) =>
      `(cd ${dir} && export HOME=${home} XDG_STATE_HOME=${home}/state XDG_CONFIG_HOME=${home}/config && ${ralph} run --json > ../events; echo $? > ../code; ${ralph} status > ../status) &`,
  );
  const script = [...(on ? mount : []), ...loops, "wait"].join("\n");
  const argv = on ? [mounter, "-m", "sh", "-c", script] : ["sh", "-c", script];
  await run(argv[0] ?? "", argv.slice(1), { env: projects[0]?.env ?? {} });
  return projects.map(({ dir }) => {
    const read = (name: string): string => readFileSync(join(dirname(dir), name), "utf8");
    const events = read("events").split("\n").filter(Boolean);
    return {
      code: Number(read("code")),
      waits: waitsOf(events.map((line) => JSON.parse(line) as RunEvent)),
      status: read("status"),
    };
  });
}

function waitsOf(events: readonly RunEvent[]): readonly number[] {
  const waits: number[] = [];
  let since = Number.NaN;
  for (const { type, timestamp } of events) {
    const at = Date.parse(`${timestamp}`);
    if (type === "run.started" || type === "iteration.finished") since = at;
    if (type === "iteration.started") waits.push(at - since);
  }
  return waits;
}

function expectQuick(loops: readonly Loop[]): void {
  for (const { code, waits } of loops) {
    expect([code, waits.length]).toEqual([0, 1]);
    expect(Math.max(...waits)).toBeLessThan(healthy + maxWaitMs);
  }
}

const waiting = (): string => `${tasks - 1} records? waiting`;

async function metFullDisk(): Promise<void> {
  const loops = await runBoth(["head -c 900000 /dev/zero > FOLDER/fill 2>/dev/null || true"]);
  expectQuick(loops);
  for (const { status } of loops)
    expect(status).toMatch(new RegExp(`hivemind .*${waiting()}[\\s\\S]*the disk is full`));
}

async function metReadOnly(): Promise<void> {
  const loops = await runBoth(["mount -o remount,ro FOLDER"]);
  expectQuick(loops);
  for (const { status } of loops) {
    expect(status).toMatch(new RegExp(`hivemind .*${waiting()}`));
    expect(status).toMatch(/hivemind .*(?:read-only|cannot be opened)/);
  }
}

async function metLocked(): Promise<void> {
  const holder = await openStore({ path: file(), schema: "hivemind" });
  // The strictest lock there is: others cannot even read.
  await holder.all("PRAGMA locking_mode = EXCLUSIVE");
  const loops = await holder.transaction(async (tx) => {
    await tx.run("UPDATE hivemind_memories SET updated_at = updated_at");
    return runBoth();
  });
  // A closed connection keeps its lock until its memory is collected.
  await holder.all("PRAGMA locking_mode = NORMAL");
  await holder.all("SELECT 1 FROM hivemind_memories LIMIT 1");
  await holder.close();
  expectQuick(loops);
  for (const { status } of loops) {
    expect(status).toMatch(new RegExp(`hivemind .*another process held its lock .*${waiting()}`));
    expect(status).toMatch(/last error .*skipped until/);
  }
}

async function metDamaged(): Promise<void> {
  for (const end of ["-wal", "-shm"]) rmSync(file() + end, { force: true });
  writeFileSync(file(), "not a database\n".repeat(1000));
  const loops = await runBoth();
  expectQuick(loops);
  const told = `it is damaged, ${waiting()}`;
  for (const { status } of loops) expect(status).toMatch(new RegExp(`hivemind .*${told}`));
  expect(readFileSync(file(), "utf8")).toContain("not a database");
}

function deleteHivemind(): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(file() + end, { force: true });
}

/** A run creates it again and stores what waited since the first fault. */
async function metDeleted(): Promise<void> {
  deleteHivemind();
  for (const one of projects)
    expect((await one.ralph("status")).stdout).toMatch(
      /hivemind .*hivemind\.db is not available: it is missing/,
    );
  const loops = await runBoth();
  expectQuick(loops);
  for (const { status } of loops) expect(status).not.toContain("missing");
  const records = 2 * (tasks - 1);
  for (const one of projects)
    expect(await one.json("status")).toMatchObject({
      hivemind: { shared: tasks, pending: 0, problem: null, records, projects: 2 },
    });
}

test("HIVE-4: a full, read-only, locked, damaged or deleted hivemind delays no prompt; status says it, and nothing is lost", async () => {
  const mounted = canMount ? [metFullDisk, metReadOnly] : [];
  for (const met of [...variants([metLocked, ...mounted, metDamaged], 1), metDeleted]) await met();
}, 180_000);

test("HIVE-4: a hivemind that is deleted during a run is created again by the same run", async () => {
  const [first] = projects;
  const rm = { run: [["sh", "-c", `rm -f '${file()}'*`]], write: { "{id}.txt": "{id}\n" } };
  await first?.useWorker({ "*": [rm] }, 'verify: ["true"]\nsandbox: "off"\n');
  await first?.addTasks([{ id: "t-6", title: "Another thing" }]);
  expect((await first?.run())?.code).toBe(0);
  expect(await first?.json("status")).toMatchObject({ hivemind: { records: 1, pending: 0, problem: null } });
});
