import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { memorySetup } from "../../../test/memory-setup.ts";
import { after, openTempMemory } from "../../../test/temp-memory.ts";
import { createTask, requireTask } from "../../tasks/graph/task-store.ts";
import { byCommand, openLearningActions } from "../learning-actions.ts";
import { openMemory } from "../memory.ts";
import { compareFacts } from "./store/one-fact.ts";

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ralph-moved-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const eighteen = [
  "Deploys use Node 18",
  "Deployments run on Node 18.",
  "The deploy job needs Node v18",
  "Node 18 is what we deploy with",
  "Deploy with Node 18, always.",
];
const twentyTwo = "Deploys use Node 22 now, Node 18 was dropped";

test("LEARN-14: wordings of one fact are one line; of another value the newer, a person's first, which the older names", async () => {
  const { db, add, actions } = await openTempMemory();
  const memory = openMemory({ ...memorySetup, db, now: () => after(30) });
  await db.transaction((tx) =>
    createTask(tx, { id: "t-9", title: "Move the deploys to another Node" }, after(0)),
  );
  const shown = async (): Promise<readonly string[]> => {
    const task = await requireTask(db, "t-9");
    const all = await memory.recall({ task, attempt: 1, runId: "run-2", iteration: 1, seed: "s" });
    return all.flatMap(({ section, items }) => (section === "learnings" ? items.map(({ id }) => id) : []));
  };
  const old = [];
  for (const [day, lesson] of eighteen.entries()) old.push(await add(lesson, {}, after(day)));
  expect(await shown()).toHaveLength(1);
  const newer = await add(twentyTwo, {}, after(9));
  expect(await shown()).toEqual([newer.id]);
  for (const { id } of old) expect((await actions.replacement(id))?.id).toBe(newer.id);
  expect(await actions.replacement(newer.id)).toBeNull();
  const persons = await add("Deploys use Node 20", { provenance: byCommand(null) }, after(5));
  expect(await shown()).toEqual([persons.id]);
});

test("LEARN-14: a learning whose cited file a person moved is listed as stale", async () => {
  const root = tempFolder();
  mkdirSync(join(root, "src"));
  writeFileSync(join(root, "src/total.js"), "export const total = 1;\n");
  const { db } = await openTempMemory();
  const actions = openLearningActions({ db, root, now: () => after(0) });
  const request = { text: "src/total.js rounds half to even.", category: "pitfall", tags: [], files: [] };
  const { learning } = await actions.store({
    ...{ ...request, scope: "project", topic: null, provenance: byCommand(null) },
  });
  expect((await actions.list({})).map(({ status }) => status)).toEqual(["active"]);
  renameSync(join(root, "src/total.js"), join(root, "src/sum.js"));
  expect((await actions.list({})).map(({ status }) => status)).toEqual(["stale"]);
  expect((await actions.get(learning.id)).status).toBe("stale");
});

test.each([
  ["Tests use Node 18", "Deploys use Node 18", null],
  ["The API timeout is 30 s", "The database timeout is 60 s", null],
  ["The upload limit of nginx is 50 MB", "The upload limit of the API is 20 MB", null],
  ["Round prices to 2 digits", "Round prices half to even", null],
  ["Write table7 before key3", "Write table8 before key3", null],
  ["Form 3 of page 7 is checked twice", "Form 4 of page 9 is checked twice", null],
  ["The upload limit is 50 MB", "The upload limit is now 20 MB", "differs"],
  ["Python 3.11 is required for the build", "The build requires Python 3.11", "restated"],
])("LEARN-14: %s / %s", (a, b, expected) => {
  expect(compareFacts(a, b)).toBe(expected);
  expect(compareFacts(b, a)).toBe(expected);
});
