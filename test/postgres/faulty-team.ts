import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../../src/store/port/db.ts";
import { type Practice, ralphStart } from "../e2e/practice.ts";
import type { TestPort } from "./port.ts";
import type { TestServer } from "./server.ts";
import type { Team } from "./team.ts";

/** A machine whose run is started again until it ends with all tasks done. */
export interface Runs {
  readonly name: string;
  /** The exit codes and signals of its runs so far. */
  readonly ends: readonly string[];
  /** Resolves when a run of it has ended with all tasks done; rejects when too many did not. */
  readonly finished: Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** The process of the run, or of the last one. */
  pid(): number;
  /** Waits so long before its next start. */
  delayNextStart(ms: number): void;
  /** The last lines that its runs wrote. */
  log(): string;
}

/** A machine that reaches the server by a port of its own. */
export interface Machine extends Runs {
  readonly port: TestPort;
}

/** More starts than faults cause. */
const maxStarts = 400;

/** Starts the runs of a machine, `starts` at most. `more`: environment of its processes alone. */
export function startMachine(
  { dir, env }: Practice,
  {
    name,
    more,
    starts = maxStarts,
  }: Pick<Runs, "name"> & { readonly more: Readonly<Record<string, string>>; readonly starts?: number },
): Runs {
  const file = join(dir, "../runs.log");
  const ends: string[] = [];
  let [pid, delayMs] = [0, 0];
  const once = (): Promise<string> => {
    const output = openSync(file, "a");
    const run = spawn(process.execPath, [...ralphStart, "run", "--json"], {
      ...{ cwd: dir, env: { ...env, ...more }, stdio: ["ignore", output, output] },
    });
    closeSync(output);
    pid = run.pid ?? 0;
    return new Promise((resolve) => run.once("exit", (code, signal) => resolve(`${signal ?? code}`)));
  };
  const all = async (): Promise<void> => {
    while (ends.length < starts) {
      const end = await once();
      ends.push(end);
      if (end === "0") return;
      await sleep(500 + delayMs);
      delayMs = 0;
    }
    throw new Error(`${name} does not finish`);
  };
  return {
    ...{ name, ends, finished: all() },
    pid: () => pid,
    delayNextStart: (ms) => {
      delayMs = ms;
    },
    signal: (signal) => {
      try {
        process.kill(pid, signal);
      } catch {
        // It has just ended.
      }
    },
    log: () => (existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(-40).join("\n") : ""),
  };
}

interface Place {
  readonly db: Db;
  readonly server: TestServer;
  readonly team: Team;
}

/** A fault that begins and is over again. `chance` returns a number between two. */
export type Fault = (
  at: Place,
  machine: Machine,
  chance: (from: number, to: number) => number,
) => Promise<void>;

/** The others look for silent runs every 15 seconds. */
const untilTakenMs = [17_000, 21_000] as const;

/** Makes the run look as if its machine did not answer for two leases, by the clock of the server. */
export async function makeSilent(db: Db, pid: number): Promise<void> {
  for (const table of ["runs", "claims"])
    await db.transaction(
      (tx) => tx.run(`UPDATE ${table} SET heartbeat_at = ? WHERE pid = ?`, ["2026-03-01T10:00:00.000Z", pid]),
      { alone: false },
    );
}

export const faults: Readonly<Record<string, Fault>> = {
  "a run is killed and started again": async (_at, machine) => machine.signal("SIGKILL"),
  "a run is killed, and its tasks are taken over": async (at, machine, chance) => {
    const ms = chance(...untilTakenMs);
    machine.delayNextStart(ms);
    machine.signal("SIGKILL");
    await makeSilent(at.db, machine.pid());
    await sleep(ms);
  },
  "a run is stopped for seconds": async (_at, machine, chance) => {
    machine.signal("SIGSTOP");
    await sleep(chance(500, 4000));
    machine.signal("SIGCONT");
  },
  "a run is stopped for two leases": async (at, machine, chance) => {
    machine.signal("SIGSTOP");
    await makeSilent(at.db, machine.pid());
    await sleep(chance(...untilTakenMs));
    machine.signal("SIGCONT");
  },
  "the server is killed and started": async ({ server }, _machine, chance) => {
    await server.kill();
    await sleep(chance(1000, 4000));
    await server.start();
  },
  "the port of a machine is closed": async (_at, { port }, chance) => {
    await port.close();
    await sleep(chance(2000, 8000));
    await port.open();
  },
  "a machine's packets are lost": async (_at, { port }, chance) => {
    port.hold(true);
    await sleep(chance(2000, 8000));
    port.hold(false);
  },
  "pushes are refused": async ({ team }, _machine, chance) => {
    writeFileSync(join(team.bare, "refuse"), "");
    await sleep(chance(2000, 14_000));
    rmSync(join(team.bare, "refuse"));
  },
};

/** Faults that take longer than a lease. */
export const longFaults: Readonly<Record<string, Fault>> = {
  "the port of a machine is closed for longer than a lease": async (_at, { port }, chance) => {
    await port.close();
    await sleep(chance(62_000, 75_000));
    await port.open();
  },
};
