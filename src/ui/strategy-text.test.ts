import { expect, test } from "vitest";
import { strategyText } from "./strategy-text.ts";

const claude = ["haiku", "sonnet", "opus"];

test.each([
  [
    "adaptive",
    claude,
    "haiku, sonnet, opus by cost per verified task: about half the dollars of sonnet first (only one: --model sonnet)",
  ],
  [
    "escalate",
    claude,
    "haiku, sonnet, opus in turn, two attempts each: about three quarters of the dollars of sonnet first (only one: --model sonnet)",
  ],
  ["escalate", ["low", "high"], "low, high in turn, two attempts each (only one: --model high)"],
  ["adaptive", ["small", "small"], null],
  ["fixed", claude, null],
])("STRAT-2: the header and init say how %s uses the models %s", (strategy, tiers, said) => {
  expect(strategyText(strategy, tiers)).toBe(said);
});
