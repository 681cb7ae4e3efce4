import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { openTempStore } from "../../test/temp-store.ts";
import type { Db } from "../store/port/db.ts";
import { byCommand, type LearningActions, openLearningActions } from "./learning-actions.ts";
import { summarizeLearnings } from "./learnings/maintain-learnings.ts";
import type { StoreRequest } from "./learnings/manage/change-learnings.ts";
import { citeFiles, freshnessOf } from "./learnings/store/cite-files.ts";
import type { LearningStatus } from "./learnings/store/learning.ts";
import { type MemoryActions, openMemoryActions } from "./memory-actions.ts";

const start = new Date("2026-01-01T00:00:00.000Z");
const secret = `ghp_${"aB3dE5gH7j".repeat(4).slice(0, 36)}`;
let db: Db;
let actions: LearningActions;

beforeEach(async () => {
  db = await openTempStore();
  actions = openLearningActions({ db, root: "/nonexistent", now: () => start });
});

const memory = (store: Db): MemoryActions => openMemoryActions({ db: store, now: () => start });
const person = byCommand(null);
const agent = byCommand({ taskId: "t-1", runId: "run-1" });
const lesson = "Leap days need UTC in the parser.";

function request(text: string, more: Partial<StoreRequest> = {}): StoreRequest {
  const plain = { category: "pitfall", tags: [], files: [], scope: "project", topic: null };
  return { ...plain, provenance: person, text, ...more };
}

/** A line of an export. */
function line(id: string, content: string, more: Readonly<Record<string, unknown>> = {}): string {
  const row = { id, content, category: "pitfall", created_at: "2026-01-01T00:00:00.000Z", ...more };
  return JSON.stringify({ learning: row, history: [] });
}

const theirs = { approved: false, origin: "theirs.jsonl" };
const statusOf = async (id: string): Promise<LearningStatus> => (await actions.get(id)).status;

test("LEARN-1: two learnings under one id in a file both come in, and are there already the next time", async () => {
  const text = [
    line("l-aaaaaa", "The first lesson of two."),
    line("l-aaaaaa", "The second lesson of two."),
    line("l-aaaaaa", "The first lesson of two."),
  ].join("\n");
  expect(await actions.import(text, theirs)).toMatchObject({ imported: 2, renamed: 1, unchanged: 1 });
  const lessons = (await actions.list({})).map((one) => one.lesson);
  expect(lessons.toSorted()).toEqual(["The first lesson of two.", "The second lesson of two."]);
});

test("LEARN-1: an export of a newer format is refused whole", async () => {
  const text = `{"format":"ralph-memory","version":2}\n${line("l-aaaaaa", lesson)}`;
  await expect(actions.import(text, theirs)).rejects.toMatchObject({ code: "RALPH_MEMORY_FILE" });
  expect(await actions.list({})).toEqual([]);
});

test("LEARN-1: an import takes no empty lesson, no counter that counts nothing, no time of another form", async () => {
  const odd = { times_seen: -5, said_helpful: 1e308, shown_passed: 0.5, created_at: "2025-03-04" };
  const text = [
    line("l-aaaaaa", "\u001b[31m\u0007"),
    line("l-bbbbbb", lesson, { ...odd, superseded_by: "l-bbbbbb" }),
  ].join("\n");
  expect(await actions.import(text, theirs)).toMatchObject({
    imported: 1,
    problems: [{ line: 1, problem: "has an empty lesson" }],
  });
  expect(await actions.get("l-bbbbbb")).toMatchObject({
    timesSeen: 1,
    saidHelpful: 0,
    shownPassed: 0,
    createdAt: "2025-03-04T00:00:00.000Z",
    supersededBy: null,
  });
});

test("TRUST-4: what was never approved stays in quarantine when it is put away and brought back", async () => {
  await actions.import(line("l-aaaaaa", lesson), theirs);
  await actions.remove("l-aaaaaa", "person");
  expect((await actions.restore("l-aaaaaa")).status).toBe("quarantined");
  await actions.approve(["l-aaaaaa"]);
  await actions.remove("l-aaaaaa", "person");
  expect((await actions.restore("l-aaaaaa")).status).toBe("active");
});

