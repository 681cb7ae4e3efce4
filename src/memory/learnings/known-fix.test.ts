import { beforeEach, expect, test } from "vitest";
import { memorySetup } from "../../../test/memory-setup.ts";
import { learnt, passed, sampleOutcome, saying } from "../../../test/sample-outcome.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import { safe } from "../../base/safe-text.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import { recordOutcome } from "../../outcome/outcome-store.ts";
import type { Db } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { createTask, requireTask } from "../../tasks/graph/task-store.ts";
import { openMemory } from "../memory.ts";
import type { Memory } from "../port/memory.ts";
import type { MemoryItem } from "../port/memory-kind.ts";
import { isSummary, type Learning } from "./store/learning.ts";
import { listLearnings } from "./store/read-learnings.ts";

const now = memorySetup.now();
let db: Db;
let memory: Memory;

beforeEach(async () => {
  db = await openTempStore();
  memory = openMemory({ ...memorySetup, db });
  await task("t-1", "Parse ISO dates in the importer");
});

const task = (id: string, title: string): Promise<Task> =>
  db.transaction((tx) => createTask(tx, { id, title }, now));

/** The files that a passing attempt changed, as git names them. */
const work = {
  ...sampleOutcome().work,
  hunks: ["src/loader.ts:12 function load(): +return parse(text) as Config;"],
};

const capture = (outcome: Outcome): Promise<void> =>
  db.transaction(async (tx) => {
    await recordOutcome(tx, outcome);
    await memory.capture(tx, outcome, now);
  });

/** Without what verified attempts said beside it. */
const all = async (): Promise<readonly Learning[]> =>
  (await listLearnings(db)).filter((learning) => !isSummary(learning));

/** The learnings that an attempt at the task is told. */
async function told(id: string, attempt = 1): Promise<readonly MemoryItem[]> {
  const place = { runId: "run-2", iteration: 1, seed: "seed-1" };
  const task = await requireTask(db, id);
  const recalled = await memory.recall({ task, attempt, ...place });
  return recalled.find(({ section }) => section === "learnings")?.items ?? [];
}

test("FAIL-5: what ended an error is told first where another task fails with the same", async () => {
  const signature = safe`type_error:abc`;
  for (let n = 0; n < 8; n += 1) {
    const text = `Lexer of the tokens stage ${n} must keep offsets when it splits them.`;
    await capture(
      sampleOutcome({ attempt: n + 1, signature: safe`other`, claims: saying({ memory: learnt(text) }) }),
    );
  }
  await task("t-2", "Rename the config loader");
  await capture(sampleOutcome({ taskId: "t-2", signature }));
  const message = "I cast the loader's result where it is read.\n\n<task-done>t-2</task-done>";
  await capture(sampleOutcome({ taskId: "t-2", attempt: 2, ...passed, finalMessage: message, work }));
  const fix = (await all()).find(({ fixes }) => fixes.includes(signature));
  expect(fix?.lesson).toBe(
    "Fix for `src/a.ts(3,1): error TS2322: Type 'string' is not assignable to type 'number'.`: I cast the loader's result where it is read.",
  );
  expect(fix?.detail).toContain(
    "changed:\n- src/loader.ts:12 function load(): +return parse(text) as Config;",
  );
  await task("t-3", "Lexer tokens stage must keep offsets");
  expect((await told("t-3"))[0]?.id).not.toBe(fix?.id);
  await capture(sampleOutcome({ taskId: "t-3", signature, errorExcerpt: "unlike words" }));
  const [first, second] = await told("t-3", 2);
  expect(first?.id).toBe(fix?.id);
  expect(first?.reason).toContain("known fix");
  expect(first?.short).toContain("ended the error of your last attempt");
  expect(first?.score).toBeGreaterThan(second?.score ?? 0);
});

test("FAIL-5: one fix for one error, none where the agent said what it learned, and no empty phrase", async () => {
  const signature = safe`type_error:abc`;
  const taught = "Row writers end with 'finish', never with 'close'.";
  const overcome = async (id: string, more: Partial<Outcome>): Promise<void> => {
    await capture(sampleOutcome({ taskId: id, signature }));
    await capture(sampleOutcome({ taskId: id, attempt: 2, ...passed, ...more }));
  };
  const lessons = async (): Promise<readonly string[]> => (await all()).map(({ lesson }) => lesson);
  await overcome("t-1", { finalMessage: "It works.", claims: saying({ memory: learnt(taught) }) });
  expect(await lessons()).toEqual([taught]);
  expect((await all())[0]?.fixes).toEqual([signature]);
  await task("t-2", "Another task");
  await overcome("t-2", { finalMessage: "It works." });
  expect(await lessons()).toEqual([taught]);
  await task("t-3", "A third task");
  await capture(sampleOutcome({ taskId: "t-3", signature: safe`type_error:new` }));
  await capture(sampleOutcome({ taskId: "t-3", attempt: 2, ...passed, finalMessage: "It works.", work }));
  expect((await lessons()).find((lesson) => lesson !== taught)).toMatch(
    /^Fix for `.*`: changed src\/loader\.ts:12 function load\(\): /,
  );
});

