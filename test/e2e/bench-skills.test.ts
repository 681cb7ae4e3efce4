import { expect, test } from "vitest";
import { onlyInLongForm } from "../test-size.ts";
import { benchmarkHere } from "./run-benchmark.ts";

test("SKILL-5: in the benchmark, skills save attempts, and harmful ones are proposed for retirement within 20 trials", async (context) => {
  onlyInLongForm(context);
  const printed = await benchmarkHere("bench/skills.ts", "--json", "--short");
  const { phases, proposed, neutral } = JSON.parse(printed);
  expect(phases).toMatchObject([
    { name: "without skills", helpful: { attempts: 5, solved: 0 }, harmful: { attempts: 1, solved: 1 } },
    { name: "with all skills", helpful: { attempts: 1, solved: 1 }, harmful: { attempts: 5, solved: 0 } },
    { name: "after retirement", helpful: { attempts: 1, solved: 1 } },
  ]);
  // The draws differ from run to run: with one chance in 400, the harmful skill is not held out often enough.
  expect(proposed).toEqual({ helpful: 0, harmful: 1 });
  expect(phases[2].harmful.solved).toBe(1);
  expect(neutral.within20).toBeLessThan(0.1);
}, 180_000);