test("TRUST-4: purging a merged learning from elsewhere approves none of its members", async () => {
  for (const [at, text] of [lesson, "The parser must not use local time.", "Zones go before days."].entries())
    await actions.store(request(text, { tags: ["parser"], files: [`f${at % 1}.ts`] }));
  const [merge] = await summarizeLearnings({ db, runId: null, now: start }, {});
  const lines: string[] = [];
  await memory(db).export((one) => void lines.push(one));
  db = await openTempStore();
  actions = openLearningActions({ db, root: "/nonexistent", now: () => start });
  await actions.import(lines.join("\n"), theirs);
  await memory(db).purge(await memory(db).planPurge({ ids: [`${merge?.id}`], runId: null }));
  const member = `${merge?.from[0]}`;
  expect(await statusOf(member)).toBe("quarantined");
  expect((await actions.approve([member]))[0]).toMatchObject({ status: "active", supersededBy: null });
});

test("LEARN-1: what is typed is kept within its bounds, without secrets, in every part", async () => {
  const long = "word ".repeat(1000);
  const { learning } = await actions.store(
    request(lesson, {
      detail: long,
      category: `c ${secret} ${long}`,
      topic: `t ${secret} \u001b[31m${long}`,
    }),
  );
  const edited = await actions.edit(learning.id, { detail: `x${long}`, category: " ", topic: `e ${secret}` });
  for (const one of [learning, edited]) {
    expect(one.detail.length).toBeLessThanOrEqual(1000);
    expect(one.category.length).toBeLessThanOrEqual(60);
    expect(`${one.topic}`.length).toBeLessThanOrEqual(60);
    for (const part of ["ghp_", "\u001b"]) expect(`${one.category} ${one.topic}`).not.toContain(part);
  }
  expect(edited.category).toBe("other");
  await expect(actions.edit(learning.id, { text: " \u001b[31m " })).rejects.toMatchObject({
    code: "RALPH_USAGE",
  });
});

test("LEARN-1: editing the lesson leaves its detail", async () => {
  const { learning } = await actions.store(request(lesson, { detail: "Seen at the end of February." }));
  const edited = await actions.edit(learning.id, { text: "Leap days need UTC, in the lexer too." });
  expect(edited.detail).toBe("Seen at the end of February.");
});

test("LEARN-10: an agent that types a memory is bound as by its tags: no empty phrase, nothing that was put away", async () => {
  for (const text of ["none", "n/a", "too short"])
    await expect(actions.store(request(text, { provenance: agent }))).rejects.toMatchObject({
      code: "RALPH_USAGE",
    });
  const { learning } = await actions.store(request(lesson));
  await actions.remove(learning.id, "person");
  const again = await actions.store(request(lesson, { provenance: agent }));
  expect(again).toMatchObject({ isNew: false, learning: { id: learning.id, status: "pruned" } });
  expect(await actions.list({ status: ["active"] })).toEqual([]);
  expect((await actions.store(request(lesson))).learning.status).toBe("active");
});

test("LEARN-8: a merge keeps what differs in a number alone", async () => {
  for (const version of [18, 20, 22, 24])
    await actions.store(
      request(`The tokenizer tests of the server need node ${version}, or the snapshot of it differs.`, {
        tags: ["node"],
      }),
    );
  const [merge] = await summarizeLearnings({ db, runId: null, now: start }, {});
  const { lesson: said, detail } = await actions.get(`${merge?.id}`);
  const kept = [18, 20, 22, 24].filter((version) => `${said}\n${detail}`.includes(`node ${version}`));
  expect(kept).toHaveLength(merge?.from.length ?? 0);
});

test("LEARN-7: a cited file that grew too large to read again has changed, and is not gone", async () => {
  const root = mkdtempSync(join(tmpdir(), "ralph-large-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, "dates.ts"), "a\n");
  const citations = await citeFiles(root, "Parse dates in dates.ts with UTC.");
  writeFileSync(join(root, "dates.ts"), "a".repeat(1_100_000));
  expect(await freshnessOf(root, citations)).toBe("changed");
  rmSync(join(root, "dates.ts"));
  expect(await freshnessOf(root, citations)).toBe("missing");
});
