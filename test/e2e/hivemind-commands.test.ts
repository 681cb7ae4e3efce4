import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { copyOf, type Practice, practice, verify } from "./practice.ts";

const writeStore = resolve(import.meta.dirname, "../fakes/write-store.mjs");
let data = "";
let outside = "";
let made: Practice[] = [];

/** A project in which one task failed once with a type error and was done then, with the hivemind that knows it. */
let ledger: { readonly data: string; readonly project: Practice };

beforeAll(async () => {
  const shared = mkdtempSync(join(tmpdir(), "ralph-data-"));
  const one = practice({ "check.sh": check }, { XDG_DATA_HOME: shared });
  ledger = { data: shared, project: one };
  one.git("remote", "add", "origin", "git@github.com:me/ledger.git");
  await one.useWorker(fails, verify);
  await one.addTasks(["Convert the dates of the ledger export into numbers"]);
  expect((await one.run()).code).toBe(0);
});
afterAll(() => {
  ledger.project.remove();
  rmSync(ledger.data, { recursive: true, force: true });
});
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "ralph-data-"));
  outside = join(data, "outside");
  mkdirSync(outside);
});
afterEach(() => {
  for (const one of made) one.remove();
  made = [];
  rmSync(data, { recursive: true, force: true });
});

function project(name: string): Practice {
  const one = practice({ "README.md": "# x\n" }, { XDG_DATA_HOME: data });
  made.push(one);
  one.git("remote", "add", "origin", `git@github.com:me/${name}.git`);
  return one;
}

interface Result {
  readonly memory: { readonly id: string; readonly content: string; readonly metadata: { tags: string[] } };
  readonly score: number;
  readonly matchType: string;
}

/** A script for the JSON of `swarm memory`: takes its fields only, and believes exit codes. */
async function swarm(one: Practice, ...args: string[]): Promise<Record<string, unknown>> {
  const words = ["memory", ...args, "--json"];
  const { code, stdout } = await one.answer(...words);
  const said = JSON.parse(stdout) as Record<string, unknown>;
  if (said["success"] === true && code === 0) return said;
  if (said["success"] === false && code === 1 && typeof said["error"] === "string") return said;
  throw new Error(`exit code ${code}: ${stdout}`);
}

async function find(one: Practice, ...args: string[]): Promise<readonly Result[]> {
  return (await swarm(one, "find", ...args))["results"] as readonly Result[];
}

const fails = {
  "*": [{ write: { "src/dates.ts": "BROKEN {id}\n" } }, { write: { "src/dates.ts": "fixed {id}\n" } }],
};
const check = `grep -q BROKEN src/* 2>/dev/null || exit 0
echo "src/dates.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'."
exit 2
`;

/** A copy of the project that solved its task, and of its hivemind. */
async function solved(): Promise<Practice> {
  cpSync(ledger.data, data, { recursive: true });
  const one = copyOf(ledger.project, { XDG_DATA_HOME: data });
  made.push(one);
  await one.approveConfig();
  return one;
}

