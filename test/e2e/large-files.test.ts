import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { patience } from "../patience.ts";
import { type Practice, withTasks } from "./practice.ts";

// A sparse file costs an agent nothing; git reads every byte of it.
let project: Practice;
afterEach(() => project?.remove());

test("TRUST-12 LOOP-8: files that git could not store in time fail the attempt, and the next task continues", async () => {
  const work = { "src/{id}.txt": "x" };
  const many = Array.from({ length: 20 }, (_, n) => `src/part-${n}.bin`);
  const script = {
    "t-1": [{ write: work, run: [["truncate", "-s", "1T", "src/new.bin"]] }],
    "t-2": [{ write: work, run: [["truncate", "-s", "1T", "src/base.txt"]] }],
    // Each alone is small enough.
    "t-3": [{ write: work, run: [["truncate", "-s", "900M", ...many]] }],
    "*": [{ write: work }],
  };
  const config = 'verify: ["true"]\nlimits: { maxAttempts: 1 }\n';
  project = await withTasks(script, ["One", "Two", "Three", "Four"], config);
  project.write("src/base.txt", "base\n");
  project.git("add", "-A");
  project.git("commit", "-qm", "base");
  const started = performance.now();
  const { events } = await project.run();
  expect(performance.now() - started).toBeLessThan(patience(30_000));
  const finished = events.filter(({ type }) => type === "iteration.finished");
  expect(finished.map(({ taskId, outcome }) => `${taskId} ${outcome}`)).toEqual([
    "t-1 failed",
    "t-2 failed",
    "t-3 failed",
    "t-4 done",
  ]);
  for (const { reason } of finished.slice(0, 3))
    expect(reason).toMatch(/^with src\/.*, the changed files take more than 1 GB, .* let git ignore it/);
  expect(project.read("src/base.txt")).toBe("base\n");
  expect(existsSync(join(project.dir, "src/t-4.txt"))).toBe(true);
}, 120_000);
