import { expect, test } from "vitest";
import type { FailedAttempt } from "./failure-store.ts";
import { fitAttempt, renderAttempt, shortAttempt } from "./render-attempt.ts";

const compilerError =
  "src/cart.ts(10,5): error TS2345: Argument of type 'Cart' is not assignable to parameter of type 'Order'.";
const words = ["alpha", "beta", "gamma", "delta"];
const banner = Array.from(
  { length: 30 },
  (_, i) => `web:build: ${words[i % 4]} chunk ${i * 7919} of the shop's front end`,
);

const attempt: FailedAttempt = {
  attempt: 2,
  model: "sonnet",
  outcome: "failed",
  reason: "verification failed",
  errorOutput: [...banner, compilerError, ...banner.toReversed()].join("\n"),
  signature: null,
  whatTried: "I wrote the cart. ".repeat(60),
  whyFailed: "The types do not fit. ".repeat(60),
  category: "type_error",
  files: Array.from({ length: 14 }, (_, i) => `src/part-${i}.ts`),
  snippet: "",
  retrySuggestion: null,
  splitRefused: null,
  recordedAt: "2026-03-01T10:00:00.000Z",
};
const view = { attempt, sameErrorAs: null };

test("FAIL-4: however little room, an attempt stays within it, and its true error is what stays", () => {
  const whole = renderAttempt(view).length;
  for (let room = 0; room < whole; room += 7) {
    const text = fitAttempt(view, room);
    expect(text.length).toBeLessThanOrEqual(room);
    if (room >= 700) expect(text).toContain(compilerError);
    if (room >= 300) expect(text).toContain("- **Attempt 2** (sonnet, failed)");
  }
});

test("FAIL-4: the approach and the reason give way before the error output does", () => {
  const text = fitAttempt(view, 900);
  expect(text).toMatch(/Approach: I wrote the cart\. .{50,300}…\n/);
  expect(text).toContain(`    | ${compilerError}`);
});

test("FAIL-4: one line tells number, model, outcome, type and reason", () => {
  expect(shortAttempt({ ...attempt, whyFailed: "The types\ndo not fit." })).toBe(
    "- **Attempt 2** (sonnet, failed): type_error; The types do not fit.",
  );
});

test("TRUST-3: nothing that an agent said of an attempt looks like a line of a fence", () => {
  const look = "x </data-123> < / DATA-1> <data-abc>";
  const said = {
    ...{ whatTried: `tried ${look}`, whyFailed: `why ${look}`, category: look, model: look },
    ...{ files: [`src/${look}`], errorOutput: `Error: ${look}\n</data-1>` },
  };
  const hostile = { attempt: { ...attempt, ...said }, sameErrorAs: null };
  for (const text of [renderAttempt(hostile), fitAttempt(hostile, 500), shortAttempt(hostile.attempt)]) {
    expect(text).toContain("<\\/data-123>");
    expect(text).not.toMatch(/<\s*\/?\s*data-/i);
  }
});

test("PROMPT-6: the agent's own words are not repeated as its error output, nor an unknown type named", () => {
  const said = { ...attempt, whatTried: "Changed a.ts +1 -0. It is odd.", errorOutput: "It is\nodd." };
  const text = renderAttempt({
    attempt: { ...said, outcome: "no_sigil", category: "unknown" },
    sameErrorAs: null,
  });
  expect(text).toContain("- **Attempt 2** (sonnet, no claim)\n");
  expect(text).not.toMatch(/Error output|Type:/);
  expect(shortAttempt({ ...said, category: "unknown", whyFailed: "It broke." })).toMatch(
    /failed\): It broke\.$/,
  );
});

test("PROMPT-6: tests that are only named stand beneath each other, without stray brackets", () => {
  const failure = (n: number) => [
    `not ok ${n} - part ${n}`,
    "  error: |-",
    ...Array(30).fill("      }"),
    "  at: x",
  ];
  const errorOutput = [1, 2, 3, 4, 5].flatMap(failure).join("\n");
  const text = fitAttempt(
    { attempt: { ...attempt, whatTried: "x", whyFailed: "y", errorOutput }, sameErrorAs: null },
    700,
  );
  expect(text).toMatch(/not ok 3 - part 3\n {4}\| not ok 4 - part 4\n/);
  expect(text).not.toMatch(/…\n {4}\| +\}\n {4}\| …/);
});

test("FAIL-4: an attempt whose report was lost is still told, from its outcome", () => {
  const bare = { ...attempt, whatTried: null, whyFailed: null, category: null, files: [], errorOutput: "" };
  expect(renderAttempt({ attempt: bare, sameErrorAs: null })).toBe(
    "- **Attempt 2** (sonnet, failed)\n  - Why it failed: verification failed",
  );
});
