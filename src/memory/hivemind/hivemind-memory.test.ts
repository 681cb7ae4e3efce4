import { mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { memorySetup } from "../../../test/memory-setup.ts";
import { passed, sampleOutcome, saying } from "../../../test/sample-outcome.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import { recordOutcome } from "../../outcome/outcome-store.ts";
import { openStore } from "../../store/open-store.ts";
import type { Db } from "../../store/port/db.ts";
import { addTask } from "../../tasks/graph/task-graph.ts";
import { getTask } from "../../tasks/graph/task-store.ts";
import { safeText } from "../../trust/safe-text.ts";
import { liftOf } from "../learning-actions.ts";
import { openMemory } from "../memory.ts";
import type { ProjectOrigin } from "../port/hivemind-settings.ts";
import type { Memory } from "../port/memory.ts";
import type { Recalled } from "../port/memory-kind.ts";
import { shareLearning, unshareLearning } from "./manage-hivemind.ts";
import { helpfulLearnings } from "./share-learnings.ts";
import { isGeneral, withoutPrivateData } from "./without-private-data.ts";

const title = "Convert the dates of the ledger export into numbers";
const now = new Date("2026-03-01T10:00:00.000Z");

function originOf(name: string): ProjectOrigin {
  return {
    id: `id-of-${name}`,
    name: safeText(name),
    root: `/home/ada/${name}`,
    privateTexts: ["/home/ada", "build-box-7"],
  };
}

interface TempProject {
  readonly db: Db;
  readonly memory: Memory;
  /** Records an outcome as the loop does, and delivers what it left. */
  judge(outcome: Outcome): Promise<void>;
  recall(iteration?: number): Promise<Recalled | undefined>;
  /** Records that the prompt of attempt 1 showed these items. */
  show(section: Recalled): Promise<void>;
}

function tempHivemind(): string {
  const folder = mkdtempSync(join(tmpdir(), "ralph-hivemind-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "ralph", "hivemind.db");
}

async function openProject(
  path: string,
  name: string,
  { holdout = 0, task = title, db: existing }: { holdout?: number; task?: string; db?: Db } = {},
): Promise<TempProject> {
  const db = existing ?? (await openTempStore());
  if (!existing)
    await db.transaction(async (tx) => {
      await tx.run("INSERT INTO runs (id, started_at) VALUES ('run-1', '')");
      await addTask(tx, { task: { id: "t-1", title: task }, after: [] }, now);
    });
  const hivemind = { path, project: async () => originOf(name) };
  const memory = openMemory({ ...memorySetup, db, hivemind, learnings: { max: 5, holdout } });
  return {
    db,
    memory,
    judge: async (outcome) => {
      await db.transaction(async (tx) => {
        await recordOutcome(tx, outcome);
        await memory.capture(tx, outcome, now);
      });
      await memory.finishCapture();
    },
    recall: async (iteration = 1) => {
      const known = await getTask(db, "t-1");
      if (!known) throw new Error("no task");
      const request = { task: known, attempt: 1, runId: "run-1", iteration, seed: "seed-1" };
      return (await memory.recall(request)).find(({ section }) => section === "hivemind");
    },
    show: (section) =>
      db.transaction((tx) => {
        const { taskId, runId, iterationId, attempt, model } = sampleOutcome();
        const items = section.items.map(({ id, score }) => ({ section: "hivemind", id, score }));
        const shown = { taskId, runId, iterationId, attempt, model, prompt: "", items, withheld: [] };
        return memory.recordShown(tx, shown, now);
      }),
  };
}

async function contents(path: string): Promise<readonly string[]> {
  const db = await openStore({ path, readOnly: true, schema: "hivemind" });
  try {
    return (await db.all<{ content: string }>("SELECT content FROM hivemind_memories")).map(
      (row) => row.content,
    );
  } finally {
    await db.close();
  }
}

test("HIVE-6: a record of another project is not copied onward, whatever the agent repeats of it", async () => {
  const path = tempHivemind();
  const lesson =
    "The ledger export hands over dates as text, so convert each of them with a parser before adding.";
  const first = await openProject(path, "ledger");
  await first.judge(sampleOutcome({ ...passed, finalMessage: lesson }));
  const second = await openProject(path, "invoices");
  const section = await second.recall();
  expect(section?.items[0]?.text).toContain("not confirmed in this project");
  if (section) await second.show(section);
  await second.judge(sampleOutcome({ ...passed, finalMessage: `I did this: ${lesson}` }));
  expect((await contents(path)).filter((content) => content.includes("dates as text"))).toHaveLength(1);
  expect((await second.recall())?.items[0]?.text).not.toContain("not confirmed");
});

test("HIVE-6: a verified success that changed nothing confirms no record of another project", async () => {
  const path = tempHivemind();
  const first = await openProject(path, "ledger");
  await first.judge(
    sampleOutcome({ ...passed, finalMessage: "The ledger export hands over dates as text." }),
  );
  const second = await openProject(path, "invoices");
  const section = await second.recall();
  if (section) await second.show(section);
  await second.judge(sampleOutcome({ ...passed, work: { ...sampleOutcome().work, changed: false } }));
  expect((await second.recall())?.items[0]?.text).toContain("not confirmed in this project");
});

test("HIVE-6: a record that an agent calls harmful is not shown here again", async () => {
  const path = tempHivemind();
  await (await openProject(path, "ledger")).judge(
    sampleOutcome({ ...passed, finalMessage: "Use the parser of the export." }),
  );
  const second = await openProject(path, "invoices");
  const section = await second.recall();
  const id = section?.items[0]?.id ?? "";
  if (section) await second.show(section);
  const memory = { ...sampleOutcome().claims.memory, verdicts: [{ id, helpful: false }] };
  await second.judge(sampleOutcome({ ...passed, claims: saying({ memory }) }));
  const after = await second.recall();
  expect(after?.items).toEqual([]);
  expect(after?.leftOut).toEqual([{ id, reason: "an agent here called it harmful" }]);
});

test("HIVE-1: hold-outs withhold it, by a draw of their own", async () => {
  const path = tempHivemind();
  await (await openProject(path, "ledger")).judge(sampleOutcome({ ...passed }));
  const second = await openProject(path, "invoices", { holdout: 0.5 });
  const held: boolean[] = [];
  for (let n = 1; n <= 40; n += 1) held.push((await second.recall(n))?.withheld !== undefined);
  expect(held.filter(Boolean).length).toBeGreaterThan(8);
  expect(held.filter((one) => !one).length).toBeGreaterThan(8);
});

test("HIVE-6 LEARN-6: the lift of foreign memory is measured apart from that of learnings", async () => {
  const path = tempHivemind();
  await (await openProject(path, "ledger")).judge(sampleOutcome({ ...passed }));
  const second = await openProject(path, "invoices");
  const section = await second.recall();
  if (section) await second.show(section);
  await second.judge(sampleOutcome({ ...passed }));
  const lift = await liftOf(second.db, null);
  expect(lift.hivemind.with).toMatchObject({ attempts: 1, verified: 1 });
  expect(lift.with.attempts).toBe(0);
});

test("HIVE-1: a task of another kind gets nothing", async () => {
  const path = tempHivemind();
  await (await openProject(path, "ledger")).judge(sampleOutcome({ ...passed }));
  const other = await openProject(path, "shop", { task: "Draw a rounded button with a shadow" });
  expect(await other.recall()).toBeUndefined();
});

test("HIVE-2: a learning that helped twice and is true elsewhere is shared, others stay local", async () => {
  const path = tempHivemind();
  const project = await openProject(path, "ledger");
  const add = (id: string, lesson: string, helped: number, source = "agent"): Promise<number> =>
    project.db.transaction((tx) =>
      tx.run(
        `INSERT INTO learnings (id, category, content, relevance_tags, created_at, said_helpful, source)
         VALUES (?, 'pitfall', ?, '[]', '2026', ?, ?)`,
        [id, lesson, helped, source],
      ),
    );
  await add("l-1", "Leap days break date arithmetic that adds 365 days", 2);
  await add("l-2", "Time zones break date arithmetic across midnight", 1);
  await add("l-3", "parseLedger() breaks on leap days", 3);
  await add("l-4", "The file src/dates.ts breaks on leap days", 3);
  await add("l-5", "Leap seconds came from another project", 5, "import");
  await add("l-6", "Deploy to build-box-7 before noon", 5);
  await project.judge(sampleOutcome({ ...passed }));
  const shared = (await contents(path)).filter((content) => !content.startsWith("Ralph"));
  expect(shared).toEqual(["Leap days break date arithmetic that adds 365 days"]);
});

test("HIVE-6: after a kill, which forgets what the prompt showed, no summary can copy it onward; what says nothing is not stored", async () => {
  const path = tempHivemind();
  const lesson =
    "The ledger export hands over dates as text, so convert each of them with a parser before adding.";
  const first = await openProject(path, "ledger");
  await first.judge(sampleOutcome({ ...passed, finalMessage: lesson }));
  const second = await openProject(path, "invoices");
  const section = await second.recall();
  if (section) await second.show(section);
  const next = await openProject(path, "invoices", { db: second.db });
  await next.judge(sampleOutcome({ ...passed, finalMessage: `I did this: ${lesson}` }));
  await next.judge(sampleOutcome({ attempt: 2, errorExcerpt: "" }));
  expect(await contents(path)).toEqual([expect.stringContaining("dates as text")]);
});

/** A learning of the project and a delivery of it that waits for the hivemind's lock. */
async function waitingDelivery(n: number) {
  const path = tempHivemind();
  const project = await openProject(path, "ledger");
  const id = `l-${n}`;
  const lesson = `Leap days break date arithmetic in ${n} ways`;
  await project.db.transaction((tx) =>
    tx.run(
      `INSERT INTO learnings (id, category, content, relevance_tags, created_at, said_helpful, source)
       VALUES (?, 'pitfall', ?, '[]', '2026', 2, 'agent')`,
      [id, lesson],
    ),
  );
  const holder = await openStore({ path, schema: "hivemind" });
  const delivered = await holder.transaction(async () => {
    const delivery = project.judge(sampleOutcome({ ...passed }));
    await sleep(60);
    const managed = { db: project.db, hivemind: { path, project: async () => originOf("ledger") }, now };
    const unshared = unshareLearning(managed, id);
    await sleep(30);
    return { all: Promise.all([delivery, unshared]) };
  });
  await holder.close();
  await delivered.all;
  return (await contents(path)).filter((content) => content === lesson);
}

test("HIVE-2: a learning that is taken back while it is being stored is not there afterwards", async () => {
  for (let n = 0; n < 6; n += 1) expect(await waitingDelivery(n)).toEqual([]);
});

test("HIVE-2 HIVE-4: a learning that is taken back while the hivemind is not available leaves it later", async () => {
  const path = tempHivemind();
  const project = await openProject(path, "ledger");
  await project.judge(sampleOutcome({ ...passed }));
  await project.db.transaction((tx) =>
    tx.run(
      `INSERT INTO learnings (id, category, content, relevance_tags, created_at, source)
       VALUES ('l-1', 'pitfall', 'Leap days break date arithmetic', '[]', '2026', 'agent')`,
    ),
  );
  const managed = { db: project.db, hivemind: { path, project: async () => originOf("ledger") }, now };
  await shareLearning(managed, "l-1");
  expect(await contents(path)).toContain("Leap days break date arithmetic");
  renameSync(path, `${path}.away`);
  mkdirSync(path);
  await expect(unshareLearning(managed, "l-1")).rejects.toMatchObject({ code: "RALPH_HIVEMIND_UNAVAILABLE" });
  rmdirSync(path);
  renameSync(`${path}.away`, path);
  await project.memory.finishCapture({ signal: new AbortController().signal });
  expect(await contents(path)).not.toContain("Leap days break date arithmetic");
});

test("HIVE-2 LOOP-9: the record of undone work that still waits is never stored", async () => {
  const path = tempHivemind();
  const project = await openProject(path, "ledger");
  mkdirSync(path, { recursive: true });
  await project.judge(sampleOutcome({ ...passed }));
  await project.db.transaction((tx) => project.memory.withdraw(tx, "t-1", now));
  rmdirSync(path);
  await project.memory.finishCapture({ signal: new AbortController().signal });
  expect(await contents(path)).toEqual([]);
  expect(await project.db.all("SELECT * FROM hivemind_entries")).toEqual([]);
});

test("HIVE-2: the learnings that helped twice are found without reading the others", async () => {
  const { db } = await openProject(tempHivemind(), "ledger");
  const plan = await db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${helpfulLearnings}`);
  expect(plan.map(({ detail }) => detail).join("\n")).toContain("SEARCH l USING INDEX learnings_helpful");
});

test("HIVE-2: ordinary text stays as it is", () => {
  const origin = originOf("ledger");
  for (const text of [
    "Use process.env.HOME and a/b in x.test.ts",
    "and/or 1.2.3 at 10:30",
    "expected 3 / 4 to be 0.75",
  ])
    expect(withoutPrivateData(text, origin)).toBe(text);
  expect(
    withoutPrivateData("at /home/ada/ledger/src/a.ts:3 and file:///home/ada/ledger/b.ts, ~/notes/x", origin),
  ).toBe("at src/a.ts:3 and b.ts, <path>");
  expect(isGeneral("Leap days break date arithmetic", origin)).toBe(true);
  expect(isGeneral("The ledger breaks on leap days", origin)).toBe(false);
});
