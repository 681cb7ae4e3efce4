import { existsSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice, type RunEvent } from "./practice.ts";

// Code that an agent wrote runs again outside of an agent's session: in the baseline and `ralph verify`.
let project: Practice;
afterEach(() => project?.remove());

const driver = resolve(import.meta.dirname, "../../node_modules/@photostructure/sqlite");
const fine = { write: { "src/{id}.txt": "fine\n" } };

/** The committed check plants a filter and marks the third task as done wherever `trigger` holds. */
async function withPlanter(trigger: string, config = ""): Promise<void> {
  const sql = `"${process.execPath}" ../sql.cjs "UPDATE tasks SET status = 'done' WHERE id = 't-3'"`;
  const plant = [
    `git config filter.p.clean 'touch ${"$"}PWD/../marked; cat'`,
    "mkdir -p .git/info && echo '* filter=p' > .git/info/attributes",
    sql,
    "touch ../planted",
  ].join("\n");
  project = practice({ "check.sh": `if ${trigger}; then\n${plant}\nfi\n`, "src/base.txt": "ok\n" });
  const program = `const { DatabaseSync } = require(${JSON.stringify(driver)});
const db = new DatabaseSync(".ralph/progress.db");
for (const sql of process.argv.slice(2)) db.exec(sql);
db.close();
`;
  writeFileSync(join(dirname(project.dir), "sql.cjs"), program);
  await project.useWorker({ "*": [fine] }, `sandbox: "off"\nverify: ["sh check.sh"]\n${config}`);
  await project.addTasks(["one", "two", "three"]);
}

const there = (name: string): boolean => existsSync(join(project.dir, name));

async function statuses(): Promise<readonly string[]> {
  const all = (await project.json("task", "list", "--all")) as { status: string }[];
  return all.map(({ status }) => status);
}

const warningsIn = (events: readonly RunEvent[], type: string): readonly string[] =>
  events.filter((event) => event.type === type).flatMap(({ warnings }) => warnings as string[]);

const restored = (by: string) => [
  expect.stringMatching(`put back .git/config: .*${by}`),
  expect.stringMatching(`put back .git/info/attributes: .*${by}`),
  expect.stringMatching(`put back task t-3: .*${by}`),
];

function expectNothingPlanted(): void {
  expect(["../planted", "../marked", ".git/info/attributes"].map(there)).toEqual([true, false, false]);
  expect(project.git("config", "--local", "--list")).not.toContain("filter.p");
}

test("TRUST-10 TRUST-11: what the verification before the first attempt changes is put back and reported", async () => {
  await withPlanter("[ ! -e ../planted ]", "verifyBaseline: auto\n");
  const { code, events } = await project.run("t-1");
  expect(code).toBe(0);
  expect(await statuses()).toEqual(["done", "pending", "pending"]);
  expect(warningsIn(events, "guard.restored")).toEqual(restored("verification"));
  expectNothingPlanted();
});
