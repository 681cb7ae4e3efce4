import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { scaledLimit } from "../scaled-limit.ts";
import { variants } from "../test-size.ts";
import { type Practice, withTasks } from "./practice.ts";

// A sparse file costs an agent nothing; git reads every byte of it.
let project: Practice;
afterEach(() => project?.remove());

test("TRUST-12 LOOP-8: files that git could not store in time fail the attempt, and the next task continues", async () => {
  const work = { "src/{id}.txt": "x" };
  const deeds = variants(
    [
      ["truncate", "-s", "1T", "src/new.bin"],
      // Each alone is small enough. What is left without the larger one is stored, which takes time for each byte.
      ["sh", "-c", "truncate -s 30M src/part-1.bin; truncate -s 1000M src/part-2.bin"],
      ["truncate", "-s", "1T", "src/base.txt"],
    ],
    2,
  );
  const ids = deeds.map((_, n) => `t-${n + 1}`);
  const last = `t-${deeds.length + 1}`;
  const steps = deeds.map((deed, n) => [ids[n], [{ write: work, run: [deed] }]]);
  const script = { ...Object.fromEntries(steps), "*": [{ write: work }] };
  const config = 'verify: ["true"]\nlimits: { maxAttempts: 1 }\n';
  project = await withTasks(script, [...ids, last], config);
  project.write("src/base.txt", "base\n");
  project.git("add", "-A");
  project.git("commit", "-qm", "base");
  const started = performance.now();
  const { events } = await project.run();
  expect(performance.now() - started).toBeLessThan(scaledLimit(30_000));
  const finished = events.filter(({ type }) => type === "iteration.finished");
  expect(finished.map(({ taskId, outcome }) => `${taskId} ${outcome}`)).toEqual([
    ...ids.map((id) => `${id} failed`),
    `${last} done`,
  ]);
  for (const { reason } of finished.slice(0, deeds.length))
    expect(reason).toMatch(/^with src\/.*, the changed files take more than 1 GB, .* let git ignore it/);
  expect(project.read("src/base.txt")).toBe("base\n");
  expect(existsSync(join(project.dir, `src/${last}.txt`))).toBe(true);
}, 120_000);
