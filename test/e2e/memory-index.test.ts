import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { copyOf, type Practice, practice } from "./practice.ts";

let project: Practice | undefined;
let original: Practice;

beforeAll(async () => {
  original = practice();
  await original.json("memory", "store", lesson);
  await original.json("memory", "store", "Queues are drained before the mailer restarts.");
  spoilCopies();
});
afterEach(() => project?.remove());
afterAll(() => {
  for (const made of [original, ...copies.values()]) made?.remove();
});

const lesson = "The greeting must end with a dot, or the release check refuses it.";

const emptied = ["DELETE FROM retrieval_documents WHERE number % 2 = 0", "DELETE FROM retrieval_shelves"];

/** Projects with two learnings, by the statements that were executed in their stores. */
const copies = new Map<string, Practice>();

/** Not by this process: it would keep the files open, and a repair waits for all who do. */
function spoilCopies(): void {
  for (const sql of emptied) copies.set(sql, copyOf(original));
  const work = [...copies].map(([sql, made]) => [join(made.dir, ".ralph", "progress.db"), sql]);
  const script = `import { DatabaseSync } from "@photostructure/sqlite";
    for (const [path, sql] of ${JSON.stringify(work)}) new DatabaseSync(path).exec(sql);`;
  execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: import.meta.dirname });
}

function spoiled(sql: string): Practice {
  const made = copies.get(sql);
  if (!made) throw new Error(`no copy is spoiled by ${sql}`);
  // A second try of a test gets the spoiled store again.
  project = copyOf(made);
  return project;
}

interface Found {
  readonly results: readonly { readonly memory: { readonly lesson: string } }[];
}

const found = async (made: Practice, words: string): Promise<readonly string[]> =>
  ((await made.json("memory", "find", words)) as Found).results.map(({ memory }) => memory.lesson);

const indexCheck = async (made: Practice, ...flags: string[]): Promise<unknown> =>
  ((await made.json("doctor", ...flags)) as readonly { readonly check: string }[]).find(
    ({ check }) => check === "memory index",
  );

test.each(variants(emptied, 1))(
  "LEARN-4: what was emptied or thinned out (%s) is built anew before it is searched",
  async (statement) => {
    const made = spoiled(statement);
    expect([await found(made, "greeting"), await found(made, "mailer")]).toEqual([
      [lesson],
      [expect.stringContaining("Queues")],
    ]);
    expect(await indexCheck(made)).toMatchObject({ status: "ok" });
  },
);

test("LEARN-4, UX-1: doctor tells of a search index that lacks something, and --repair builds it anew", async () => {
  const made = spoiled(emptied[0] ?? "");
  const broken = { status: "fail", hint: expect.stringContaining("ralph doctor --repair") };
  expect(await indexCheck(made)).toMatchObject(broken);
  const { stdout } = await made.ralph("doctor", "--repair");
  expect(stdout).toContain("rebuilt the memory index: 2 learnings");
  expect(await indexCheck(made)).toMatchObject({ status: "ok" });
  expect(await found(made, "greeting dot")).toEqual([lesson]);
});
