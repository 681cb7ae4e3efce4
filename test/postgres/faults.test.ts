import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import type { Db } from "../../src/store/port/db.ts";
import { addTask } from "../../src/tasks/graph/task-graph.ts";
import { testSize } from "../test-size.ts";
import { type Fault, faults, longFaults, type Machine, startMachine } from "./faulty-team.ts";
import { openPort } from "./port.ts";
import { serverPrograms, startServer, type TestServer } from "./server.ts";
import { landedOn, makeTeam, type Team } from "./team.ts";

const programs = serverPrograms();
const isLong = process.env["RALPH_TEST_TEAM_FAULTS"] !== undefined;
const count = testSize("RALPH_TEST_TEAM_FAULTS", 60);
const workers = isLong ? 8 : 3;

/** Skipped where no PostgreSQL is installed (Debian: `apt install postgresql`). */
describe.skipIf(programs === undefined || (!isLong && process.env["RALPH_TEST_POSTGRES_URL"] === undefined))(
  "two machines and faults",
  () => {
    let server: TestServer;
    let team: Team;
    beforeAll(async () => {
      server = await startServer(programs ?? "");
    });
    afterEach(() => team?.remove());
    afterAll(() => server?.remove());

    test(`FLEET-1 FLEET-2: ${count} tasks are done once each whatever fails meanwhile, without a repair by hand`, {
      timeout: 240_000 + (isLong ? count * 10_000 : 0),
      retry: 0,
    }, async () => {
      team = await makeTeam(`sleep $((RANDOM % ${isLong ? 3 : 6})).5; echo $id > out-$id.txt`, workers);
      const hook = join(team.bare, "hooks/pre-receive");
      writeFileSync(hook, '#!/bin/sh\n[ ! -e refuse ] || { echo "closed" >&2; exit 1; }\n', { mode: 0o755 });
      const url = `${server.url}?schema=faults`;
      const db = await openStore({ path: url });
      try {
        const ids = await addTasks(db);
        const machines = [await machineOf(url, "one", {}), await machineOf(url, "other", anHourAhead())];
        const happened = await causeFaults({ db, server, team }, machines);
        const seen = JSON.stringify(happened.concat(machines.map(({ name, ends }) => `${name}: ${ends}`)));
        const logs = machines.map(({ log }) => log()).join("\n\n");
        expect(landedOn(team), `${seen}\n${logs}`).toEqual(ids.toSorted());
        await expectWhole(db, ids, seen);
        // No run ended by an error of ralph's own.
        expect(machines.flatMap(({ ends }) => ends)).not.toContain("70");
        if (!isLong) expect(happened.length).toBeGreaterThanOrEqual(Object.keys(faults).length);
      } finally {
        await db.close();
      }
    });

    /** Chains of five tasks. */
    async function addTasks(db: Db): Promise<readonly string[]> {
      const ids = Array.from({ length: count }, (_, n) => `t-${n + 1}`);
      await db.transaction(async (tx) => {
        for (const [n, id] of ids.entries()) {
          const after = n % 5 === 0 ? [] : [`t-${n}`];
          await addTask(tx, { task: { id, title: `Task ${n + 1}` }, after }, new Date());
        }
      });
      return ids;
    }

    async function machineOf(
      url: string,
      name: string,
      more: Readonly<Record<string, string>>,
    ): Promise<Machine> {
      const port = await openPort(Number(new URL(url).port));
      const own = new URL(url);
      own.port = String(port.port);
      return { ...startMachine(await team.machine(own.href), { name, more }), port };
    }
  },
);

/** The environment of processes whose clock is an hour ahead; empty where libfaketime is not installed (Debian: `apt install faketime`). */
function anHourAhead(): Readonly<Record<string, string>> {
  const library = readdirSync("/usr/lib")
    .map((folder) => join("/usr/lib", folder, "faketime/libfaketimeMT.so.1"))
    .find((path) => existsSync(path));
  if (library === undefined) return {};
  return { LD_PRELOAD: library, FAKETIME: "+3600s", DONT_FAKE_MONOTONIC: "1" };
}

/** Causes one fault after the other until both machines have finished. Returns their names. */
async function causeFaults(
  at: Parameters<Fault>[0],
  machines: readonly Machine[],
): Promise<readonly string[]> {
  let state = testSize("RALPH_TEST_TEAM_SEED", 1);
  const chance = (from: number, to: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(from + (state / 2 ** 32) * (to - from));
  };
  const kinds = Object.entries(isLong ? { ...faults, ...longFaults } : faults);
  const happened: string[] = [];
  let isOver = false;
  const finished = Promise.all(machines.map((machine) => machine.finished)).finally(() => {
    isOver = true;
  });
  finished.catch(() => undefined);
  let left: typeof kinds = [];
  for (;;) {
    await Promise.race([finished, sleep(chance(1000, isLong ? 10_000 : 3000))]);
    if (isOver || (!isLong && happened.length >= kinds.length)) break;
    if (left.length === 0) left = [...kinds];
    const [fault] = left.splice(chance(0, left.length), 1);
    const machine = machines[chance(0, machines.length)];
    if (!fault || !machine) throw new Error("there is none");
    happened.push(`${fault[0]} (${machine.name})`);
    await fault[1](at, machine, chance);
  }
  await finished;
  return happened;
}

/** Expects that the store holds each task as done, once, and nothing that waits. */
async function expectWhole(db: Db, ids: readonly string[], seen: string): Promise<void> {
  const done = await db.all<{ id: string }>("SELECT id FROM tasks WHERE status = 'done'");
  expect(done.map(({ id }) => id).toSorted(), seen).toEqual(ids.toSorted());
  // Old events are pruned.
  const said = await db.all<{ id: string }>("SELECT task_id AS id FROM task_logs WHERE message LIKE 'done%'");
  expect(said.map(({ id }) => id).toSorted(), seen).toEqual(ids.toSorted());
  const judged = await db.all<{ id: string; n: number }>(
    "SELECT task_id AS id, count(*) AS n FROM iteration_outcomes WHERE outcome = 'done' GROUP BY task_id HAVING count(*) > 1",
  );
  expect(judged, seen).toEqual([]);
  const waiting = {
    claims: await db.all("SELECT task_id FROM claims"),
    commits: await db.all("SELECT task_id FROM pending_commits WHERE finished_at IS NULL"),
    iterations: await db.all("SELECT id FROM iterations WHERE ended_at IS NULL"),
    runs: await db.all("SELECT id FROM runs WHERE ended_at IS NULL"),
    slots: await db.all("SELECT slot FROM slots"),
  };
  expect(waiting, seen).toEqual({ claims: [], commits: [], iterations: [], runs: [], slots: [] });
}