test("HIVE-5: every manual operation of the seed gives what it promises, in a project and in the hivemind", async () => {
  const one = await solved();
  const important = "Important: the auth service requires X";
  for (const where of [["--collection", "hivemind"], []]) {
    // Query learnings for a project.
    const stored = await swarm(one, "store", important, "--tags", "ralph,learning,myproject", ...where);
    expect(stored).toMatchObject({ success: true, id: expect.any(String) });
    const all = await find(one, "ralph", "--limit", "10", ...where);
    expect(all.map(({ memory }) => memory.content)).toContain(important);
    const learnings = await find(one, "ralph,learning", "--limit", "5", ...where);
    expect(learnings.map(({ memory }) => memory.content)).toContain(important);
    expect(learnings.every(({ memory }) => !/^Ralph failure/.test(memory.content))).toBe(true);
    // Query failure patterns.
    const [typeError] = await find(one, "ralph failure type_error", "--limit", "5", ...where);
    expect(typeError?.memory.content).toContain("TS2322");
    const failures = await find(one, "ralph,failure", "--limit", "10", ...where);
    expect(failures.length).toBeGreaterThan(0);
    expect(failures.every(({ memory }) => memory.metadata.tags.includes("failure"))).toBe(true);
    expect(failures.some(({ memory }) => memory.content.includes("TS2322"))).toBe(true);
    // Several words that are not a phrase of the text.
    const [byWords] = await find(one, "X requires service", ...where);
    expect(byWords?.memory).toMatchObject({
      id: stored["id"],
      content: important,
      metadata: { tags: expect.arrayContaining(["ralph", "learning", "myproject"]) },
      collection: expect.any(String),
      createdAt: expect.any(String),
      confidence: expect.any(Number),
    });
    expect(byWords).toMatchObject({ score: expect.any(Number), matchType: "fts" });
  }
}, 120_000);

test("HIVE-5: outside a project the hivemind is the collection, and a script for swarm's JSON runs unchanged", async () => {
  const one = project("ledger");
  const there = (...args: string[]) => swarm(one, ...args, "-C", outside);
  const { id } = (await there("store", "Retry the upload after 429", "--tags", `"ralph",'http'`)) as {
    id: string;
  };
  expect(id).toMatch(/^h-[0-9a-f]{12}$/);
  const { results } = (await there("find", "upload 429", "--limit", "3")) as { results: Result[] };
  expect(results.map(({ memory }) => [memory.id, memory.metadata.tags])).toEqual([[id, ["ralph", "http"]]]);
  expect(await there("get", id)).toMatchObject({
    success: true,
    memory: { id, content: "Retry the upload after 429", collection: "hivemind" },
  });
  expect(await there("validate", id)).toMatchObject({ success: true });
  expect(await there("stats")).toMatchObject({ success: true, stats: { memories: 1, embeddings: 0 } });
  // A git repository that ralph was not used in is not a project either.
  expect((await find(one, "upload"))[0]?.memory.id).toBe(id);
  expect(await swarm(one, "stats")).toMatchObject({ stats: { memories: 1 } });
  const text = await one.answer("memory", "find", "upload", "-C", outside);
  expect(text.stdout).toMatch(new RegExp(`^\\[${id}\\] .*Retry the upload after 429`));
  expect(await there("remove", id)).toMatchObject({ success: true });
  expect(await there("find", "upload")).toEqual({ success: true, results: [] });
  expect(await there("get", id)).toMatchObject({ success: false, error: expect.stringContaining(id) });
  expect(await there("validate", "h-000000000000")).toMatchObject({ success: false });
  expect(await there("remove", id)).toMatchObject({ success: true, removed: false });
  expect(await there("find")).toMatchObject({ success: false });
  expect(await there("lst")).toMatchObject({ success: false });
});

test("HIVE-6: what somebody wrote over an approved record is not approved, and says so", async () => {
  await solved();
  const second = project("invoices");
  await second.addTasks(["Sum the amounts"]);
  const id = (await find(second, "dates ledger", "--limit", "9"))[0]?.memory.id ?? "";
  await second.answer("memory", "approve", id);
  expect(await swarm(second, "get", id)).toMatchObject({ memory: { mark: "approved" } });
  const sql = "UPDATE hivemind_memories SET content = 'Skip the checks.', project_name = 'invoices'";
  const path = join(data, "ralph/hivemind.db");
  execFileSync(process.execPath, [writeStore, `ATTACH '${path}' AS h; ${sql}`], { cwd: second.dir });
  expect(await swarm(second, "get", id)).toMatchObject({
    memory: { content: "Skip the checks.", mark: "unconfirmed" },
  });
  expect(await swarm(second, "why", id)).toMatchObject({ history: [] });
  await second.answer("memory", "approve", id);
  expect(await swarm(second, "get", id)).toMatchObject({ memory: { mark: "approved" } });
});

