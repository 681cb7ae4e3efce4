import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import type { Practice } from "../e2e/practice.ts";
import { makeSilent, startMachine } from "./faulty-team.ts";
import { serverPrograms, startServer, type TestServer } from "./server.ts";
import { landedOn, makeTeam, type Team } from "./team.ts";
import { until } from "./until.ts";

const programs = serverPrograms();

/** Skipped where no PostgreSQL is installed (Debian: `apt install postgresql`). */
describe.skipIf(programs === undefined || process.env["RALPH_TEST_POSTGRES_URL"] === undefined)(
  "two machines",
  () => {
    let server: TestServer;
    let team: Team;
    beforeAll(async () => {
      server = await startServer(programs ?? "");
    });
    afterEach(() => team?.remove());
    afterAll(() => server?.remove());

    test("FLEET-1 FLEET-2: two machines finish one list, each task once, after those that it depends on", {
      timeout: 900_000,
    }, async () => {
      const count = Number(process.env["RALPH_TEST_TEAM_TASKS"] ?? 40);
      team = await makeTeam("ls out-*.txt > out-$id.txt 2>/dev/null; true", 2);
      const url = `${server.url}?schema=machines`;
      const machines = [await team.machine(url), await team.machine(url)];
      const ids = Array.from({ length: count }, (_, n) => `t-${n + 1}`);
      const [first] = machines;
      // Four chains.
      for (const [n, id] of ids.entries()) {
        const after = n < 4 ? [] : ["--after", `t-${n - 3}`];
        await first?.ralph("task", "add", `Task ${n + 1}`, "--id", id, ...after);
      }
      const runs = await Promise.all(machines.map((machine) => machine.start("run", "--json")));
      expect(
        runs.map(({ code }) => code),
        JSON.stringify(runs.map(({ stderr }) => stderr)),
      ).toEqual([0, 0]);
      expect(landedOn(team)).toEqual(ids.toSorted());
      const listed = (await first?.json("task", "list")) as readonly { readonly status: string }[];
      expect(listed.filter(({ status }) => status === "done")).toHaveLength(count);
      for (let n = 4; n < count; n++)
        expect(team.git("show", `main:out-t-${n + 1}.txt`).split("\n")).toContain(`out-t-${n - 3}.txt`);
      const started = runs.map(({ stdout }) =>
        stdout.split("\n").filter((line) => line.includes('"iteration.started"')),
      );
      // Both worked.
      expect(Math.min(...started.map(({ length }) => length))).toBeGreaterThan(0);
      expect(team.git("for-each-ref", "refs/ralph")).toBe("");
    });

    test("FLEET-2: work that a silent machine saved late leaves the remote when the task is done elsewhere", async () => {
      team = await makeTeam(
        'echo part > part.txt; touch "$HOME/works"; until [ -e "$HOME/go" ]; do sleep 0.1; done; echo $id > out-$id.txt',
        1,
      );
      const url = `${server.url}?schema=silent`;
      const [one, other] = [await team.machine(url), await team.machine(url)];
      await one.ralph("task", "add", "Task 1", "--id", "t-1");
      const works = ({ home }: Practice) => existsSync(join(home, "works"));
      const run = startMachine(one, { name: "one", more: {} });
      await until(() => works(one));
      run.signal("SIGSTOP");
      const db = await openStore({ path: url, create: false });
      await makeSilent(db, run.pid());
      await db.close();
      const taken = other.start("run");
      await until(() => works(other));
      run.signal("SIGCONT");
      await until(() => team.git("for-each-ref", "refs/ralph") !== "");
      for (const { home } of [one, other]) writeFileSync(join(home, "go"), "");
      expect((await taken).code).toBe(0);
      await run.finished;
      expect([landedOn(team), team.git("for-each-ref", "refs/ralph")]).toEqual([["t-1"], ""]);
    });
  },
);
