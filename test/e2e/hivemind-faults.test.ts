import { execFile, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { copyOf, type Practice, practice, type RunEvent, ralphStart } from "./practice.ts";

/** How long a prompt may wait for the hivemind, in milliseconds. */
const maxWaitMs = 2000;
let data = "";
let projects: readonly Practice[] = [];
/** Two projects that have stored in their hivemind what the other could be shown. */
let originals: { readonly data: string; readonly projects: readonly Practice[] };
/** The longest time to a prompt with a hivemind that works. */
let healthy = 0;
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
  for (const [n, one] of projects.entries()) {
    await one.useWorker({ "*": [{ write: { "{id}.txt": "{id}\n" } }] }, 'verify: ["true"]\n');
    await one.addTasks(["Convert the dates of the ledger export", `Sort the names of column ${n}`]);
  }
  healthy = Math.max(...(await runBoth()).flatMap(({ waits }) => waits));
  for (const one of projects)
    await one.addTasks([
      { id: "t-3", title: "Convert the dates of the invoice export" },
      { id: "t-4", title: "Convert the dates of the order export" },
    ]);
  originals = { data, projects };
});
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), "ralph-data-"));
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
  /** What `ralph status` says afterwards. */
  readonly status: string;
}

/** Runs the loops of both projects at once; `on` prepares a small file system as the hivemind's folder. */
async function runBoth(on?: readonly string[]): Promise<readonly Loop[]> {
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
    expect([code, waits.length]).toEqual([0, 2]);
    expect(Math.max(...waits)).toBeLessThan(healthy + maxWaitMs);
  }
}

/** The next run stores what waited. */
async function expectNothingLost(records: number): Promise<void> {
  for (const one of projects) await one.addTasks([{ id: "t-5", title: "Something else" }]);
  await Promise.all(projects.map((one) => one.run()));
  for (const one of projects)
    expect(await one.json("status")).toMatchObject({ hivemind: { shared: 5, pending: 0, problem: null } });
  expect(await projects[0]?.json("status")).toMatchObject({ hivemind: { records, projects: 2 } });
}

test.skipIf(!canMount)(
  "HIVE-4: a full disk delays no prompt; status says it, and nothing is lost",
  async () => {
    const loops = await runBoth(["head -c 900000 /dev/zero > FOLDER/fill 2>/dev/null || true"]);
    expectQuick(loops);
    for (const { status } of loops)
      expect(status).toMatch(/hivemind .*2 records waiting[\s\S]*the disk is full/);
    await expectNothingLost(10);
  },
);

test.skipIf(!canMount)("HIVE-4: a read-only hivemind delays no prompt, and status says it", async () => {
  const loops = await runBoth(["mount -o remount,ro FOLDER"]);
  expectQuick(loops);
  for (const { status } of loops) {
    expect(status).toMatch(/hivemind .*2 records waiting/);
    expect(status).toMatch(/hivemind .*(?:read-only|cannot be opened)/);
  }
  await expectNothingLost(10);
});

test("HIVE-4: a corrupt hivemind delays no prompt, and status says it", async () => {
  for (const end of ["-wal", "-shm"]) rmSync(file() + end, { force: true });
  writeFileSync(file(), "not a database\n".repeat(1000));
  const loops = await runBoth();
  expectQuick(loops);
  for (const { status } of loops) expect(status).toMatch(/hivemind .*it is damaged, 2 records waiting/);
  expect(readFileSync(file(), "utf8")).toContain("not a database");
  const checks = (await projects[0]?.json("doctor")) as readonly Record<string, string>[];
  expect(checks.find(({ check }) => check === "hivemind")).toMatchObject({
    status: "warn",
    detail: expect.stringContaining("it is damaged, 2 records waiting"),
  });
  rmSync(file());
  await expectNothingLost(6);
});

test("HIVE-4: a deleted hivemind delays no prompt; status says that it is missing until a run creates one", async () => {
  const remove = (): void => {
    for (const end of ["", "-wal", "-shm"]) rmSync(file() + end, { force: true });
  };
  remove();
  for (const one of projects)
    expect((await one.ralph("status")).stdout).toMatch(
      /hivemind .*hivemind\.db is not available: it is missing/,
    );
  const loops = await runBoth();
  expectQuick(loops);
  for (const { status } of loops) expect(status).not.toContain("missing");
  // It is deleted during a run too.
  const [first] = projects;
  first?.setScript({ "*": [{ run: [["sh", "-c", `rm -f '${file()}'*`]], write: { "{id}.txt": "{id}\n" } }] });
  await first?.addTasks([{ id: "t-6", title: "Another thing" }]);
  expect((await first?.run())?.code).toBe(0);
  expect(await first?.json("status")).toMatchObject({ hivemind: { records: 1, pending: 0, problem: null } });
});

test("HIVE-4: a locked hivemind delays no prompt by more than two seconds, and status says it", async () => {
  const holder = await openStore({ path: file(), schema: "hivemind", history: null });
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
    expect(status).toMatch(/hivemind .*another process held its lock .*2 records waiting/);
    expect(status).toMatch(/last error .*skipped until/);
  }
  await expectNothingLost(10);
});
