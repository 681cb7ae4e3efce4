// npm run bench:fleet [-- --tasks N] [--task-ms N] [--verify-ms N] [--workers N,N] [--store postgres] [--json]:
// how much faster a list is done by several workers, each task a sleep; with `--store postgres` claims and completions a second on a
// server beside a file, and an iteration's round trips. docs/benchmarks.md describes the rows.
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { practice } from "../test/e2e/practice.ts";
import { serverPrograms, startServer } from "../test/postgres/server.ts";
import { countRoundTrips } from "./fleet/round-trips.ts";
import { compareStores } from "./fleet/store-rates.ts";

const { values } = parseArgs({
  options: {
    tasks: { type: "string" },
    "task-ms": { type: "string" },
    "verify-ms": { type: "string" },
    workers: { type: "string" },
    store: { type: "string" },
    json: { type: "boolean" },
  },
});
const count = Number(values.tasks ?? 20);
const taskMs = Number(values["task-ms"] ?? 12_000);
const verifyMs = Number(values["verify-ms"] ?? 1000);
const workers = (values.workers ?? "1,4,8").split(",").map(Number);

interface Row {
  readonly workers: number;
  readonly seconds: number;
  /** Against the first row. */
  readonly ratio: number;
  readonly perHour: number;
  /** Verifications per landed task, the baseline apart. */
  readonly verifications: number;
}

/** Runs the whole list. Returns seconds and the number of verifications. */
async function run(slots: number): Promise<{ readonly seconds: number; readonly verified: number }> {
  const agent = `id=$(cat | grep -om1 't-[0-9]*' | head -1); sleep ${taskMs / 1000}; echo x > $id.txt; echo "<task-done>$id</task-done>"\n`;
  const files = { "agent.sh": agent, "check.sh": `sleep ${verifyMs / 1000}\n`, ".gitignore": ".ralph/\n" };
  const project = practice(files);
  try {
    const own = "agent: command\nagents: { command: { argv: [sh, agent.sh] } }\nhivemind: { store: off }\n";
    project.write(".ralph/config.yaml", `${own}verify: [sh check.sh]\nverifyBaseline: off\n`);
    await project.approveConfig();
    await project.addTasks(Array.from({ length: count }, (_, at) => `Task ${at + 1}`));
    const start = performance.now();
    const { code, events } = await project.run("--workers", String(slots), "--worktree");
    if (code !== 0) throw new Error(`the run with ${slots} workers ended with ${code}`);
    const verified = events.filter(({ type }) => type === "verification.finished").length;
    return { seconds: (performance.now() - start) / 1000, verified };
  } finally {
    project.remove();
  }
}

/** PostgreSQL as the Debian package has it, with `fsync` as usual. */
async function compareWithServer(): Promise<void> {
  const programs = serverPrograms();
  if (programs === undefined) throw new Error("no PostgreSQL server is installed");
  const server = await startServer(programs, { fsync: "on" });
  try {
    const rates = await compareStores(server.url, Number(values.tasks ?? 500));
    const trips = await countRoundTrips(server.url);
    const load = (loadavg()[0] ?? 0).toFixed(1);
    if (values.json) return console.log(JSON.stringify({ rates, trips, load }));
    console.log("| store | sessions | claims a second | completions a second |\n|---|---|---|---|");
    for (const { store, sessions, claimsPerSecond, completionsPerSecond } of rates)
      console.log(
        `| ${store} | ${sessions} | ${claimsPerSecond.toFixed(0)} | ${completionsPerSecond.toFixed(0)} |`,
      );
    const { least, median, most } = trips;
    console.log(`\nround trips of an iteration: ${least}, median ${median}, at most ${most}; load ${load}`);
  } finally {
    await server.remove();
  }
}

async function compareWorkers(): Promise<void> {
  const rows: Row[] = [];
  for (const slots of workers) {
    const { seconds, verified } = await run(slots);
    const ratio = rows[0] ? rows[0].seconds / seconds : 1;
    rows.push({
      workers: slots,
      seconds,
      ratio,
      perHour: (count / seconds) * 3600,
      verifications: verified / count,
    });
  }
  if (values.json) console.log(JSON.stringify(rows));
  else {
    console.log(
      "| workers | seconds | times as fast | tasks an hour | verifications a task |\n|---|---|---|---|---|",
    );
    for (const row of rows)
      console.log(
        `| ${row.workers} | ${row.seconds.toFixed(1)} | ${row.ratio.toFixed(2)} | ${row.perHour.toFixed(0)} | ${row.verifications.toFixed(2)} |`,
      );
  }
}

if (values.store === "postgres") await compareWithServer();
else await compareWorkers();