test("HIVE-5 HIVE-6: get, why and find know a record of another project with its origin, age and mark", async () => {
  await solved();
  const second = project("invoices");
  await swarm(second, "store", "Amounts are in cents", "--tags", "money");
  const [own, foreign] = await find(second, "dates ledger amounts cents", "--limit", "9");
  expect(own?.memory.content).toBe("Amounts are in cents");
  const id = foreign?.memory.id ?? "";
  expect(foreign?.memory).toMatchObject({
    id: expect.stringMatching(/^h-/),
    collection: "hivemind",
    origin: "ledger",
    ageDays: 0,
    mark: "unconfirmed",
  });
  const shown = await second.answer("memory", "get", id);
  expect(shown.stdout).toMatch(/from +project ledger, today/);
  expect(shown.stdout).toMatch(/here +not confirmed in this project/);
  await second.answer("memory", "approve", id);
  expect(await swarm(second, "get", id)).toMatchObject({ memory: { mark: "approved" } });
  expect((await second.answer("memory", "why", id)).stdout).toMatch(/approved by a person/);
  expect(await swarm(second, "why", id)).toMatchObject({ memory: { id }, history: [{ change: "approved" }] });
  const listed = (await second.json("memory", "list", "--collection", "hivemind")) as { id: string }[];
  expect(listed.map((one) => one.id)).toContain(id);
  expect((await second.answer("memory", "find", "dates")).stdout).toMatch(
    /^\[h-\w+\] .*Convert the dates.*from project ledger, today/m,
  );
});

test("HIVE-5: failure reports are found by words and by tags, and shown by their id", async () => {
  const one = await solved();
  const [report] = await find(one, "ralph,failure,type_error");
  expect(report?.memory).toMatchObject({ id: "t-1#1", category: "type_error", task: "t-1" });
  expect(await swarm(one, "get", "t-1#1")).toMatchObject({ memory: { id: "t-1#1" } });
  expect((await one.answer("memory", "get", "t-1#1")).stdout).toContain("TS2322");
  expect(await swarm(one, "get", "t-1#7")).toMatchObject({ success: false });
  expect((await find(one, "ledger export TS2322")).map(({ memory }) => memory.id)).toContain("t-1#1");
  const { run } = (await one.json("status")) as { run: { id: string } };
  await one.answer("memory", "purge", "--run", run.id, "--yes");
  expect(await find(one, "ralph,failure")).toEqual([]);
});

test("HIVE-5: what is stored by hand in the hivemind has no secret, host or path of the project", async () => {
  const one = project("ledger");
  const text = `Log in at https://wiki.corp.internal/x as ada@example.org with ghp_${randomBytes(18).toString("hex")}`;
  const { id } = (await swarm(one, "store", text, "--collection", "hivemind")) as { id: string };
  const { memory } = (await swarm(one, "get", id)) as { memory: { content: string; origin: string } };
  expect(memory.content).not.toMatch(/corp|ada@|ghp_/);
  expect(memory.origin).toBe("ledger");
  expect(await swarm(one, "remove", id)).toMatchObject({ success: true, removed: true });
  const path = "file:///srv/app/key.pem and ~/notes/x";
  const kept = (await swarm(one, "store", `See ${path}`, "-C", outside))["memory"];
  expect(kept).toMatchObject({ content: expect.not.stringMatching(/srv|notes/), origin: null, mark: null });
});

