import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "./practice.ts";

let project: Practice | undefined;
afterEach(() => project?.remove());

const lesson = "The greeting must end with a dot, or the release check refuses it.";

/** Not by this process: it would keep the file open, and a repair waits for all who do. */
const writeStore = resolve(import.meta.dirname, "../fakes/write-store.mjs");

interface Found {
  readonly results: readonly { readonly memory: { readonly lesson: string } }[];
}

const found = async (made: Practice, words: string): Promise<readonly string[]> =>
  ((await made.json("memory", "find", words)) as Found).results.map(({ memory }) => memory.lesson);

const indexCheck = async (made: Practice, ...flags: string[]): Promise<unknown> =>
  ((await made.json("doctor", ...flags)) as readonly { readonly check: string }[]).find(
    ({ check }) => check === "memory index",
  );

test("LEARN-4, UX-1: doctor tells of a search index that lacks something, and --repair builds it anew", async () => {
  const made = practice();
  project = made;
  await made.json("memory", "store", lesson);
  await made.json("memory", "store", "Queues are drained before the mailer restarts.");
  const sql = "DELETE FROM retrieval_documents WHERE number % 2 = 0";
  execFileSync(process.execPath, [writeStore, sql], { cwd: made.dir });
  const broken = { status: "fail", hint: expect.stringContaining("ralph doctor --repair") };
  expect(await indexCheck(made)).toMatchObject(broken);
  const { stdout } = await made.ralph("doctor", "--repair");
  expect(stdout).toContain("rebuilt the memory index: 2 learnings");
  expect(await indexCheck(made)).toMatchObject({ status: "ok" });
  expect(await found(made, "greeting dot")).toEqual([lesson]);
});
