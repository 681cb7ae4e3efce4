import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { memorySetup } from "../../../test/memory-setup.ts";
import { learnt, passed, sampleOutcome, saying } from "../../../test/sample-outcome.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import { recordOutcome } from "../../outcome/outcome-store.ts";
import type { Db } from "../../store/port/db.ts";
import { createTask } from "../../tasks/graph/task-store.ts";
import { openMemory } from "../memory.ts";
import { openRecordActions } from "../record-actions.ts";
import { listRecords } from "./record-store.ts";

const folder = mkdtempSync(join(tmpdir(), "ralph-records-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const now = new Date("2026-03-01T10:30:00.000Z");
const lacking = { missingContext: ["How refunds are rounded"], wishedSkills: ["edi-files"] };

async function judged(db: Db, ids: readonly string[], root = "/nonexistent") {
  const memory = openMemory({ ...memorySetup, root, db, recordsDir: "kept/records" });
  for (const taskId of ids) {
    await db.transaction(async (tx) => {
      await createTask(tx, { id: taskId, title: taskId, tags: ["dates"] }, now);
      const claims = saying({
        memory: { ...learnt("Leap days fail unless the parser is given UTC."), ...lacking },
      });
      const outcome = sampleOutcome({
        taskId,
        claims,
        tokens: { input: 40, output: 5, cacheRead: 900, cacheWrite: 3 },
      });
      await recordOutcome(tx, outcome);
      await memory.capture(tx, outcome, now);
    });
  }
  return memory;
}

test("LEARN-3: a record has the tokens without cache reads, the time, and a name that no other has", async () => {
  const db = await openTempStore();
  await judged(db, ["UX13", "ux13", "a:b"]);
  const records = await listRecords(db);
  expect(records.map(({ fileName }) => fileName).sort()).toEqual([
    "learning-UX13-20260301-103000.yaml",
    expect.stringMatching(/^learning-a-b-[0-9a-f]{8}-20260301-103000\.yaml$/),
    "learning-ux13-20260301-103000-2.yaml",
  ]);
  for (const record of records)
    expect(record).toMatchObject({ tokensUsed: 48, durationSeconds: 1, outcome: "failure", verified: false });
});

test("LEARN-3: files are written after the transaction; one that could not be is written later", async () => {
  const root = mkdtempSync(join(folder, "root-"));
  const db = await openTempStore();
  const memory = await judged(db, ["t-1"], root);
  expect(readdirSync(root)).toEqual([]);
  await memory.finishCapture();
  const files = (): readonly string[] => readdirSync(join(root, "kept/records")).sort();
  expect(files()).toHaveLength(1);
  // A process that ends between its transaction and the file.
  await judged(db, ["t-2"], root);
  expect(files()).toHaveLength(1);
  await openMemory({ ...memorySetup, root, db, recordsDir: "kept/records" }).finishCapture();
  expect(files()).toHaveLength(2);
});

test("LEARN-3: what a model extracted is added to the attempt's record, each part in its own field", async () => {
  const db = await openTempStore();
  const memory = await judged(db, ["t-1"]);
  const learnings = [
    {
      ...said,
      category: "pitfall",
      text: "Local time in dates.ts: leap days need UTC",
      supplement: "leap days need UTC",
    },
    {
      ...said,
      category: "debugging_technique",
      text: "The cache is per process.: src/cache.ts",
      supplement: "src/cache.ts",
    },
  ];
  const extracted = {
    ...learnt("x"),
    learnings,
    missingContext: ["which time zone", ...lacking.missingContext],
    wishedSkills: [],
  };
  const outcome = sampleOutcome({ claims: saying({ memory: extracted }) });
  await db.transaction((tx) => memory.captureExtracted(tx, outcome, now));
  const [record] = await listRecords(db);
  const added = record?.entries.filter(({ statedIn }) => statedIn === "extraction");
  expect(added?.map(({ list, content, supplement }) => [list, content, supplement])).toEqual(
    expect.arrayContaining([
      ["failures", "Local time in dates.ts", "leap days need UTC"],
      ["discoveries", "The cache is per process.", "src/cache.ts"],
      ["missing_context", "which time zone", ""],
    ]),
  );
  expect(added).toHaveLength(3);
});

const said = { tags: ["dates"], topic: "dates" };

const foreign = `task_id: t-9
timestamp: 2026-01-17T09:00:00Z
outcome: success
successes: [{ pattern: Give the parser of src/dates.ts a time zone., category: dates }]
`;

test("LEARN-3: an imported record is no evidence until its learning is approved, and never verified", async () => {
  const db = await openTempStore();
  const { readEvidence } = await import("../port/skill-evidence.ts");
  const { openLearningActions } = await import("../learning-actions.ts");
  const actions = openRecordActions({ db, now: () => now });
  expect(await actions.import([{ name: "a.yaml", text: foreign }], { approved: false })).toMatchObject({
    ...{ imported: 1, learnings: 1, quarantined: 1, problems: [] },
  });
  expect(await readEvidence(db)).toEqual([]);
  const learnings = openLearningActions({ db, root: "/nonexistent", now: () => now });
  const [one] = await learnings.list({ status: ["quarantined"] });
  await learnings.approve([`${one?.id}`]);
  expect(await readEvidence(db)).toMatchObject([{ category: "dates", imported: true, verified: false }]);
});

test("LEARN-3: unapproved files cannot add to the count of a lesson that is known", async () => {
  const db = await openTempStore();
  const { readEvidence } = await import("../port/skill-evidence.ts");
  const outcome = sampleOutcome({
    ...passed,
    claims: saying({ memory: learnt("Give the parser of src/dates.ts a time zone.") }),
  });
  await db.transaction(async (tx) => {
    await createTask(tx, { id: "t-1", title: "one" }, now);
    await recordOutcome(tx, outcome);
    await openMemory({ ...memorySetup, db }).capture(tx, outcome, now);
  });
  const actions = openRecordActions({ db, now: () => now });
  const files = [1, 2, 3].map((n) => ({ name: `${n}.yaml`, text: foreign.replace("t-9", `t-9${n}`) }));
  expect(await actions.import(files, { approved: false })).toMatchObject({ imported: 3, learnings: 0 });
  expect((await readEvidence(db)).filter(({ imported }) => imported)).toEqual([]);
});

test.each([
  ["no mapping", "- a", /mapping/],
  ["no task", "timestamp: 2026-01-17T09:00:00Z\noutcome: success", /task_id/],
  ["no time", "task_id: a\noutcome: success", /timestamp/],
  ["an unknown outcome", "task_id: a\ntimestamp: 2026-01-17\noutcome: great", /outcome/],
  ["no YAML", "task_id: [", /a\.yaml:1/],
  ["too much nesting", `task_id: ${"[".repeat(50)}${"]".repeat(50)}`, /nested/],
])("LEARN-3: a record file with %s is reported and changes nothing", async (_, text, problem) => {
  const db = await openTempStore();
  const actions = openRecordActions({ db, now: () => now });
  expect(await actions.import([{ name: "a.yaml", text }], { approved: true })).toMatchObject({
    imported: 0,
    problems: [{ file: "a.yaml", problem: expect.stringMatching(problem) }],
  });
  expect(await listRecords(db)).toEqual([]);
});
