import fc from "fast-check";
import { expect, test } from "vitest";
import { safe } from "../base/safe-text.ts";
import { fence } from "./fence.ts";
import { storedText } from "./stored-text.ts";

const tagOf = (fenced: string): string => /^<(data-[0-9a-f]{12})>\n/.exec(fenced)?.[1] ?? "";

test("PROMPT-3: text stands between its own two lines, the same for the same seed", () => {
  const fenced = fence(safe`hello`, "run-1/3");
  const tag = tagOf(fenced);
  expect(fenced).toBe(`<${tag}>\nhello\n</${tag}>`);
  expect(fence(safe`hello`, "run-1/3")).toBe(fenced);
  expect(tagOf(fence(safe`hello`, "run-1/4"))).not.toBe(tag);
});

test("TRUST-3: stored text shown in a prompt cannot close its fence", () => {
  const tag = tagOf(fence(safe``, "seed"));
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom("<", "/", " ", "\n", tag, `</${tag}>`, `< / ${tag} >`, `<${tag.toUpperCase()}>`),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const fenced = fence(storedText(pieces.join("")), "seed");
      const inside = fenced.slice(`<${tag}>`.length, -`</${tag}>`.length);
      expect(inside).not.toMatch(/<\s*\/?\s*data-/i);
      expect(fenced.endsWith(`\n</${tag}>`)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
