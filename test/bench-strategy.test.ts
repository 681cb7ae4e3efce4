import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("IF-5: bench:strategy replays both files through the product's strategies, beside fixed ladders and an oracle", () => {
  const argv = ["--import", "tsx", "bench/strategy.ts", "bench/strategy/sample", "--orders", "2", "--json"];
  const { stdout, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8" });
  expect(stderr).toBe("");
  const rows = JSON.parse(stdout) as readonly Record<string, unknown>[];
  const kinds = ["blind", "with feedback", "useless repeats", "recorded repeats"];
  expect(rows.map(({ kind }) => kind)).toEqual(kinds);
  const result = { solved: expect.any(Number), usd: expect.any(Number) };
  const share = { mean: expect.any(Number), error: expect.any(Number) };
  for (const row of rows) {
    expect(row).toMatchObject({ MMSSS: result, adaptive: result, oracle: result, x: share, x98: share });
    // STRAT-2: two attempts per tier, six in all.
    expect(row["escalate"]).toEqual(row["CCMMSS"]);
  }
});
