import { lstatSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { gitEnv, removeTempRepositories, tempRepository } from "../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../test/temp-workspace.ts";
import { takeBaseline, workSince } from "../baseline.ts";

afterEach(removeTempRepositories);

/** The least processor time in milliseconds that this process spent on `work`, of three times. */
async function ownTime(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 3; n++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return Math.min(...times);
}

test("TRUST-12: each of an agent's 5,000 files is looked at once", async () => {
  const { dir, write } = tempRepository();
  const ws = await openRunWorkspace(dir, gitEnv);
  const baseline = await takeBaseline(ws, { mayBeDirty: [] });
  for (let n = 0; n < 5_000; n++) write(`many/${n}`, "");
  const paths = Array.from({ length: 5_000 }, (_, at) => join(dir, `many/${at}`));
  const once = await ownTime(() => paths.map((path) => lstatSync(path)));
  const all = await ownTime(() => workSince(ws, { baseline, startHead: baseline.head }));
  expect(all / once).toBeLessThan(3);
});
