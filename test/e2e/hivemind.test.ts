import { randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { copyOf, type Practice, practice, verify } from "./practice.ts";

/** The folder that the projects of one user share. */
let data = "";
let made: Practice[] = [];
/** A project that failed once and then succeeded, with the hivemind that it stored this in. */
let solved: { readonly data: string; readonly project: Practice };

const newData = (): string => mkdtempSync(join(tmpdir(), "ralph-data-"));

beforeAll(async () => {
  data = newData();
  const first = await project("ledger");
  expect((await first.run()).code).toBe(0);
  solved = { data, project: first };
  made = [];
});
afterAll(() => {
  solved.project.remove();
  rmSync(solved.data, { recursive: true, force: true });
});
beforeEach(() => {
  data = newData();
});
afterEach(() => {
  for (const one of made) one.remove();
  made = [];
  rmSync(data, { recursive: true, force: true });
});

/** A copy of the project that failed once and then succeeded, and of its hivemind. */
async function solvedLedger(): Promise<Practice> {
  cpSync(solved.data, data, { recursive: true });
  const one = copyOf(solved.project, { XDG_DATA_HOME: data });
  made.push(one);
  await one.approveConfig();
  return one;
}

const checkScript = `cd src || exit 1
grep -q BROKEN * || exit 0
echo "src/dates.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'."
exit 2
`;
const title = "Convert the dates of the ledger export into numbers";
const learnt =
  "The ledger export hands over dates as text, so convert each of them with a parser before adding.";
const heading = "\n## Prior Learnings (from hivemind)";
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

/** In the process of the queries: nothing replaces a store here. */
const json = async (of: Practice, ...words: string[]): Promise<unknown> =>
  JSON.parse((await of.answer(...words, "--json")).stdout);
const prompt = (of: Practice, attempt: number): string => of.read(`../prompts/t-1-${attempt}.txt`);

async function records(): Promise<readonly Record<string, string>[]> {
  const db = await openStore({ path: file(), readOnly: true, schema: "hivemind" });
  try {
    return await db.all("SELECT * FROM hivemind_memories ORDER BY created_at, type");
  } finally {
    await db.close();
  }
}

test("HIVE-2 LOOP-9 CTX-1: undo withdraws what the undone work left for other projects and programs, at once or later", async () => {
  const first = await solvedLedger();
  const stories = (): unknown => JSON.parse(first.read(".ralph-context.json")).stories;
  expect(stories()).toMatchObject([{ status: "completed" }]);
  const undone = await first.ralph("undo", "t-1");
  expect(undone.code).toBe(0);
  expect(undone.stderr).toMatch(/^[0-9a-f]{9} \S.* \(.*\)\nhint: run `ralph run`\n$/);
  // The failed attempt was never part of the work.
  expect((await records()).map(({ type }) => type)).toEqual(["failure"]);
  expect(stories()).toEqual([]);

  first.setScript({ "*": [{ write: { "src/dates.ts": "fixed again {id}\n" } }] });
  expect((await first.run()).code).toBe(0);
  expect((await records()).map(({ type }) => type)).toEqual(["failure", "success"]);
  cpSync(file(), `${file()}.away`);
  rmSync(file());
  mkdirSync(file());
  const again = await first.start("undo", "t-1");
  expect([again.code, again.stderr]).toEqual([
    0,
    expect.stringMatching(
      /^[0-9a-f]{9} .*\nnote: the hivemind still has 1 record of what was undone: the hivemind .* is not available: .*; the next run deletes it\nhint: /,
    ),
  ]);
  rmSync(file(), { recursive: true });
  cpSync(`${file()}.away`, file());
  first.setScript({ "*": [{ say: "<task-failed>{id}</task-failed>" }] });
  await first.start("run", "--max-attempts", "1");
  expect((await records()).map(({ type }) => type)).toEqual(["failure"]);
});

test("HIVE-1 HIVE-2 HIVE-6: what one project solved is offered in another with its origin, and confirmed by a success", async () => {
  const first = await solvedLedger();
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
  const { code, events } = await second.run();
  expect(code).toBe(0);
  expect(events.at(-1)).toMatchObject({ report: { memory: { shown: [{ what: "hivemind record" }] } } });
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
  const status = (await json(second, "status")) as { hivemind: Record<string, unknown> };
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
  expect(await json(off, "status")).toMatchObject({ hivemind: null });
  await solvedLedger();
  const blind = await project("blind");
  await blind.run("--no-memory");
  expect(prompt(blind, 2)).not.toContain(heading);
});

test("HIVE-1: the first run says what is shared by default, where, and how to keep it here", async () => {
  const on = await project("said");
  const said = `${file()}, on this machine. To keep it here: \`hivemind: { store: off }\``;
  expect((await on.ralph("run", "--once")).stderr).toContain(said);
  expect((await on.ralph("run", "--once")).stderr).not.toContain("hivemind");
});

test("HIVE-3 TRUST-5: a project's own file cannot point the hivemind elsewhere without approval", async () => {
  const elsewhere = join(data, "elsewhere.db");
  const one = await project("ledger", `hivemind: { store: ${JSON.stringify(elsewhere)} }\n`);
  const changed = join(data, "other.db");
  one.write(".ralph/config.yaml", one.read(".ralph/config.yaml").replaceAll(elsewhere, changed));
  one.git("commit", "-qam", "point elsewhere");
  expect((await one.run()).code).not.toBe(0);
  expect(existsSync(changed)).toBe(false);
  expect(await json(one, "status")).toMatchObject({ hivemind: null });
  await one.answer("trust", "approve", "--yes");
  expect((await one.run()).code).toBe(0);
  expect(existsSync(changed)).toBe(true);
});

test("HIVE-6 HIVE-2: a person approves a foreign record, shares a learning and takes it back", async () => {
  const first = await solvedLedger();
  const stored = (await json(
    first,
    "memory",
    "store",
    "Amounts of the ledger export are in cents",
    "--tags",
    "money",
  )) as {
    id: string;
  };
  expect(await json(first, "memory", "share", stored.id)).toMatchObject({
    success: true,
    content: expect.any(String),
  });
  expect((await records()).map(({ content }) => content)).toContain(
    "Amounts of the ledger export are in cents",
  );
  expect(await json(first, "memory", "unshare", stored.id)).toMatchObject({ success: true, wasShared: true });
  expect((await records()).map(({ content }) => content)).not.toContain(
    "Amounts of the ledger export are in cents",
  );
  expect((await first.answer("memory", "share", "l-000000")).stderr).toContain("unknown learning l-000000");

  const second = await project("invoices");
  const [success] = (await records()).filter(({ type }) => type === "success");
  const id = success?.["id"] ?? "";
  const asked = async (): Promise<string> => {
    const { prompt: text } = (await json(second, "context", "t-1")) as { prompt: string };
    return text;
  };
  expect(await asked()).toMatch(
    new RegExp(`${id}, from project ledger, today, not confirmed in this project`),
  );
  expect(await json(second, "memory", "approve", id)).toEqual({ success: true, ids: [id] });
  expect(await asked()).toMatch(new RegExp(`${id}, from project ledger, today\\)`));
  expect((await second.answer("memory", "approve", "h-000000000000")).code).not.toBe(0);

  const { run } = (await json(first, "status")) as { run: { id: string } };
  await first.answer("memory", "purge", "--run", run.id, "--yes");
  expect(await records()).toEqual([]);
});

test("HIVE-2 TRUST-1: no path, host name, e-mail address or secret of a project is in the file of the hivemind", async () => {
  const code = (chars: number): string => randomBytes(chars).toString("hex").slice(0, chars);
  const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const forms = [
    () => `ghp_${code(36)}`,
    () => `sk-ant-api03-${code(80)}`,
    () => `glpat-${code(20)}`,
    () => `npm_${code(36)}`,
    () => `AKIA${[...randomBytes(16)].map((byte) => base32[byte % 32]).join("")}`,
  ];
  const secrets = Array.from({ length: 60 }, (_, n) => forms[n % forms.length]?.() ?? "");
  const ids = Array.from({ length: 3 }, (_, n) => `t-${n + 1}`);
  const one = await project("ledger");
  const mail = one.git("config", "user.email");
  const places = `in ${one.dir}/src/dates.ts, file://${one.dir}/a, ${one.home}/notes, mail ${mail}, host ${hostname()}, wiki.corp.internal`;
  const words = (n: number): string => `${secrets.slice(n * 10, n * 10 + 10).join(" ")} ${places}`;
  one.git("remote", "set-url", "origin", "git@git.corp.example:me/ledger.git");
  const steps = (id: string, n: number): readonly object[] => [
    { write: { "src/dates.ts": `BROKEN ${words(2 * n)}\n` } },
    { write: { "src/dates.ts": `fixed ${id}\n` }, say: `${words(2 * n + 1)}\n<task-done>${id}</task-done>` },
  ];
  one.setScript(Object.fromEntries(ids.map((id, n) => [id, steps(id, n)])));
  one.write("check.sh", checkScript.replace('echo "src', 'cat dates.ts; echo "src'));
  one.write("src/dates.ts", "start\n");
  one.git("add", "src/dates.ts");
  one.git("commit", "-qam", "show what is broken");
  await one.addTasks(
    ids.slice(1).map((id) => ({ id, title: `${title} of ${mail} on ${hostname()} in ${one.dir}` })),
  );
  expect((await one.run()).code).toBe(0);
  expect(await records()).toHaveLength(6);
  const bytes = ["", "-wal"]
    .filter((end) => existsSync(file() + end))
    .map((end) => readFileSync(file() + end, "latin1"))
    .join("");
  const kept = [one.dir, one.home, mail, "git.corp.example", "wiki.corp.internal", ...secrets];
  // In lower case: the search index stores words so.
  expect(kept.filter((text) => bytes.toLowerCase().includes(text.toLowerCase()))).toEqual([]);
  // A short name may be a part of other words.
  const host = new RegExp(`(?<![\\w-])${hostname()}(?![\\w-])`, "i");
  for (const row of await records()) expect(JSON.stringify(row)).not.toMatch(host);
});
