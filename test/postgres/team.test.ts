import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { serverPrograms, startServer, type TestServer } from "./server.ts";
import { landedOn, makeTeam, type Team } from "./team.ts";

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
  },
);
