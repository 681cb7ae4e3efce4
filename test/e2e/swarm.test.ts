import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Practice, practice, verify } from "./practice.ts";

/** The folder of two projects' data, with a program `swarm` for PATH. */
let data = "";
let made: Practice[] = [];

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "ralph-swarm-"));
  mkdirSync(join(data, "bin"));
  install();
});
afterEach(() => {
  for (const one of made) one.remove();
  made = [];
  rmSync(data, { recursive: true, force: true });
});

const program = (): string => join(data, "bin/swarm");
function install(): void {
  copyFileSync(resolve(import.meta.dirname, "../fakes/swarm.sh"), program());
  chmodSync(program(), 0o755);
}

const folder = (): string => join(data, "ralph/swarm");
const title = "Convert the dates of the ledger export into numbers";
const check = `grep -q BROKEN src/* 2>/dev/null || exit 0
echo "src/dates.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'."
exit 2
`;
const failsOnce = {
  prompts: "../prompts",
  "*": [
    { write: { "src/dates.ts": "BROKEN {id}\n" } },
    {
      write: { "src/dates.ts": "fixed {id}\n" },
      say: "Use `$(touch pwned)` and; a parser.\n<task-done>{id}</task-done>",
    },
  ],
};

async function project(name: string, config = "hivemind: { store: swarm }\n"): Promise<Practice> {
  const PATH = `${join(data, "bin")}:${process.env["PATH"]}`;
  const one = practice({ "check.sh": check }, { XDG_DATA_HOME: data, PATH });
  made.push(one);
  one.git("remote", "add", "origin", `git@github.com:me/${name}.git`);
  await one.useWorker(failsOnce, `${verify}${config}`);
  await one.addTasks([title]);
  return one;
}

interface Memory {
  readonly id: string;
  readonly content: string;
  readonly metadata: { readonly tags: readonly string[] };
}

