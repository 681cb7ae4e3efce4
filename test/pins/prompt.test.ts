import { expect, test } from "vitest";
import { safe } from "../../src/base/safe-text.ts";
import { preparePrompt } from "../../src/loop/iteration/prepare-prompt.ts";
import { openMemory } from "../../src/memory/memory.ts";
import { recordOutcome } from "../../src/outcome/outcome-store.ts";
import { findSigils } from "../../src/sigils/find-sigils.ts";
import type { Db } from "../../src/store/port/db.ts";
import { countAttempt } from "../../src/strategy/strategy-store.ts";
import { addDependency } from "../../src/tasks/graph/task-graph.ts";
import { createTask, requireTask } from "../../src/tasks/graph/task-store.ts";
import { memorySetup } from "../memory-setup.ts";
import { learnt, sampleOutcome, saying } from "../sample-outcome.ts";
import { openTempStore } from "../temp-store.ts";

const now = new Date("2026-03-01T10:00:00.000Z");

async function project(): Promise<Db> {
  const db = await openTempStore();
  await db.transaction(async (tx) => {
    await createTask(tx, { id: "dates", title: "Dates everywhere", description: "ISO 8601 only." }, now);
    await createTask(tx, { id: "t-0", title: "Lexer", status: "done" }, now);
    await createTask(
      tx,
      {
        id: "t-1",
        parentId: "dates",
        title: "Parse dates",
        description: "Accept calendar dates.\n\n## Verification\n\nTrust me.",
        files: ["src/dates.ts"],
        tags: ["dates"],
        acceptance: ["accepts 2024-02-29", "refuses 2023-02-29"],
      },
      now,
    );
    await createTask(tx, { id: "t-2", parentId: "dates", title: "Format dates" }, now);
    await addDependency(tx, { taskId: "t-1", blockerId: "t-0" }, now);
  });
  return db;
}

const memoryOf = (db: Db, enabled = true) => openMemory({ ...memorySetup, enabled, db });

async function promptOf(db: Db, attempt: number, enabled = true): Promise<string> {
  const source = {
    db,
    memory: memoryOf(db, enabled),
    runId: "run-1",
    root: "/home/ada/dates",
    workspace: null,
    options: {
      limits: { maxIterations: 20, maxAttempts: 5, stuckAfter: 3, taskTimeoutMs: 1_800_000 },
      onFailure: "keep",
      verify: [{ run: "npm test", timeoutMs: null }],
      memory: { enabled, budgetChars: 5000, sections: {} },
      spec: null,
      template: null,
    },
  } as const;
  const { prompt } = await preparePrompt(source, {
    task: await requireTask(db, "t-1"),
    plan: {
      agent: { listsSkills: null },
      model: "sonnet",
      rationale: "cost-optimized: middle tier to begin with",
      tiers: ["haiku", "sonnet", "opus"],
    },
    number: attempt,
    seed: `run-1 ${attempt}`,
  });
  return prompt.prompt;
}

test("PROMPT-1: the prompt of a first attempt", async () => {
  await expect(await promptOf(await project(), 1)).toMatchFileSnapshot("./prompt-first-attempt.txt");
});

/** The sigils that a first attempt may use when its prompt shows a learning. */
const optionalSigils = [
  "failure-report",
  "retry-suggestion",
  "learning",
  "memory-used",
  "note",
  "difficulty-estimate",
  "next-model",
];

test("PROMPT-6: with all its lines, the finishing instructions of a first attempt take under 700 characters", async () => {
  const db = await project();
  const outcome = sampleOutcome({
    taskId: "t-0",
    claims: saying({ memory: learnt("Parse dates with the lexer of src/dates.ts, never with Date.parse.") }),
  });
  await db.transaction(async (tx) => {
    await recordOutcome(tx, outcome);
    await memoryOf(db).capture(tx, outcome, now);
  });
  const prompt = await promptOf(db, 1);
  const finish = prompt.slice(prompt.indexOf("## How to Finish"));
  expect(finish.length + "t-3fa9c1".length * 2 - "t-1".length * 2).toBeLessThan(700);
  const optional = finish.split("Optional, ")[1]?.trim().split("\n").slice(1) ?? [];
  expect(optional.flatMap((line) => Array.from(line.matchAll(/`<([a-z-]+)/g), ([, name]) => name))).toEqual(
    optionalSigils,
  );
  for (const line of optional) expect(line).toMatch(/^- /);
  expect(findSigils(prompt)).toEqual([]);
});

/** A monorepo's build: a screen of banner, the compiler's error, a screen of everything else. */
const banner = Array.from({ length: 40 }, (_, i) => `web:build: • Packages in scope: @shop/package-${i}`);
const compilerError = "src/dates.ts(14,7): error TS2322: Type 'string' is not assignable to type 'Date'.";
const rest = Array.from(
  { length: 30 },
  (_, i) => `api:build: cache hit, replaying logs 0123456789abcdef-${i}`,
);

test("FAIL-4: the prompt of a stuck retry, with the compiler's true error", async () => {
  const db = await project();
  const errorExcerpt = [...banner, compilerError, ...rest].join("\n");
  for (const attempt of [1, 2, 3]) {
    const claims = saying({ retrySuggestion: attempt === 2 ? "Let parseDate return a Date." : null });
    const signature = safe`type_error:TS2322`;
    const outcome = sampleOutcome({ attempt, errorExcerpt, claims, signature });
    await db.transaction(async (tx) => {
      await recordOutcome(tx, outcome);
      await memoryOf(db).capture(tx, outcome, now);
      await countAttempt(tx, outcome, { stuckAfter: 3 }, now);
    });
  }
  const prompt = await promptOf(db, 4);
  expect(prompt).toContain(`    | ${compilerError}`);
  expect(findSigils(prompt)).toEqual([]);
  await expect(prompt).toMatchFileSnapshot("./prompt-stuck-retry.txt");
  const headings = (await promptOf(db, 4, false)).match(/^### .*/gm);
  expect(headings, "STRAT-6: with --no-memory").toContain("### Stuck Loop Warning");
  expect(headings).not.toContain("### Previous Attempts");
  expect(headings).not.toContain("### Loop Status");
});
