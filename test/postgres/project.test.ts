import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { insertRun } from "../../src/loop/rows/run-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { finished, type Practice, practice, type RunEvent } from "../e2e/practice.ts";
import { serverPrograms, startServer, type TestServer } from "./server.ts";

const programs = serverPrograms();

/** Skipped where no PostgreSQL is installed (Debian: `apt install postgresql`). */
describe.skipIf(programs === undefined)("a store on PostgreSQL", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(programs ?? "");
  });
  afterAll(() => server?.remove());

  /** A project whose agent and tasks are those of a file, and whose store is a schema of the server. */
  async function project(schema: string, body: string): Promise<Practice> {
    const made = practice({
      "agent.sh": `id=$(cat | grep -om1 't-[0-9]*' | head -1)\n${body}\necho "<task-done>$id</task-done>"\n`,
      "check.sh": "exit 0\n",
      ".gitignore": ".ralph/\n",
    });
    onTestFinished(() => made.remove());
    setAddress(made, `${server.url}?schema=${schema}`);
    made.write(
      ".ralph/config.yaml",
      "agent: command\nagents: { command: { argv: [bash, agent.sh] } }\nverify: [sh check.sh]\nhivemind: { store: off }\n",
    );
    await made.approveConfig();
    return made;
  }

  function setAddress({ env }: Practice, url: string): void {
    Object.assign(env, { RALPH_STORE_URL: url });
  }

  const outcomes = (events: readonly RunEvent[]) => finished(events).map(({ outcome }) => outcome);

  test("FLEET-1: a run, its tasks and its memory are on the server, and no file holds them", async () => {
    const made = await project("shop", "env | grep -c STORE_URL > leak.txt; echo $id > $id.txt");
    for (const id of ["t-1", "t-2"])
      expect((await made.ralph("task", "add", `Write ${id}`, "--id", id)).code).toBe(0);
    expect((await made.ralph("memory", "store", "prices are integers, in cents")).code).toBe(0);
    const { code, events } = await made.run();
    expect([code, outcomes(events)]).toEqual([0, ["done", "done"]]);
    expect(made.read("leak.txt")).toBe("0\n");
    expect((await made.ralph("memory", "find", "prices cents")).stdout).toContain("integers");
    expect(await made.ralph("status")).toMatchObject({ code: 0, stdout: expect.stringContaining("2 done") });
    expect((await made.ralph("log")).stdout).toContain("done");
    expect(existsSync(join(made.dir, ".ralph/progress.db"))).toBe(false);
    const doctor = await made.ralph("doctor");
    expect(doctor.stdout).toMatch(/store.*postgres:\/\/127\.0\.0\.1:\d+\/postgres\?schema=shop: writable/);
    expect(doctor.stdout).not.toContain("ralph@");
  });

  test("FLEET-1 FLEET-2: several workers land each task once", async () => {
    const made = await project("workers", "echo $id > $id.txt; sleep 0.1");
    for (const n of [1, 2, 3, 4, 5, 6]) await made.ralph("task", "add", `Task ${n}`, "--id", `t-${n}`);
    const { code, events } = await made.run("--workers", "3");
    expect([code, outcomes(events)]).toEqual([0, Array(6).fill("done")]);
  });

  test("FLEET-1: a run of another machine holds the project until it answers no more and a person says so", async () => {
    const made = await project("gone", "echo $id > $id.txt");
    await made.ralph("task", "add", "One", "--id", "t-1");
    const db = await openStore({ path: `${server.url}?schema=gone` });
    const owner = { pid: 1, startTime: "1", bootId: "b", host: "laptop" };
    const run = { id: "run-gone", startedAt: "2026-03-01T10:00:00.000Z", agent: "command", model: null };
    await db.transaction((tx) =>
      insertRun(tx, { ...run, strategy: "fixed", session: null, branch: null, owner }),
    );
    await db.close();
    expect(await made.ralph("run")).toMatchObject({ code: 5, stderr: expect.stringContaining("on laptop") });
    expect((await made.ralph("stop", "--now")).stdout).toContain("run-gone was killed");
    expect((await made.run()).code).toBe(0);
  });

  test("FLEET-1 FLEET-3: after the server is killed and started again nothing is lost and nothing is done twice", async () => {
    const made = await project("killed", "echo $id > $id.txt; sleep 0.5");
    for (const n of [1, 2, 3, 4]) await made.ralph("task", "add", `Task ${n}`, "--id", `t-${n}`);
    const run = made.run();
    await sleep(1500);
    await server.kill();
    await sleep(500);
    await server.start();
    await run;
    const { code } = await made.run();
    const subjects = made
      .git("log", "--format=%s")
      .split("\n")
      .filter((line) => /^Task \d/.test(line));
    expect([code, subjects.toSorted()]).toEqual([
      0,
      [1, 2, 3, 4].map((n) => expect.stringContaining(`Task ${n}`)),
    ]);
  });

  test("FLEET-1: an address in a project's file, without a schema, or of a server that is gone is refused with the way out", async () => {
    const made = await project("refused", "true");
    setAddress(made, server.url);
    expect((await made.ralph("status")).stderr).toContain("?schema=");
    setAddress(made, "postgres:///postgres?schema=refused");
    expect((await made.ralph("status")).stderr).toContain("names no host");
    setAddress(made, "postgres://ralph:hunter2@127.0.0.1:1/x?schema=a");
    const gone = await made.ralph("task", "list");
    expect(gone).toMatchObject({ code: 5, stderr: expect.stringContaining("cannot be reached") });
    expect(gone.stderr).not.toContain("hunter2");
    setAddress(made, "");
    made.write(".ralph/config.yaml", "store: postgres://ralph:hunter2@db.example/x?schema=a\n");
    const refused = await made.ralph("status");
    expect(refused.stderr).toContain("RALPH_STORE_URL");
    expect(refused.stderr).not.toContain("hunter2");
  });
});
