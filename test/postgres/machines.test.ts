import { existsSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRuns } from "../../src/loop/rows/run-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Db, Tx } from "../../src/store/port/db.ts";
import { finished, type Practice } from "../e2e/practice.ts";
import { makeSilent, startMachine } from "./faulty-team.ts";
import { projectOn } from "./project.ts";
import { serverPrograms, startServer, type TestServer } from "./server.ts";
import { until } from "./until.ts";

const programs = serverPrograms();

/** Each machine is a working copy of its own. */
describe.skipIf(programs === undefined || process.env["RALPH_TEST_POSTGRES_URL"] === undefined)(
  "several machines and one PostgreSQL",
  () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startServer(programs ?? "");
    });
    afterAll(() => server?.remove());

    const two = (schema: string, body: string): Promise<readonly [Practice, Practice]> => {
      const url = `${server.url}?schema=${schema}`;
      return Promise.all([projectOn(url, body), projectOn(url, body)]);
    };
    const addTasks = async ({ ralph }: Practice, count: number): Promise<void> => {
      for (let n = 1; n <= count; n += 1) await ralph("task", "add", `Task ${n}`, "--id", `t-${n}`);
    };
    const done = (commits: readonly string[]): readonly string[] =>
      commits.filter((subject) => /^Task \d/.test(subject));
    async function withStore<T>(schema: string, work: (db: Db) => Promise<T>): Promise<T> {
      const db = await openStore({ path: `${server.url}?schema=${schema}`, create: false });
      return work(db).finally(() => db.close());
    }

    test("FLEET-1: two runs on two machines share one list, and each task is done once", async () => {
      const [one, other] = await two("both", "echo $id > $id.txt; sleep 1");
      await addTasks(one, 8);
      const runs = [one.run(), other.run()];
      await withStore("both", (db) => until(async () => (await openRuns(db)).length === 2));
      const ends = await Promise.all(runs);
      expect(ends.map(({ code }) => code)).toEqual([0, 0]);
      for (const { events } of ends) expect(finished(events).length).toBeGreaterThan(0);
      const all = ends.flatMap(({ events }) => finished(events).map(({ taskId }) => taskId));
      expect(all.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((n) => `t-${n}`));
      expect(done([...one.commits(), ...other.commits()])).toHaveLength(8);
    });

    test("FLEET-1: a second run of the same working copy is refused", async () => {
      const [one, other] = await two("again", "until [ -e ../go ]; do sleep 0.1; done; echo $id > $id.txt");
      await addTasks(one, 2);
      const run = one.run();
      await withStore("again", (db) => until(async () => (await openRuns(db)).length === 1));
      expect(await one.start("run")).toMatchObject({
        code: 5,
        stderr: expect.stringContaining("another run"),
      });
      const [status, seen] = [await other.ralph("status"), await other.ralph("doctor")];
      expect([status.stdout, seen.stdout]).toEqual([
        expect.stringMatching(` active for .* \\(process \\d+ on ${hostname()}\\)`),
        expect.stringContaining("has been active"),
      ]);
      one.write("../go", "");
      expect((await run).code).toBe(0);
    });

    test("FLEET-1: a machine that is stopped for a lease loses its task, and what it did is refused", async () => {
      const [one, other] = await two(
        "late",
        "touch ../works; until [ -e ../go ]; do sleep 0.1; done; echo $id > $id.txt",
      );
      await addTasks(one, 1);
      const run = one.start("run", "--json");
      await until(() => existsSync(join(one.dir, "../works")));
      await withStore("late", async (db) => {
        const pid = (await openRuns(db))[0]?.owner.pid ?? 0;
        process.kill(pid, "SIGSTOP");
        // Two leases later, by the clock of the server.
        await makeSilent(db, pid);
        other.write("../go", "");
        const taken = await other.run();
        expect([taken.code, finished(taken.events).map(({ outcome }) => outcome)]).toEqual([0, ["done"]]);
        one.write("../go", "");
        process.kill(pid, "SIGCONT");
        expect((await run).code).toBe(0);
        expect(done(one.commits())).toEqual([]);
        expect(done(other.commits())).toHaveLength(1);
        const attempts = await db.all("SELECT outcome FROM iteration_outcomes");
        expect(attempts).toEqual([{ outcome: "done" }]);
      });
      expect((await one.ralph("log", "t-1")).stdout).toContain("done");
    });

    test.each([[[]], [["--workers", "1"]]])(
      "FLEET-1: verified work whose run was killed before its commit is not committed once another machine took the task over (run %s)",
      async (args) => {
        const schema = `owed${args.length}`;
        const [one, other] = await two(schema, "echo $id > $id.txt");
        await addTasks(one, 1);
        refuseFirstCommit(one);
        const run = one.start("run", ...args, "--json");
        await until(() => existsSync(join(one.dir, "../commits")));
        await withStore(schema, async (db) => {
          const pid = (await openRuns(db))[0]?.owner.pid ?? 0;
          process.kill(pid, "SIGKILL");
          await run;
          one.write("../go", "");
          await makeSilent(db, pid);
          const taken = await other.run(...args);
          expect([taken.code, finished(taken.events).map(({ outcome }) => outcome)]).toEqual([0, ["done"]]);
          const again = await one.run(...args);
          expect(again).toMatchObject({ code: 0 });
          const { git } = one;
          expect(done(git("log", "--all", "--format=%s").split("\n"))).toEqual([]);
          const attempts = await db.all("SELECT outcome FROM iteration_outcomes");
          expect(attempts).toEqual([{ outcome: "done" }]);
          expect(await db.all("SELECT 1 FROM claims")).toEqual([]);
          if (args.length === 0) expect(one.read("t-1.txt")).toBe("t-1\n");
        });
      },
    );

    test("FLEET-1: a run leaves the claim of another working copy's killed run until its lease ends", async () => {
      const [one, other] = await two("waits", "echo $id > $id.txt");
      await addTasks(one, 2);
      refuseFirstCommit(one);
      const run = startMachine(one, { name: "one", more: {}, starts: 1 });
      await until(() => existsSync(join(one.dir, "../commits")));
      run.signal("SIGKILL");
      await run.finished.catch(() => undefined);
      one.write("../go", "");
      expect((await other.run("t-2")).code).toBe(0);
      const { code, events } = await one.run();
      // Recovery landed it, without a session.
      expect([code, finished(events), done(one.commits())]).toEqual([0, [], ["Task 1"]]);
      expect((await one.ralph("status")).stdout).toContain("2 done");
    });

    test("FLEET-1: a process stopped inside a transaction holds others for 10 s at most, and its work is written once", async () => {
      await (await projectOn(`${server.url}?schema=inside`, "true")).ralph("task", "add", "One");
      await withStore("inside", (stopped) =>
        withStore("inside", async (other) => {
          let begun = 0;
          const insert = (slot: string) => (tx: Tx) =>
            tx.run("INSERT INTO slots (slot, branch) VALUES (?, 'main')", [slot]);
          const late = stopped.transaction(async (tx) => {
            begun += 1;
            await insert("late")(tx);
            if (begun === 1) await sleep(12_000);
            await insert("later")(tx);
          });
          await sleep(200);
          await other.transaction(insert("other"));
          await late;
          expect(begun).toBe(2);
          const rows = await other.all("SELECT slot FROM slots ORDER BY slot");
          expect(rows).toEqual(["late", "later", "other"].map((slot) => ({ slot })));
        }),
      );
    });

    test("FLEET-1: a process that wakes up in a transaction whose session the server has ended repeats it", async () => {
      await (await projectOn(`${server.url}?schema=woken`, "true")).ralph("task", "add", "One");
      await withStore("woken", async (db) => {
        let begun = 0;
        await db.transaction(async (tx) => {
          begun += 1;
          await tx.run("INSERT INTO slots (slot, branch) VALUES ('woken', 'main')");
          // As SIGSTOP does: the next statement is sent before the end of the session is read.
          if (begun === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 11_000);
          await tx.run("UPDATE slots SET branch = 'other'");
        });
        expect([begun, await db.all("SELECT slot, branch FROM slots")]).toEqual([
          2,
          [{ slot: "woken", branch: "other" }],
        ]);
      });
    });

    test("FLEET-1 LOOP-10: one Ctrl-C ends a run that waits for its server; its work is kept", async () => {
      const [one] = await two("stopped", "echo part > part.txt; until [ -e ../go ]; do sleep 0.2; done");
      await addTasks(one, 1);
      const run = startMachine(one, { name: "one", more: {}, starts: 1 });
      await until(() => existsSync(join(one.dir, "part.txt")));
      await server.kill();
      run.signal("SIGINT");
      await run.finished.catch(() => undefined);
      expect(run.ends).toEqual(["SIGINT"]);
      expect(one.read("part.txt")).toBe("part\n");
      await sleep(1000);
      await server.start();
      one.write("../go", "");
      expect((await one.run()).code).toBe(0);
    });

    test("FLEET-1: without its server for a lease an agent is stopped; its work is kept, and the run continues", async () => {
      const once = "[ -e part.txt ] && echo kept > kept.txt; echo part > part.txt";
      const [one] = await two(
        "gone",
        `${once}\n[ -e ../beat ] || while touch ../beat; do sleep 0.2; done\necho $id > $id.txt`,
      );
      await addTasks(one, 2);
      const run = one.run();
      const beat = join(one.dir, "../beat");
      await until(() => existsSync(beat));
      await server.kill();
      const isAtWork = (): boolean => Date.now() - statSync(beat).mtimeMs < 10_000;
      await sleep(12_000);
      expect(isAtWork()).toBe(true);
      await until(() => !isAtWork());
      await server.start();
      const { code, events, stderr } = await run;
      expect([code, finished(events).map(({ outcome }) => outcome)]).toEqual([0, ["done", "done"]]);
      expect(events.find(({ type }) => type === "iteration.interrupted")).toMatchObject({
        message: expect.stringContaining("did not answer for a lease"),
      });
      expect(stderr).toContain("agents continue, nothing new starts");
      expect(one.read("kept.txt")).toBe("kept\n");
    }, 240_000);
  },
);

/** Makes the first commit wait, until `go` appears, and fail. Git survives the run, and a later commit is not refused. */
function refuseFirstCommit({ dir }: Practice): void {
  const first = "n=0; until [ -e ../go ] || [ $n -gt 150 ]; do sleep 0.1; n=$((n+1)); done; exit 1";
  const body = `cd "$HOME"; [ -e ../commits ] && exit; touch ../commits; ${first}`;
  writeFileSync(join(dir, ".git/hooks/pre-commit"), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
}
