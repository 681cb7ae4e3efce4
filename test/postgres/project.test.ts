import { existsSync, readdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { finished, type Practice, type RunEvent } from "../e2e/practice.ts";
import { projectOn, useStore } from "./project.ts";
import { serverPrograms, startServer, type TestServer } from "./server.ts";

const programs = serverPrograms();

/** Skipped where no PostgreSQL is installed (Debian: `apt install postgresql`). */
describe.skipIf(programs === undefined)("a store on PostgreSQL", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(programs ?? "");
  });
  afterAll(() => server?.remove());

  const project = (schema: string, body: string): Promise<Practice> =>
    projectOn(`${server.url}?schema=${schema}`, body);

  const outcomes = (events: readonly RunEvent[]) => finished(events).map(({ outcome }) => outcome);

  test("FLEET-1: a run, its tasks and its memory are on the server, and no file holds them", async () => {
    const made = await project("shop", "env | grep -c STORE_URL > leak.txt; echo $id > $id.txt");
    const first = await made.ralph("doctor");
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining("yet: the first task makes it")]);
    for (const id of ["t-1", "t-2"])
      expect((await made.ralph("task", "add", `Write ${id}`, "--id", id)).code).toBe(0);
    expect((await made.ralph("memory", "store", "prices are integers, in cents")).code).toBe(0);
    const { code, events, stderr } = await made.run();
    expect([code, outcomes(events), stderr]).toEqual([0, ["done", "done"], ""]);
    expect(made.read("leak.txt")).toBe("0\n");
    expect((await made.ralph("memory", "find", "prices cents")).stdout).toContain("integers");
    expect(await made.ralph("status")).toMatchObject({ code: 0, stdout: expect.stringContaining("2 done") });
    expect((await made.ralph("log")).stdout).toMatch(new RegExp(`2 of 2 done · .* · on ${hostname()}`));
    await made.ralph("report", "--html", "report.html");
    expect(made.read("report.html")).toMatch(new RegExp(`run-\\w+ on ${hostname()}<`));
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

  test("FLEET-1 FLEET-3: a run continues when its server was killed and is back; nothing is lost, nothing is done twice", async () => {
    const made = await project("killed", "echo $id > $id.txt; sleep 0.5");
    for (const n of [1, 2, 3, 4]) await made.ralph("task", "add", `Task ${n}`, "--id", `t-${n}`);
    const run = made.run();
    for (let n = 0; n < 2; n += 1) {
      await sleep(2500);
      await server.kill();
      await sleep(1000);
      await server.start();
    }
    const { code, events } = await run;
    expect([code, outcomes(events)]).toEqual([0, Array(4).fill("done")]);
    const subjects = made.commits().filter((line) => /^Task \d/.test(line));
    expect(subjects.toSorted()).toEqual([1, 2, 3, 4].map((n) => expect.stringContaining(`Task ${n}`)));
  });

  test("FLEET-1: a project is copied from its file to a server and back, and continues there", async () => {
    const made = await project("copied", "echo $id > $id.txt");
    const url = `${server.url}?schema=copied`;
    useStore(made, "");
    await made.ralph("task", "add", "One", "--id", "t-1");
    await made.ralph("task", "add", "Two", "--id", "t-2", "--after", "t-1");
    await made.ralph("memory", "store", "prices are integers, in cents");
    expect((await made.run("t-1")).code).toBe(0);
    useStore(made, url);
    const there = await made.ralph("store", "copy", "file", "server");
    expect([there.code, there.stdout]).toEqual([0, expect.stringMatching(/copied \d+ rows of \d+ tables/)]);
    expect((await made.ralph("status")).stdout).toContain("1 done");
    expect((await made.ralph("memory", "find", "prices cents")).stdout).toContain("integers");
    expect(outcomes((await made.run()).events)).toEqual(["done"]);
    expect(
      (await made.ralph("log")).stdout.split("\n").filter((line) => line.includes(" done")),
    ).toHaveLength(2);
    expect(await made.ralph("store", "copy", "server", "file")).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("holds"),
    });
    for (const name of readdirSync(join(made.dir, ".ralph")))
      if (name.startsWith("progress.db")) rmSync(join(made.dir, ".ralph", name));
    const back = await made.ralph("store", "copy", "server", "file", "--json");
    expect(JSON.parse(back.stdout)).toMatchObject({ from: "server", to: "file" });
    useStore(made, "");
    expect((await made.ralph("status")).stdout).toContain("2 done");
    await made.ralph("task", "add", "Three", "--id", "t-3");
    expect(outcomes((await made.run()).events)).toEqual(["done"]);
    expect(made.commits().filter((line) => /^(One|Two|Three)/.test(line))).toHaveLength(3);
  });

  test("FLEET-1: an address in a project's file, without a schema, or of a server that is gone is refused with the way out", async () => {
    const made = await project("refused", "true");
    useStore(made, server.url);
    expect((await made.ralph("status")).stderr).toContain("?schema=");
    useStore(made, "postgres:///postgres?schema=refused");
    expect((await made.ralph("status")).stderr).toContain("names no host");
    useStore(made, "postgres://ralph:hunter2@127.0.0.1:1/x?schema=a");
    const gone = await made.ralph("task", "list");
    expect(gone).toMatchObject({ code: 5, stderr: expect.stringContaining("cannot be reached") });
    expect(gone.stderr).not.toContain("hunter2");
    useStore(made, "");
    made.write(".ralph/config.yaml", "store: postgres://ralph:hunter2@db.example/x?schema=a\n");
    const refused = await made.ralph("status");
    expect(refused.stderr).toContain("RALPH_STORE_URL");
    expect(refused.stderr).not.toContain("hunter2");
  });
});
