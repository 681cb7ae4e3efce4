import { expect, test } from "vitest";
import { openTempStore } from "../../../test/temp-store.ts";
import type { Db } from "../../store/port/db.ts";
import { isHeldOut } from "../port/compare-trials.ts";
import { anytimeQuantile, attemptsDifference, newcombe } from "../port/intervals.ts";
import { measureLift } from "./lift.ts";
import { insertTrial, settleTrial } from "./store/injection-store.ts";
import { usefulnessOf } from "./store/usefulness.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const none = {
  ...{ timesSeen: 1, timesShown: 0, shownPassed: 0, shownFailed: 0 },
  ...{ saidHelpful: 0, saidHarmful: 0, tasksPassed: 0, tasksFailed: 0 },
};

async function trials(
  db: Db,
  side: {
    readonly heldOut: boolean;
    readonly passed: number;
    readonly failed: number;
  },
): Promise<void> {
  await db.transaction(async (tx) => {
    for (let n = 0; n < side.passed + side.failed; n += 1) {
      const { heldOut } = side;
      const iterationId = `i-${heldOut}-${n}`;
      const place = { iterationId, runId: "run-1" };
      await insertTrial(tx, { ...place, taskId: `t-${n % 9}`, attempt: 1, model: "m", heldOut }, [], now);
      const end = n < side.passed ? (["done", "passed"] as const) : (["failed", "failed"] as const);
      await settleTrial(tx, { ...place, outcome: end[0], verification: end[1], verdicts: new Map() });
    }
  });
}

test("LEARN-6: Newcombe's interval is that of his own worked example", () => {
  // 56/70 against 48/80, Newcombe (1998), table II (a), method 10: 0.0524 to 0.3339.
  const { low, high } = newcombe({ hits: 56, n: 70 }, { hits: 48, n: 80 });
  expect(low).toBeCloseTo(0.0524, 4);
  expect(high).toBeCloseTo(0.3339, 4);
});

test("LEARN-6: the lift with its uncertainty, or that there is not enough data", async () => {
  const db = await openTempStore();
  await trials(db, { heldOut: false, passed: 56, failed: 14 });
  await trials(db, { heldOut: true, passed: 2, failed: 3 });
  expect(await measureLift(db)).toMatchObject({
    enough: false,
    difference: null,
    with: { attempts: 70, verified: 56 },
  });
  const more = await openTempStore();
  await trials(more, { heldOut: false, passed: 56, failed: 14 });
  await trials(more, { heldOut: true, passed: 48, failed: 32 });
  const lift = await measureLift(more);
  expect(lift.difference?.value).toBeCloseTo(0.2, 6);
  // Newcombe's .0524 is that of a single look.
  expect(lift.difference?.interval.low).toBeCloseTo(-0.0331, 3);
  expect(lift.attemptsDifference?.value).toBeCloseTo(70 / 56 - 80 / 48, 6);
  expect(await measureLift(more)).toEqual(lift);
});

/** Looks after every ten of 1,000 attempts without any effect; returns whether one look tells of an effect. */
function isMisled(random: () => number, quantileOf: typeof anytimeQuantile): boolean {
  const [shown, held] = [
    { hits: 0, n: 0 },
    { hits: 0, n: 0 },
  ];
  let misled = false;
  for (let attempt = 1; attempt <= 1000; attempt += 1) {
    const side = random() < 0.1 ? held : shown;
    side.n += 1;
    side.hits += random() < 0.7 ? 1 : 0;
    if (attempt % 10 > 0 || held.n < 10) continue;
    const { low, high } = newcombe(shown, held, quantileOf(shown, held));
    misled ||= low > 0 || high < 0;
  }
  return misled;
}

test("LEARN-6: who looks after every ten attempts is told of an effect that is none in one of twenty cases at most", () => {
  const rounds = 300;
  const share = (quantileOf: typeof anytimeQuantile): number => {
    let state = 7;
    const random = (): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    return Array.from({ length: rounds }, () => isMisled(random, quantileOf)).filter(Boolean).length / rounds;
  };
  expect(share(() => 1.96)).toBeGreaterThan(0.15);
  expect(share(anytimeQuantile)).toBeLessThanOrEqual(0.05);
});

test("LEARN-6: attempts per task differ with an interval of the same method, wider for fewer attempts", () => {
  const few = attemptsDifference({ hits: 56, n: 70 }, { hits: 48, n: 80 });
  const many = attemptsDifference({ hits: 560, n: 700 }, { hits: 480, n: 800 });
  for (const { low, high } of [few, many]) {
    expect(low).toBeLessThan(70 / 56 - 80 / 48);
    expect(high).toBeGreaterThan(70 / 56 - 80 / 48);
    expect(high).toBeLessThan(0);
  }
  expect(many.high - many.low).toBeLessThan((few.high - few.low) / 2.5);
});

test("LEARN-6: usefulness is bounded, verdicts count and presence does not, the untried keep their chance", () => {
  const standing = (counts: Partial<typeof none>): number => usefulnessOf({ ...none, ...counts }).standing;
  expect(standing({})).toBeCloseTo(0.5, 6);
  expect(standing({ timesShown: 2, shownFailed: 2 })).toBe(0.5);
  for (const shown of [{ shownPassed: 40 }, { shownFailed: 40 }])
    expect(standing({ timesShown: 40, ...shown }), "LEARN-11: shown is not helpful").toBe(standing({}));
  expect(standing({ timesShown: 4, saidHelpful: 4 })).toBeGreaterThan(
    standing({ timesShown: 4, shownPassed: 4 }),
  );
  expect(standing({ timesShown: 4, saidHarmful: 4 })).toBeLessThan(
    standing({ timesShown: 4, shownFailed: 4 }),
  );
  expect(standing({ timesShown: 9999, saidHarmful: 9999 })).toBe(0.25);
  expect(standing({ timesShown: 9999, saidHelpful: 9999, shownPassed: 9999 })).toBeLessThanOrEqual(0.9);
});

test("LEARN-6: hold-outs are the share that was asked for, the same every time", () => {
  const drawn = Array.from({ length: 4000 }, (_, n) => isHeldOut(0.1, "run-1", n));
  expect(drawn.filter(Boolean).length).toBeGreaterThan(320);
  expect(drawn.filter(Boolean).length).toBeLessThan(480);
  expect(Array.from({ length: 4000 }, (_, n) => isHeldOut(0.1, "run-1", n))).toEqual(drawn);
  expect(isHeldOut(0, "run-1", 1)).toBe(false);
  expect(isHeldOut(1, "run-1", 1)).toBe(true);
});
