import { describe, expect, test } from "vitest";
import { listPrice } from "./list-price.ts";

const tokens = { input: 1_000_000, output: 100_000, cacheRead: 4_000_000, cacheWrite: 200_000 };
const price = (model: string, more: Partial<Parameters<typeof listPrice>[0]> = {}): number | null =>
  listPrice({ model, tokens, contextUsed: null, now: new Date("2026-11-01"), own: {}, ...more });

describe("AGENT-2: the price of a session by its tokens", () => {
  test("prices fresh, cached and written input and output separately", () => {
    const only = (part: keyof typeof tokens): number =>
      price("claude-sonnet-4-5", {
        tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, [part]: 1_000_000 },
      }) ?? 0;
    expect(
      ["input", "output", "cacheRead", "cacheWrite"].map((part) => only(part as keyof typeof tokens)),
    ).toEqual([3, 15, 0.3, 3.75].map((dollars) => expect.closeTo(dollars, 6)));
    expect(price("claude-sonnet-4-5")).toBeCloseTo(3 + 1.5 + 1.2 + 0.75, 6);
  });

  test("a long session has no surcharge for long contexts, unless its requests are long", () => {
    const long = price("claude-sonnet-4-5", { contextUsed: 250_000 }) ?? 0;
    expect(long).toBeCloseTo(6 + 2.25 + 2.4 + 1.5, 6);
    expect(price("claude-sonnet-4-5", { contextUsed: 150_000 })).toBe(price("claude-sonnet-4-5"));
  });

  test.each([
    ["gpt-5.5", "gpt-5.5:high"],
    ["gpt-5.5", "openai/gpt-5.5"],
    ["gpt-5.5", "gpt-5.5-2026-04-01"],
    ["claude-haiku-4-5", "claude-haiku-4-5-20251001"],
    ["gemini-2.5-flash", "google/gemini-2.5-flash"],
  ])("knows %s as %s", (name, other) => {
    expect(price(name)).toBeGreaterThan(0);
    expect(price(other)).toBe(price(name));
  });

  test.each([
    "small",
    "",
    "m1",
    "ollama/llama3",
    "unknown-provider/gpt-5.5",
    "/",
    "x/",
    `gpt-5.5${"(".repeat(1e6)}`,
  ])("does not guess a price for %.20s", (name) => expect(price(name)).toBeNull());

  test("no tokens cost nothing, and contradictory ones have no price", () => {
    const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    expect(price("gpt-5.5", { tokens: none })).toBe(0);
    expect(price("gpt-5.5", { tokens: { ...none, input: -5, cacheRead: 10 } })).toBeNull();
    expect(price("gpt-5.5", { tokens: { ...none, input: Number.NaN } })).toBeNull();
  });
});
