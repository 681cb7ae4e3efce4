import { setTimeout as sleep } from "node:timers/promises";

/** Waits for two minutes at most. */
export async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 120_000; !(await check()); await sleep(50))
    if (Date.now() > end) throw new Error("it did not happen");
}
