import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { practice } from "../../test/e2e/practice.ts";
import { spread } from "./spread.ts";

const tasks = 8;

interface Work {
  /**
   * SQL statements of ralph's own process in the iteration with the fewest, those that begin and end transactions included:
   * what renews a lease at intervals is not the iteration's own.
   */
  readonly statements: number;
  /** Events written to the store, as a median. */
  readonly events: number;
}

/** Counts what an iteration asks of the store where each task succeeds at once, in a project of three files. */
export async function countWork(): Promise<Work> {
  const folder = mkdtempSync(join(tmpdir(), "ralph-statements-"));
  const file = join(folder, "statements.json");
  const preload = `--require ${join(import.meta.dirname, "count-statements.cjs")}`;
  const three = { "src/a.txt": "a\n", "src/b.txt": "b\n", "src/c.txt": "c\n" };
  const project = practice(three, { NODE_OPTIONS: preload, BENCH_STATEMENTS_FILE: file });
  try {
    await project.useWorker({ "*": [{ write: { "src/{id}.txt": "{id}\n" } }] }, 'verify: ["true"]\n');
    await project.addTasks(Array.from({ length: tasks }, (_, n) => `task ${n}`));
    const { code } = await project.run();
    if (code !== 0) throw new Error(`ralph run ended with ${code}`);
    const all = JSON.parse(readFileSync(file, "utf8")) as readonly string[];
    const starts = all.flatMap((sql, at) => (sql.startsWith("INSERT INTO iterations ") ? [at] : []));
    if (starts.length !== tasks) throw new Error(`counted ${starts.length} iterations of ${tasks}`);
    const each = starts.slice(1).map((end, at) => all.slice(starts[at], end));
    const eventsOf = (one: readonly string[]): number =>
      one.filter((sql) => sql.startsWith("INSERT INTO events ")).flatMap((sql) => sql.match(/\(\?/g) ?? [])
        .length;
    return {
      statements: Math.min(...each.map((one) => one.length)),
      events: spread(each.map(eventsOf)).median,
    };
  } finally {
    project.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}