const linesOf = (name: string): readonly unknown[] =>
  readFileSync(join(folder(), name), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
/** By tags: what two short attempts left is delivered at once, the newest first. */
const memories = () =>
  (linesOf("memories.jsonl") as readonly Memory[]).toSorted((a, b) =>
    `${a.metadata.tags}` < `${b.metadata.tags}` ? -1 : 1,
  );
const calls = () => linesOf("calls.jsonl") as readonly (readonly string[])[];
const prompt = (of: Practice, attempt: number): string => of.read(`../prompts/t-1-${attempt}.txt`);

test("HIVE-3: the program swarm keeps what projects share, and is called without a shell", async () => {
  const first = await project("ledger");
  expect((await first.run()).code).toBe(0);
  expect(memories().map(({ metadata }) => metadata.tags)).toEqual([
    ["ralph", "failure", "type_error", "ledger"],
    ["ralph", "learning", "ledger"],
  ]);
  const success = memories()[1];
  expect(success?.content).toMatch(
    new RegExp(`^Ralph completed: ${title}\\. Files: src/dates\\.ts\\. Summary: `),
  );
  expect(success?.content).toContain("`$(touch pwned)` and; a parser.");
  expect(existsSync(join(folder(), "pwned"))).toBe(false);
  const tags = ["--tags", "ralph,failure,type_error,ledger", "--json"];
  expect(calls()).toContainEqual(["memory", "store", memories()[0]?.content, ...tags]);
  expect(existsSync(join(data, "ralph/hivemind.db"))).toBe(false);

  const second = await project("invoices");
  expect((await second.run()).code).toBe(0);
  expect(prompt(second, 1)).toContain("\n## Prior Learnings (from hivemind)");
  expect(prompt(second, 1)).toContain(
    `(${success?.id}, from project ledger, today, not confirmed in this project)`,
  );
  expect(prompt(second, 2)).not.toContain("from project invoices");
  const status = (await second.json("status")) as { hivemind: Record<string, unknown> };
  expect(status.hivemind).toMatchObject({
    store: "swarm",
    shared: 2,
    pending: 0,
    problem: null,
    error: null,
  });
  expect((await second.ralph("status", "--all")).stdout).toContain("hivemind kept by swarm");
  expect(await second.json("memory", "get", "mem-0000000000000002")).toMatchObject({
    memory: { mark: "confirmed" },
  });

  // The records of a run leave with it, by the ids that swarm gave them, with the next delivery.
  const { run } = (await first.json("status")) as { run: { id: string } };
  await first.ralph("memory", "purge", "--run", run.id, "--yes");
  await first.addTasks([{ id: "t-2", title: "Something else" }]);
  await first.run();
  expect(
    memories().filter(({ content }) => content.includes(`: ${title}.`) && content.includes("ledger")),
  ).toHaveLength(2);
  expect(memories().map(({ id }) => id)).not.toContain("mem-0000000000000001");
}, 120_000);

test("HIVE-5 HIVE-3: the memory commands act on what swarm keeps", async () => {
  const one = await project("ledger");
  const store = async (text: string): Promise<string> =>
    (
      (await one.json(
        "memory",
        "store",
        text,
        "--tags",
        "ralph,learning,http",
        "--collection",
        "hivemind",
      )) as Memory
    ).id;
  const id = await store("Retry the upload after 429");
  expect(id).toMatch(/^mem-\d{16}$/);
  const dashed = `mem-${"2".padStart(16, "0")}`;
  const words = [
    "--collection",
    "hivemind",
    "--tags",
    "ralph,learning,http",
    "--",
    "--json is no option here",
  ];
  expect((await one.ralph("memory", "store", ...words)).code).toBe(0);
  expect(memories().map(({ content }) => content.trim())).toEqual([
    "Retry the upload after 429",
    "--json is no option here",
  ]);
  const find = async (...words: string[]): Promise<readonly string[]> => {
    const { results } = (await one.json("memory", "find", ...words)) as { results: { memory: Memory }[] };
    return results.map(({ memory }) => memory.id);
  };
  expect((await find("upload 429", "--collection", "hivemind"))[0]).toBe(id);
  expect(await find("learning,http", "--collection", "hivemind")).toEqual([id, dashed]);
  expect(
    await find("learning,nothing-like-it-anywhere", "--collection", "hivemind", "--limit", "1"),
  ).toHaveLength(1);
  // In a project, weak matches of other programs' memory are left out.
  expect(await find("upload after 429")).toEqual([id]);
  expect(await find("zebra")).toEqual([]);
  expect(await one.json("memory", "validate", id)).toMatchObject({ success: true });
  expect(await one.json("memory", "stats", "--collection", "hivemind")).toMatchObject({
    stats: { memories: 2 },
  });
  expect(await one.json("memory", "remove", id)).toEqual({ success: true, id, removed: true });
  expect(memories()).toHaveLength(1);
  expect(await one.json("memory", "get", id)).toMatchObject({ success: false, code: "RALPH_MEMORY_UNKNOWN" });
  const { id: learning } = (await one.json("memory", "store", "Amounts are in cents everywhere")) as Memory;
  await one.ralph("memory", "share", learning);
  expect(memories().map(({ content }) => content)).toContain("Amounts are in cents everywhere");
  expect(await one.json("memory", "unshare", learning)).toMatchObject({ wasShared: true });
  expect(memories().map(({ content }) => content)).not.toContain("Amounts are in cents everywhere");
}, 120_000);

test("HIVE-4 HIVE-3: a swarm that hangs delays no prompt by more than two seconds, and is skipped", async () => {
  const one = await project("ledger");
  mkdirSync(folder(), { recursive: true });
  writeFileSync(join(folder(), "hang"), "");
  const { code, events } = await one.run();
  expect(code).toBe(0);
  const failures = events.filter(({ type, kind }) => type === "memory.failed" && kind === "hivemind");
  expect(failures[0]?.["error"]).toMatch(/swarm is not available: it did not answer within 15 s/);
  const [started] = events.filter(({ type }) => type === "iteration.started");
  const [run] = events.filter(({ type }) => type === "run.started");
  expect(Date.parse(`${started?.["timestamp"]}`) - Date.parse(`${run?.["timestamp"]}`)).toBeLessThan(6000);
  const status = (await one.json("status")) as { hivemind: Record<string, unknown> };
  expect(status.hivemind).toMatchObject({
    pending: 2,
    error: expect.stringContaining("did not answer within 15 s"),
  });
  expect(calls().length).toBeLessThanOrEqual(3);
});

test("HIVE-3 TRUST-5: a project's own file makes ralph run swarm only after approval", async () => {
  const one = await project("ledger", "");
  one.write(".ralph/config.yaml", `${one.read(".ralph/config.yaml")}hivemind: { store: swarm }\n`);
  one.git("add", "-A");
  one.git("commit", "-qm", "use swarm");
  expect((await one.ralph("trust", "show")).stdout).toMatch(/hivemind\.store +swarm memory/);
  expect((await one.run()).code).not.toBe(0);
  expect((await one.ralph("memory", "find", "x", "--collection", "hivemind")).stderr).toContain(
    "not approved",
  );
  expect(existsSync(join(folder(), "calls.jsonl"))).toBe(false);
});
