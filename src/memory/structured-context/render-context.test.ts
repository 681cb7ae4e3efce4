import { expect, test } from "vitest";
import { safe } from "../../base/safe-text.ts";
import { storedText } from "../../trust/stored-text.ts";
import { type ContextParts, renderContext } from "./render-context.ts";

const numbers = Array.from({ length: 10 }, (_, n) => n + 1);
const parts: ContextParts = {
  stories: numbers.map((n) => ({
    ...{ id: storedText(`t-${n}`), title: storedText("x".repeat(100)), status: "completed" },
    ...{ filesModified: numbers.map((m) => storedText(`f-${m}`)), learnings: safe`` },
  })),
  failures: numbers.map((n) => ({
    ...{ storyId: storedText(`u-${n}`), category: safe`crash`, error: storedText("e".repeat(200)) },
  })),
  events: numbers.map((n) => storedText(`story_complete t-${n}`)),
  progress: storedText("p".repeat(3000)),
};

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
const amountsIn = (text: string): readonly number[] => [
  ...[count(text, /^- t-/gm), count(text, /^- u-/gm), count(text, /(?<=^p*)p(?=p*$)/gm)],
];

test("CTX-1: a prompt has six stories and four failures, their longest texts cut, and 800 characters of PROGRESS.md", () => {
  const text = renderContext(parts, "seed-1", 10_000);
  expect(amountsIn(text)).toEqual([6, 4, 800]);
  expect(text).toContain(`- t-1 completed: ${"x".repeat(79)}…; files: f-1, f-2, f-3, f-4, f-5\n`);
  expect(text).toContain(`- u-4 failed (crash): ${"e".repeat(159)}…\n`);
});

test("CTX-1: with less room it has less of each part, in five steps, and nothing where that is too much", () => {
  const steps = new Map<string, number>();
  let room = 10_000;
  for (let text = renderContext(parts, "seed-1", room); text !== ""; ) {
    steps.set(amountsIn(text).join(" "), text.length);
    room = text.length - 1;
    text = renderContext(parts, "seed-1", room);
  }
  expect([...steps.keys()]).toEqual(["6 4 800", "4 3 500", "3 2 250", "2 1 0", "1 0 0"]);
});
