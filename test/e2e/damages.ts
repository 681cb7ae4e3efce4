import { join } from "node:path";
import type { Db, Row } from "../../src/store/db.ts";
import { openConnection } from "../../src/store/sqlite/connection.ts";
import { type Practice, practice } from "./practice.ts";

/**
 * Makes a project with two finished tasks of three, each with a learning, whose store is one file. The caller removes it.
 */
export async function workedOn(): Promise<Practice> {
  const project = practice({ "src/base.txt": "ok\n" });
  const say =
    '<learning category="pitfall" tags="io">The quartz resonator of the exporter needs a second start before {id}.</learning>\n<task-done>{id}</task-done>';
  await project.useWorker({ "*": [{ write: { "src/{id}.txt": "x" }, say }] }, 'verify: ["true"]\n');
  await project.addTasks(["task 1", "task 2", "task 3"]);
  await project.run("--max-iterations", "2");
  // The last connection of a process moves the rows from the side file, unless it only reads.
  const connection = await openConnection(join(project.dir, ".ralph/progress.db"), { readOnly: false });
  connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  connection.close();
  return project;
}

/** What is true only while processes live, and the search index. */
const notRebuilt =
  /^(?:claims|runs|iterations|pending_commits|workspace_state|outbox|retrieval_\w+|sqlite_\w+)$/;

/** Returns the rows that a rebuild from the log restores, by table. */
export async function lastingRows(db: Db): Promise<Record<string, readonly Row[]>> {
  const found: Record<string, readonly Row[]> = {};
  for (const { name, columns } of await db.dialect.tables()) {
    if (notRebuilt.test(name)) continue;
    found[name] = await db.all(`SELECT * FROM ${name} ORDER BY ${columns.map((one) => one.name).join(", ")}`);
  }
  return found;
}

/** Numbers from 0 to 1, the same in every run (the generator of "Numerical Recipes"). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
