import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RalphError } from "../../src/base/errors.ts";
import { findSigils } from "../../src/sigils/find-sigils.ts";
import { markdown } from "../../src/tasks/import/formats/markdown.ts";
import { anyText } from "../any-text.ts";
import { parsers } from "./parsers.ts";
import { fragments } from "./shapes.ts";

// Inputs per parser. The long form: npm run test:fuzz, with a number for another one (npm run test:fuzz -- 1000000).
const inputs = Number(process.env["RALPH_TEST_FUZZ"] ?? 60);
const isLong = process.env["RALPH_TEST_FUZZ"] !== undefined;
/** Milliseconds of processor time for one small input. */
const maxMs = 1000;

const text = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(fc.constantFrom(...fragments), { maxLength: 60 }).map((all) => all.join("")),
  },
  { weight: 1, arbitrary: anyText({ maxLength: 300 }) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 6 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...fragments), fc.integer({ min: 1, max: 300 }), fc.constantFrom(...fragments))
      .map(([a, times, b]) => a.repeat(times) + b),
  },
);

async function read(parse: (text: string) => unknown, given: string): Promise<void> {
  const before = process.cpuUsage();
  try {
    await parse(given);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(maxMs);
}

describe("TRUST-12: whatever is written, no parser crashes or hangs", () => {
  test.each(Object.entries(parsers))(
    "%s",
    async (_, parse) => {
      const property = fc.asyncProperty(text, (given) => read(parse, given));
      await fc.assert(property, { numRuns: inputs });
    },
    isLong ? 24 * 3_600_000 : 60_000,
  );
});

/** A title, alone in its line. */
const title = fc
  .array(fc.constantFrom(...fragments), { minLength: 1, maxLength: 8 })
  .map((all) => `begin ${all.join("").replace(/\s|\p{Cc}/gu, " ")} end`);

test(
  "TRUST-12 TASK-5: no item of a checklist is lost, and ticking it changes nothing else, whatever stands in it",
  () => {
    const property = fc.property(fc.array(title, { minLength: 1, maxLength: 6 }), (titles) => {
      const list = titles.map((one, n) => `- [ ] (${n}) ${one}\n`).join("");
      const source = { path: "tasks.md", text: list };
      const { tasks } = markdown.parse(source);
      expect(tasks).toHaveLength(titles.length);
      for (const { key } of tasks) {
        const ticked = markdown.mark(source, new Map([[key, true]]));
        expect(ticked?.length).toBe(list.length);
        expect(ticked?.replace("[x]", "[ ]")).toBe(list);
      }
    });
    fc.assert(property, { numRuns: inputs });
  },
  isLong ? 24 * 3_600_000 : 60_000,
);

test(
  "TRUST-12 SIG-7: a sigil after any text without code fences is found",
  () => {
    const safe = fragments.filter((one) => !/[`~<>]|^ {4}$|^\t$|"/.test(one));
    const before = fc.array(fc.constantFrom(...safe), { maxLength: 40 }).map((all) => all.join(""));
    const property = fc.property(before, (given) => {
      const names = findSigils(`${given}\n\n<task-done>t-1</task-done>\n`).map(({ name }) => name);
      expect(names).toContain("task-done");
    });
    fc.assert(property, { numRuns: inputs });
  },
  isLong ? 24 * 3_600_000 : 60_000,
);