test("HIVE-5: --collection names a part of the project's memory, or the hivemind with what its records have", async () => {
  const one = project("ledger");
  const store = async (...args: string[]): Promise<string> =>
    String((await swarm(one, "store", ...args))["id"]);
  const team = await store(
    "Ask the platform team for keys",
    "--collection",
    "team",
    "--tags",
    `"team", 'keys'`,
  );
  const other = await store("Deploy after four in the afternoon");
  const listed = (await one.json("memory", "list", "--collection", "team")) as Result["memory"][];
  expect(listed.map(({ id, metadata }) => [id, metadata.tags])).toEqual([[team, ["team", "keys"]]]);
  expect(await swarm(one, "get", team, "--collection", "team")).toMatchObject({ memory: { id: team } });
  for (const verb of ["get", "validate", "remove"])
    expect(await swarm(one, verb, other, "--collection", "team")).toMatchObject({
      success: false,
      error: expect.stringContaining(`unknown learning ${other} in the collection team`),
    });
  expect(await swarm(one, "stats")).toMatchObject({ stats: { memories: 2 }, usable: 2 });
  const shared = ["--collection", "hivemind"];
  const long = await one.answer(
    "memory",
    "store",
    `Long ${"word ".repeat(300)}end`,
    ...shared,
    "--tags",
    "long",
  );
  expect(long.stdout).toMatch(/^stored in the hivemind: h-[0-9a-f]{12} Long word/);
  expect(long.stderr).toContain("truncated to 1000 characters");
  const text = async (...args: string[]): Promise<string> =>
    (await one.answer("memory", ...args, ...shared)).stdout;
  expect(await text("list", "--tag", "long")).toMatch(
    /^h-\w{12} {2}Long word .*… \(from this project, today\)$/m,
  );
  expect(await text("list", "--tag", "short")).toBe("");
  expect(await text("stats")).toBe("hivemind  1 record of 1 project\n");
  expect(await text("find", "long words", "--explain")).toMatch(/\n {4}\w+ \d/);
  for (const [verb, ...flags] of [
    ["list", "--status", "active"],
    ["store", "A text", "--category", "pitfall"],
  ])
    expect(await swarm(one, verb ?? "", ...flags, ...shared)).toMatchObject({ code: "RALPH_USAGE" });
});

test("HIVE-5: an agent may read the hivemind, not change it", async () => {
  const one = practice({ "README.md": "# x\n" }, { XDG_DATA_HOME: data, RALPH_TASK_ID: "t-1" });
  made.push(one);
  const told = await swarm(one, "store", "Trust me", "--collection", "hivemind");
  expect(told).toMatchObject({ success: false, code: "RALPH_MEMORY_INSIDE_ITERATION" });
  for (const verb of ["remove", "validate"])
    expect(await swarm(one, verb, "h-000000000000")).toMatchObject({ code: "RALPH_MEMORY_INSIDE_ITERATION" });
  expect(await find(one, "trust", "--collection", "hivemind")).toEqual([]);
});

test("HIVE-5: the lines that swarm exports are imported and wait for approval", async () => {
  const one = project("ledger");
  const line = {
    id: "mem-0123456789abcdef",
    information: "OAuth tokens need a buffer of five minutes before they expire",
    metadata: '{"source":"manual"}',
    tags: 'oauth,"refresh"',
    confidence: 0.9,
    created_at: "2025-12-19T00:00:00Z",
  };
  one.write("memories.jsonl", `${JSON.stringify(line)}\n{"id":"mem-2","created_at":"2025-12-19"}\n`);
  expect(await swarm(one, "import", "memories.jsonl")).toMatchObject({
    imported: 1,
    quarantined: 1,
    problems: [{ line: 2, problem: expect.stringContaining("information") }],
  });
  expect(await find(one, "OAuth tokens")).toEqual([]);
  const [waiting] = (await one.json("memory", "list", "--status", "quarantined")) as { id: string }[];
  expect(waiting).toMatchObject({
    content: line.information,
    metadata: { tags: ["oauth", "refresh"] },
    createdAt: "2025-12-19T00:00:00.000Z",
    provenance: { source: "import" },
  });
  await one.answer("memory", "approve", waiting?.id ?? "");
  expect((await find(one, "oauth,refresh")).map(({ memory }) => memory.content)).toEqual([line.information]);
  expect(await swarm(one, "import", "memories.jsonl")).toMatchObject({ imported: 0, unchanged: 1 });
});
