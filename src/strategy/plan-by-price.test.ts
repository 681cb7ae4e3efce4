import { beforeEach, describe, expect, test } from "vitest";
import { sampleOutcome } from "../../test/sample-outcome.ts";
import { openTempStore } from "../../test/temp-store.ts";
import { safe } from "../base/safe-text.ts";
import { recordOutcome } from "../outcome/outcome-store.ts";
import type { Db } from "../store/port/db.ts";
import type { Task } from "../tasks/graph/task.ts";
import { createTask, getTask } from "../tasks/graph/task-store.ts";
import { type PricedPlan, type PriceSettings, planByPrice, priceKey } from "./plan-by-price.ts";
import { setTaskValue } from "./strategy-store.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const tiers = ["haiku", "sonnet", "opus"];
const usualUsd = new Map([
  [priceKey("claude", "haiku"), 0.1],
  [priceKey("claude", "sonnet"), 0.4],
  [priceKey("claude", "opus"), 1.2],
]);
const settings: PriceSettings = { usualUsd, taskValueUsd: null, limits: { maxAttempts: 6 } };
let db: Db;
let tasks: number;

beforeEach(async () => {
  db = await openTempStore();
  tasks = 0;
});

interface Tried {
  readonly model: string;
  readonly done?: boolean;
  readonly usd?: number;
  readonly conflicts?: boolean;
}

/** Records the attempts at so many new tasks, and returns the id of the last. */
async function record(attempts: readonly Tried[], times = 1): Promise<string> {
  await db.transaction(async (tx) => {
    for (let n = 0; n < times; n++) {
      tasks += 1;
      const taskId = `t-${tasks}`;
      await createTask(tx, { id: taskId, title: "a" }, now);
      for (const [
        at,
        { model, done = false, conflicts, usd = usualUsd.get(priceKey("claude", model)) },
      ] of attempts.entries()) {
        const startedAt = new Date(now.getTime() + tasks * 60_000 + at).toISOString();
        const judged = { name: done ? "done" : "failed", costUsd: usd ?? null } as const;
        const signature = conflicts ? safe`merge_conflict:abc` : null;
        const outcome = { taskId, attempt: at + 1, agent: "claude", model, startedAt, signature, ...judged };
        await recordOutcome(tx, sampleOutcome(outcome));
      }
    }
  });
  return `t-${tasks}`;
}

interface Asked extends Partial<PriceSettings> {
  readonly attempts?: readonly Tried[];
  readonly value?: number;
  readonly agent?: string;
  readonly models?: readonly string[];
}

async function plan({ attempts = [], value, agent = "claude", models = tiers, ...changes }: Asked = {}) {
  const id = await record(attempts);
  if (value !== undefined) await db.transaction((tx) => setTaskValue(tx, id, value));
  return planByPrice(db, { ...settings, ...changes, task: await taskOf(id), agent, tiers: models });
}

async function taskOf(id: string): Promise<Task> {
  const task = await getTask(db, id);
  if (!task) throw new Error(id);
  return task;
}

