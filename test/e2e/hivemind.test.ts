import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { type Practice, practice, verify } from "./practice.ts";

/** Two projects of one user. */
let data = "";
let made: Practice[] = [];

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "ralph-data-"));
});
afterEach(() => {
  for (const one of made) one.remove();
  made = [];
  rmSync(data, { recursive: true, force: true });
});

const checkScript = `cd src || exit 1
grep -q BROKEN * || exit 0
echo "src/dates.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'."
exit 2
`;
const title = "Convert the dates of the ledger export into numbers";
const learnt =
  "The ledger export hands over dates as text, so convert each of them with a parser before adding.";
const heading = "### Prior Learnings (from hivemind)";
const file = (): string => join(data, "ralph/hivemind.db");

const failsOnce = {
  prompts: "../prompts",
  "*": [
    { write: { "src/dates.ts": "BROKEN {id}\n" } },
    { write: { "src/dates.ts": "fixed {id}\n" }, say: `${learnt}\n<task-done>{id}</task-done>` },
  ],
};

async function project(name: string, config = "", script: object = failsOnce): Promise<Practice> {
  const one = practice({ "check.sh": checkScript, "src/base.txt": "ok\n" }, { XDG_DATA_HOME: data });
  made.push(one);
  one.git("remote", "add", "origin", `git@github.com:me/${name}.git`);
  await one.useWorker({ ...script }, `${verify}${config}`);
  await one.addTasks([title]);
  return one;
}

const prompt = (of: Practice, attempt: number): string => of.read(`../prompts/t-1-${attempt}.txt`);

async function records(): Promise<readonly Record<string, string>[]> {
  const db = await openStore({ path: file(), readOnly: true, schema: "hivemind", history: null });
  try {
    return await db.all("SELECT * FROM hivemind_memories ORDER BY created_at, type");
  } finally {
    await db.close();
  }
}

test("HIVE-1 HIVE-2 HIVE-6: what one project solved is offered in another with its origin, and confirmed by a success", async () => {
  const first = await project("ledger");
  expect((await first.run()).code).toBe(0);
  expect(prompt(first, 1)).not.toContain(heading);
  const stored = await records();
  expect(stored.map(({ type, tags, project_name }) => [type, JSON.parse(tags ?? ""), project_name])).toEqual([
    ["failure", ["ralph", "failure", "type_error", "ledger"], "ledger"],
    ["success", ["ralph", "learning", "ledger"], "ledger"],
  ]);
  expect(stored[0]?.["content"]).toMatch(
    new RegExp(`^Ralph failure \\[type_error\\]: ${title}\\. Files: .*src/dates\\.ts.* Error: .*TS2322`),
  );
  expect(stored[1]?.["content"]).toMatch(
    new RegExp(
      `^Ralph completed: ${title}\\. Files: src/dates\\.ts\\. Summary: It solved this error .*TS2322.*${learnt}`,
    ),
  );
  expect(statSync(file()).mode & 0o777).toBe(0o600);

  const second = await project("invoices");
  expect((await second.run()).code).toBe(0);
  const retry = prompt(second, 2);
  expect(retry).toContain(heading);
  expect(retry).toMatch(
    /- Ralph completed: Convert the dates .* \(h-\w{12}, from project ledger, today, same error as your last attempt, not confirmed in this project\)/,
  );
  // HIVE-6: its own records are not offered back, and the first project's are not copied.
  expect(retry).not.toContain("from project invoices");

  second.setScript({ prompts: "../prompts", "*": [{ write: { "src/dates.ts": "fixed again {id}\n" } }] });
  await second.addTasks([{ id: "t-2", title: `${title} once more` }]);
  expect((await second.run()).code).toBe(0);
  const later = second.read("../prompts/t-2-1.txt");
  expect(later).toMatch(/from project ledger, today\)/);
  const status = (await second.json("status")) as { hivemind: Record<string, unknown> };
  expect(status.hivemind).toMatchObject({
    store: file(),
    projects: 2,
    pending: 0,
    problem: null,
    error: null,
  });
});

test("HIVE-1: with hivemind.store off nothing is stored or offered; --no-memory offers nothing", async () => {
  const off = await project("off", "hivemind: { store: off }\n");
  await off.run();
  expect(existsSync(file())).toBe(false);
  expect(await off.json("status")).toMatchObject({ hivemind: null });
  await (await project("ledger")).run();
  const blind = await project("blind");
  await blind.run("--no-memory");
  expect(prompt(blind, 2)).not.toContain(heading);
});

test("HIVE-3 TRUST-5: a project's own file cannot point the hivemind elsewhere without approval", async () => {
  const elsewhere = join(data, "elsewhere.db");
  const one = await project("ledger", `hivemind: { store: ${JSON.stringify(elsewhere)} }\n`);
  const changed = join(data, "other.db");
  one.write(".ralph/config.yaml", one.read(".ralph/config.yaml").replaceAll(elsewhere, changed));
  one.git("commit", "-qam", "point elsewhere");
  expect((await one.run()).code).not.toBe(0);
  expect(existsSync(changed)).toBe(false);
  expect(await one.json("status")).toMatchObject({ hivemind: null });
  await one.ralph("trust", "approve", "--yes");
  expect((await one.run()).code).toBe(0);
  expect(existsSync(changed)).toBe(true);
});

test("HIVE-6 HIVE-2: a person approves a foreign record, shares a learning and takes it back", async () => {
  const first = await project("ledger");
  await first.run();
  const stored = (await first.json(
    "memory",
    "store",
    "Amounts of the ledger export are in cents",
    "--tags",
    "money",
  )) as {
    id: string;
  };
  expect(await first.json("memory", "share", stored.id)).toMatchObject({
    success: true,
    content: expect.any(String),
  });
  expect((await records()).map(({ content }) => content)).toContain(
    "Amounts of the ledger export are in cents",
  );
  expect(await first.json("memory", "unshare", stored.id)).toMatchObject({ success: true, wasShared: true });
  expect((await records()).map(({ content }) => content)).not.toContain(
    "Amounts of the ledger export are in cents",
  );
  expect((await first.ralph("memory", "share", "l-000000")).stderr).toContain("unknown learning l-000000");

  const second = await project("invoices");
  const [success] = (await records()).filter(({ type }) => type === "success");
  const id = success?.["id"] ?? "";
  const asked = async (): Promise<string> => {
    const { prompt: text } = (await second.json("context", "t-1")) as { prompt: string };
    return text;
  };
  expect(await asked()).toMatch(
    new RegExp(`${id}, from project ledger, today, not confirmed in this project`),
  );
  expect(await second.json("memory", "approve", id)).toEqual({ success: true, ids: [id] });
  expect(await asked()).toMatch(new RegExp(`${id}, from project ledger, today\\)`));
  expect((await second.ralph("memory", "approve", "h-000000000000")).code).not.toBe(0);

  const { run } = (await first.json("status")) as { run: { id: string } };
  await first.ralph("memory", "purge", "--run", run.id, "--yes");
  expect(await records()).toEqual([]);
});