test("FAIL-5 LEARN-10: an agent that repeats a lesson of its prompt links it to the error; no fix is made up", async () => {
  const taught = "Row writers end with 'finish', never with 'close'.";
  await capture(sampleOutcome({ claims: saying({ memory: learnt(taught) }) }));
  const [lesson] = await all();
  const overcome = async (taskId: "t-2" | "t-3", said: string): Promise<void> => {
    const signature = safe`type_error:${taskId}`;
    await task(taskId, "Another task");
    await capture(sampleOutcome({ taskId, signature }));
    const start = { iterationId: `i-${taskId}`, runId: "run-1", taskId, attempt: 2, model: "m" };
    const items = [{ section: "learnings", id: `${lesson?.id}`, score: 1 }];
    const shown = {
      ...start,
      prompt: `Hints: run the linter before the tests.\n- ${taught}`,
      items,
      withheld: [],
    };
    await db.transaction((tx) => memory.recordShown(tx, shown, now));
    const claims = saying({ memory: learnt(said) });
    await capture(sampleOutcome({ ...start, ...passed, finalMessage: "It works.", claims }));
  };
  await overcome("t-2", taught);
  await overcome("t-3", "Run the linter before the tests.");
  expect((await all()).map(({ lesson, fixes, timesSeen }) => [lesson, fixes, timesSeen])).toEqual([
    [taught, ["type_error:t-2"], 1],
  ]);
});

test("FAIL-5: what an agent said when it gave up is no error that a fix could be known for", async () => {
  const said = { verification: null, errorExcerpt: "I tried it, and it is hard.", signature: "unknown:said" };
  await capture(sampleOutcome(said as Partial<Outcome>));
  await capture(sampleOutcome({ attempt: 2, ...passed, finalMessage: "I cast it where it is read." }));
  expect(await all()).toEqual([]);
});

test("LEARN-4: a task like the one at which something was learned gets it, whatever the lesson's own words", async () => {
  await task("t-4", "Discount codes for the basket");
  const text = "Amounts are whole cents; use minorUnits() on both sides.";
  const said = learnt(text, { tags: ["money"] });
  await capture(sampleOutcome({ taskId: "t-4", claims: saying({ memory: said }) }));
  for (let n = 0; n < 30; n += 1) {
    const noise = learnt(`Walrus number ${n} sleeps in the afternoon, on its own rock.`, { tags: [] });
    await capture(sampleOutcome({ attempt: n + 1, claims: saying({ memory: noise }) }));
  }
  await task("t-5", "Basket total with two discount codes");
  expect((await told("t-5"))[0]?.short).toContain(text);
});

test("FAIL-5 LEARN-2: no fix is stored when nothing changed between the failure and the success, or what is not known", async () => {
  const failed = (id: "t-2" | "t-3" | "t-4") =>
    sampleOutcome({ taskId: id, signature: safe`type_error:${id}`, tree: "same" });
  const said = "I ran the tests again and all of them pass.";
  for (const [id, tree, hunks] of [
    ["t-2", "same", work.hunks],
    ["t-3", "other", []],
  ] as const) {
    await task(id, "Parse more dates");
    await capture(failed(id));
    const ended = { ...passed, tree, work: { ...work, hunks } };
    await capture(sampleOutcome({ taskId: id, attempt: 2, ...ended, finalMessage: said }));
  }
  expect(await all()).toEqual([]);
  await task("t-4", "Parse more dates");
  await capture(failed("t-4"));
  await capture(
    sampleOutcome({ taskId: "t-4", attempt: 2, signature: safe`test_failure:later`, tree: "other" }),
  );
  await capture(
    sampleOutcome({ taskId: "t-4", attempt: 3, ...passed, tree: "last", work, finalMessage: said }),
  );
  expect((await all()).map(({ fixes }) => fixes)).toEqual([["test_failure:later"]]);
});

test("FAIL-5 LEARN-11: a fix for another error is not shown for one common stem, for two it is", async () => {
  await task("t-2", "Show exchange rates");
  const excerpt = "error: ledger is locked";
  await capture(sampleOutcome({ taskId: "t-2", signature: safe`unknown:l`, errorExcerpt: excerpt }));
  const message = "I opened it read-only before each conversion.";
  const ended = { ...passed, work: { ...work, files: ["src/rates.ts"] } };
  await capture(sampleOutcome({ taskId: "t-2", attempt: 2, ...ended, finalMessage: message }));
  const [fix] = await all();
  expect(fix?.lesson).toBe(`Fix for \`${excerpt}\`: ${message}`);
  await task("t-3", "Print the ledger in colour");
  expect((await told("t-3")).map(({ id }) => id)).toEqual([]);
  await task("t-4", "Unlock the ledger when it is locked");
  expect((await told("t-4")).map(({ id }) => id)).toEqual([fix?.id]);
});