const rationale = /^(\S+): (\d+|under 1)% for \$[\d.]+ = \$[\d.]+ per success(; \S+ \$[\d.]+)*$/;
describe("STRAT-5: the next attempt", () => {
  test("STRAT-5: begins cheap, moves on after failures, and states its numbers", async () => {
    const chosen: (PricedPlan | null)[] = [];
    for (const models of [
      [],
      ["haiku"],
      ["haiku", "haiku"],
      ["haiku", "haiku", "sonnet", "sonnet", "sonnet"],
    ]) {
      chosen.push(await plan({ attempts: models.map((model) => ({ model })) }));
    }
    expect(chosen[0]?.model).toBe("haiku");
    expect(chosen.at(-1)?.model).toBe("opus");
    for (const one of chosen) expect(one?.rationale).toMatch(rationale);
    expect(chosen[0]?.offers.map(({ model }) => model).toSorted()).toEqual(tiers.toSorted());
  });

  test("STRAT-5: a merge conflict counts as a success of its model, and selects no stronger one", async () => {
    const conflicts = { model: "haiku", conflicts: true };
    await record([conflicts], 10);
    const [after, beside] = [await plan({ attempts: [conflicts, conflicts] }), await plan()];
    expect([after?.model, after?.giveUp]).toEqual(["haiku", null]);
    const [chance = 0, usual = 0] = [after, beside].map((one) => one?.offers[0]?.chance);
    expect(chance).toBeGreaterThan(usual);
    await record([{ model: "haiku" }], 20);
    expect((await plan())?.offers.find(({ model }) => model === "haiku")?.chance).toBeLessThan(usual);
  });

  test("STRAT-5: gives up where the price per success exceeds the task's value, which a person can raise", async () => {
    const attempts = ["haiku", "sonnet", "opus", "opus"].map((model) => ({ model }));
    const given = await plan({ attempts, taskValueUsd: 1 });
    expect(given?.giveUp).toMatch(
      /^the next attempt's expected \$[\d.]+ per success exceeds the task's value \$1\.00 \(ralph task retry t-1 --value \d+\)$/,
    );
    const asked = Number(/--value (\d+)/.exec(given?.giveUp ?? "")?.[1]);
    expect((await plan({ attempts, taskValueUsd: 1, value: asked }))?.giveUp).toBeNull();
    expect((await plan({ attempts, taskValueUsd: 50 }))?.giveUp).toBeNull();
    // Without a stated value: six mean attempts of the strongest model.
    expect((await plan({}))?.giveUp).toBeNull();
  });

  test.each([
    ["a model without a price is not chosen", ["haiku", "unknown", "opus"], ["haiku", "opus"]],
    ["a removed model is not offered, though it was the best", ["haiku", "opus"], ["haiku", "opus"]],
    ["one priced model is no choice", ["haiku", "unknown"], undefined],
  ])("STRAT-5: %s", async (_, models, offered) => {
    await record([{ model: "sonnet", done: true, usd: 0.01 }], 30);
    const planned = await plan({ models });
    expect(planned?.offers.map(({ model }) => model).toSorted()).toEqual(offered);
  });

  test("STRAT-5: a changed price counts", async () => {
    await record([{ model: "haiku" }, { model: "sonnet", done: true }], 30);
    const before = (await plan())?.offers.find(({ model }) => model === "sonnet")?.usd ?? 0;
    await record([{ model: "haiku" }, { model: "sonnet", done: true, usd: 4 }], 15);
    const after = (await plan())?.offers.find(({ model }) => model === "sonnet")?.usd ?? 0;
    expect(after).toBeGreaterThan(4 * before);
  });

  test("STRAT-5: a new agent begins with list prices, whatever another one's models did", async () => {
    await record([{ model: "haiku" }, { model: "sonnet" }, { model: "opus", done: true }], 30);
    const codex = new Map(tiers.map((model, at) => [priceKey("codex", model), 0.1 * 3 ** at]));
    const planned = await plan({ agent: "codex", usualUsd: codex });
    expect(planned?.model).toBe("haiku");
    expect(planned?.offers[0]?.usd).toBeCloseTo(0.1, 5);
  });

  test("STRAT-5: a model that got worse is noticed within 15 attempts", async () => {
    const [good, bad] = [
      { model: "haiku", usd: 0.25, done: true },
      { model: "haiku", usd: 0.25 },
    ];
    await record([bad, { model: "sonnet", done: true }], 10);
    await record([good], 40);
    expect((await plan())?.model).toBe("haiku");
    let attempts = 0;
    while (attempts < 30 && (await plan())?.model === "haiku") {
      await record([bad, { model: "sonnet", done: true }]);
      attempts += 1;
    }
    expect(attempts).toBeLessThanOrEqual(15);
  });

  test("STRAT-5: a choice takes under 5 ms with 10,000 recorded attempts", async () => {
    await record([{ model: "haiku" }, { model: "sonnet", done: true }], 5000);
    const times: number[] = [];
    const task = await taskOf("t-1");
    for (let n = 0; n < 21; n++) {
      const started = performance.now();
      await planByPrice(db, { ...settings, task, agent: "claude", tiers });
      times.push(performance.now() - started);
    }
    // The fastest: other processes delay the rest.
    expect(Math.min(...times)).toBeLessThan(5);
  });
});
