import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, withTasks } from "./practice.ts";

let made: Practice | undefined;
afterEach(() => made?.remove());

const driver = resolve(import.meta.dirname, "../../node_modules/@photostructure/sqlite");
const endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n";

/** Changes the store in another process, as an agent does. */
function plant(project: Practice, ...statements: readonly string[]): void {
  const program = `const { DatabaseSync } = require(${JSON.stringify(driver)});
    const db = new DatabaseSync(process.argv[1]);
    for (const sql of process.argv.slice(2)) db.exec(sql);
    db.close();`;
  execFileSync(process.execPath, ["-e", program, join(project.dir, ".ralph/progress.db"), ...statements]);
}

test("TRUST-12: a view that an agent put in a table's place hangs no command of a person; doctor repairs it", async () => {
  made = await withTasks({}, ["One"]);
  plant(
    made,
    "ALTER TABLE runs RENAME TO elsewhere",
    `CREATE VIEW runs AS SELECT elsewhere.* FROM (${endless}) LEFT JOIN elsewhere ON 0`,
  );
  for (const words of [["status"], ["task", "list"], ["doctor"], ["run"]]) {
    const { code, stdout, stderr } = await made.start(...words);
    expect([words, code]).toEqual([words, 5]);
    expect(stdout + stderr).toContain('contains a view that ralph did not make: "runs"');
  }
  expect((await made.ralph("doctor", "--repair")).stdout).toContain("rebuilt the store");
  expect((await made.ralph("status")).stdout).toContain("1 pending");
});
