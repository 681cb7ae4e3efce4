import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

test("SKILL-5: in the benchmark, skills save attempts, and harmful ones are proposed for retirement within 20 trials", () => {
  const tsx = join(root, "node_modules/.bin/tsx");
  const options = { cwd: root, encoding: "utf8" } as const;
  const printed = execFileSync(tsx, ["bench/skills.ts", "--json", "--short"], options);
  const { phases, proposed, neutral } = JSON.parse(printed);
  expect(phases).toMatchObject([
    { name: "without skills", helpful: { attempts: 5, solved: 0 }, harmful: { attempts: 1, solved: 1 } },
    { name: "with all skills", helpful: { attempts: 1, solved: 1 }, harmful: { attempts: 5, solved: 0 } },
    { name: "after retirement", helpful: { attempts: 1, solved: 1 } },
  ]);
  // The draws differ from run to run: with one chance in 400, a skill is not held out often enough.
  expect(proposed.harmful).toBeGreaterThanOrEqual(1);
  expect(proposed.helpful).toBe(0);
  expect(phases[2].harmful.solved).toBeGreaterThanOrEqual(0.5);
  expect(neutral.within20).toBeLessThan(0.1);
});
