import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { memorySetup } from "../../../../test/memory-setup.ts";
import { sampleOutcome } from "../../../../test/sample-outcome.ts";
import { variants } from "../../../../test/test-size.ts";
import { openLearningActions } from "../../../memory/learning-actions.ts";
import { openMemory } from "../../../memory/memory.ts";
import { recordOutcome } from "../../../outcome/outcome-store.ts";
import { openStore } from "../../../store/open-store.ts";
import type { Row } from "../../../store/port/db.ts";
import { createTask } from "../../../tasks/graph/task-store.ts";
import { createSession, personHere } from "../../project/session.ts";
import type { OptionValue, Session } from "../../shell/command.ts";
import { command as context } from "./context.ts";

const now = new Date("2026-03-01T10:00:00.000Z");

/** A project whose task `t-1` has failed once. */
async function failedOnce(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "ralph-context-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, ".ralph"));
  const db = await openStore({ path: join(root, ".ralph", "progress.db") });
  const memory = openMemory({ ...memorySetup, db });
  await db.transaction(async (tx) => {
    await createTask(tx, { id: "t-1", title: "Parse dates" }, now);
    await recordOutcome(tx, sampleOutcome());
    await memory.capture(tx, sampleOutcome(), now);
  });
  await db.close();
  return root;
}

async function run(
  root: string,
  options: Readonly<Record<string, OptionValue>>,
  screen?: Session["screen"],
): Promise<string> {
  const said: string[] = [];
  const session: Session = {
    ...createSession(
      { directory: root, ...options },
      personHere(async () => 0),
    ),
    out: (text) => void said.push(text),
    outFile: (text) => void said.push(text),
    ...(screen ? { screen } : {}),
  };
  expect(await context.run(session, { args: { task: "t-1" }, options })).toBeUndefined();
  return said.join("\n");
}

async function rowsOf(root: string): Promise<Readonly<Record<string, readonly Row[]>>> {
  const db = await openStore({ path: join(root, ".ralph", "progress.db") });
  const tables = [
    "tasks",
    "claims",
    "iteration_outcomes",
    "failure_reports",
    "strategy_metrics",
    "runs",
    "iterations",
  ];
  const entries = await Promise.all(
    tables.map(async (table) => [table, await db.all(`SELECT * FROM ${table}`)] as const),
  );
  await db.close();
  return Object.fromEntries(entries);
}

test("PROMPT-4: ralph context prints the next attempt's prompt, and with --explain why, and changes nothing", async () => {
  const root = await failedOnce();
  const before = await rowsOf(root);
  const plain = await run(root, {});
  expect(plain).toContain("Do only the task `t-1` (attempt 2)");
  expect(plain).toContain("    | src/a.ts(3,1): error TS2322");
  expect(plain).not.toContain("why this prompt");
  const explained = await run(root, { explain: true });
  expect(explained.startsWith(plain)).toBe(true);
  expect(explained).toContain("    failure t-1#1  an earlier attempt of this task that failed\n");
  expect(explained).toContain("left out  nothing");
  expect(await rowsOf(root)).toEqual(before);
});

test("PROMPT-4 LEARN-11: where no learning fits, --explain gives the best one's probability", async () => {
  const root = await failedOnce();
  const db = await openStore({ path: join(root, ".ralph", "progress.db") });
  const line = {
    id: "l-abcdef",
    content: "Giraffes sleep while standing.",
    category: "other",
    created_at: now,
  };
  const text = JSON.stringify({ learning: line });
  await openLearningActions({ db, root, now: () => now }).import(text, { approved: true, origin: "a test" });
  await db.close();
  const why = await run(root, { explain: true });
  expect(why).toMatch(
    /left out of learnings {2}1\n {4}l-abcdef {2}weak match \(probability to fit 0\.0\d\): Giraffes/,
  );
});

test("IF-3: ralph context --json has prompt, sections and dropped", async () => {
  const root = await failedOnce();
  const printed = JSON.parse(await run(root, { json: true }));
  expect(Object.keys(printed)).toEqual(["prompt", "sections", "dropped"]);
  expect(printed.prompt).toContain("### Previous Attempts");
  expect(printed.dropped).toEqual([]);
  const attempts = printed.sections.find((section: { name: string }) => section.name === "attempts");
  expect(attempts).toEqual({
    name: "attempts",
    chars: expect.any(Number),
    items: [{ id: "failure t-1#1", score: 1, reason: expect.any(String) }],
  });
});

test.each(
  variants(
    [
      { what: "proven", proven_at: now.toISOString(), max: 5, limit: "beyond the limit of 5 (score " },
      { what: "unproven", proven_at: null, max: 2, limit: "beyond the limit of 2 unproven (score " },
    ],
    1,
  ),
)(
  "PROMPT-4: with 1,000 $what learnings --explain fits 80 columns: scores that add up, the best left out, the rest counted",
  async ({ proven_at, max, limit }) => {
    const root = await failedOnce();
    const db = await openStore({ path: join(root, ".ralph", "progress.db") });
    const lines = Array.from({ length: 1000 }, (_, n) => {
      const about =
        n % 50 === 0
          ? `Parse dates of form ${n}: a string is not assignable to number`
          : `Styles of page ${n}`;
      const content = `${about}: word${n} before word${n * 7} in module${n % 31}, or it breaks.`;
      const id = `l-${n.toString(16).padStart(6, "0")}`;
      const created_at = now.toISOString();
      return JSON.stringify({ learning: { id, content, category: "pitfall", created_at, proven_at } });
    });
    const actions = openLearningActions({ db, root, now: () => now });
    await actions.import(lines.join("\n"), { approved: true, origin: "a test" });
    await db.close();
    const screen = {
      columns: 80,
      outIsTerminal: true,
      noteIsTerminal: false,
      colour: false,
      writeNote: () => undefined,
    };
    const why = (await run(root, { explain: true }, screen)).split("\nWhy this prompt")[1] ?? "";
    const shown = why.split("\n");
    expect(shown.length).toBeLessThan(60);
    for (const line of shown) expect(line.length).toBeLessThanOrEqual(80);
    const heads = /\n {2}learnings {2}[\d,]+ characters, (\d+) items\n {4}l-[0-9a-f]+ {2}matches by /.exec(
      why,
    );
    expect(heads?.[1]).toBe(`${max}`);
    const left =
      /left out of learnings {2}(\d+)\n((?: {4}l-.*\n(?: {8}missing: .*\n)?){5}) {4}and (\d+) less relevant/.exec(
        why,
      );
    expect(left?.slice(1, 4)).toEqual([`${1000 - max}`, expect.stringContaining(limit), `${995 - max}`]);
    const { sections, dropped } = JSON.parse(await run(root, { json: true }));
    const { items } = sections.find(({ name }: { name: string }) => name === "learnings");
    expect(items).toHaveLength(max);
    for (const { score, parts } of items as { score: number; parts: Record<string, number> }[]) {
      expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 6);
    }
    expect(dropped.length).toBeLessThan(30);
    expect(dropped.at(-1)).toMatchObject({ section: "learnings", more: expect.any(Number) });
  },
);
