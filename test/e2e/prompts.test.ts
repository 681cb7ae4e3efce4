import { afterAll, beforeAll, expect, test } from "vitest";
import { type Practice, practice } from "./practice.ts";

/** One run over a list whose second task fails a test of node:test and is done at its last attempt. */
let project: Practice;

const list = `# The till

Prices are whole cents.

## 1. Sums

- [ ] 1.1 Read the prices
- [ ] 1.2 Add them up
- [ ] 1.3 Print the sum
`;
const tests = `import assert from "node:assert";
import { test } from "node:test";
import { sum } from "./sum.mjs";
test("an empty till", () => assert.equal(0, 0));
test("adds prices", () => assert.strictEqual(sum([2, 3]), 5));
`;
const right = "export const sum = (prices) => prices.reduce((a, b) => a + b, 0);\n";
const wrong = right.replace("a + b", "a * b");

beforeAll(async () => {
  project = practice({ "tasks.md": list, "sum.mjs": right, "sum.test.mjs": tests });
  await project.useWorker(
    {
      prompts: "../prompts",
      "1.1": [{ write: { "prices.txt": "2\n3\n" } }],
      "1.2": [
        { write: { "sum.mjs": wrong }, say: "I multiplied the prices.\n<task-done>1.2</task-done>" },
        { write: { "sum.mjs": right, "notes.txt": "sum\n" } },
      ],
      "*": [{ write: { "print.txt": "5\n" } }],
    },
    'verify: ["node --test --test-reporter=spec"]\nlimits: { maxAttempts: 2 }\n',
  );
  await project.ralph("task", "import", "tasks.md");
  const { code, stderr } = await project.run();
  expect([code, stderr]).toEqual([0, expect.anything()]);
});

afterAll(() => project?.remove());

const prompt = (name: string): string => project.read(`../prompts/${name}.txt`);

test("PROMPT-6: the retry sees what failed, and what was changed beside the agent's words", () => {
  const retry = prompt("1.2-2");
  expect(retry).toContain("  - Approach: Changed sum.mjs +1 -1. I multiplied the prices.\n");
  expect(retry).toContain("    | ✖ adds prices\n");
  expect(retry.split("0 !== 5")).toHaveLength(2);
  expect(retry).not.toMatch(/✔|an empty till|node:internal|duration_ms|\d ?ms\b|generatedMessage/);
  expect(retry).toMatch(/### Loop Status\n\n- This is the last attempt\./);
  expect(retry).toContain("; it is the last attempt.\n");
});

test("PROMPT-6: the finishing instructions take under 700 characters in every first attempt", () => {
  for (const name of ["1.1-1", "1.2-1", "1.3-1"]) {
    expect(prompt(name).slice(prompt(name).indexOf("## How to Finish")).length).toBeLessThan(700);
  }
});
