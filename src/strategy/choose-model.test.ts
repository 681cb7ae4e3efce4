import { expect, test } from "vitest";
import { chooseModel, type ModelFacts } from "./choose-model.ts";

const facts: ModelFacts = {
  strategy: "cost-optimized",
  tiers: ["haiku", "sonnet", "opus"],
  defaultModel: "sonnet",
  flagModel: null,
  iteration: 2,
  failures: 0,
  escalateAfter: 2,
  recent: { done: 0, total: 0 },
  similar: [],
  nextModel: null,
  byPrice: null,
};
const good = { done: 17, total: 20 };

const table: readonly (readonly [string, Partial<ModelFacts>, string])[] = [
  ["fixed takes the agent's own model", { strategy: "fixed", defaultModel: "x", failures: 9 }, "x"],
  [
    "a person's model stands whatever the strategy",
    { strategy: "escalate", flagModel: "mine", failures: 9 },
    "mine",
  ],
  ["cost-optimized begins in the middle", {}, "sonnet"],
  ["one failure stays in the middle", { failures: 1 }, "sonnet"],
  ["two failures take the strong tier", { failures: 2, recent: good }, "opus"],
  ["over 80% done takes the cheap tier", { recent: good }, "haiku"],
  ["80% is not over 80%", { recent: { done: 16, total: 20 } }, "sonnet"],
  ["a failed task gets no cheap model", { recent: good, failures: 1 }, "sonnet"],
  ["four outcomes prove nothing", { recent: { done: 4, total: 4 } }, "sonnet"],
  ["five do", { recent: { done: 5, total: 5 } }, "haiku"],
  ["what completed similar tasks goes first", { similar: ["opus", "haiku", "opus"], recent: good }, "opus"],
  ["the cheaper of equals", { similar: ["opus", "haiku"] }, "haiku"],
  ["a cheap model that has just failed is not proven", { similar: ["haiku"], failures: 1 }, "sonnet"],
  ["a strong proven one is, after a failure", { similar: ["opus"], failures: 1 }, "opus"],
  ["a model that is no tier any more proves nothing", { similar: ["gone"] }, "sonnet"],
  ["of two tiers the cheap one begins", { tiers: ["small", "large"] }, "small"],
  [
    "of two tiers the large one comes after two failures",
    { tiers: ["small", "large"], failures: 2 },
    "large",
  ],
  ["one tier serves all", { tiers: ["only"], failures: 5 }, "only"],
  ["escalate begins cheap", { strategy: "escalate" }, "haiku"],
  ["escalate repeats the cheap tier", { strategy: "escalate", failures: 1 }, "haiku"],
  ["escalate after two failures", { strategy: "escalate", failures: 2 }, "sonnet"],
  ["escalate after four", { strategy: "escalate", failures: 4 }, "opus"],
  ["escalate ends at the strongest", { strategy: "escalate", failures: 7 }, "opus"],
  ["escalate over two tiers", { strategy: "escalate", failures: 2, tiers: ["small", "large"] }, "large"],
  [
    "escalateAfter: 1 is one attempt per tier",
    { strategy: "escalate", escalateAfter: 1, failures: 1 },
    "sonnet",
  ],
  ["adaptive without prices is escalate", { strategy: "adaptive", failures: 2 }, "sonnet"],
  [
    "adaptive goes by price",
    { strategy: "adaptive", byPrice: { model: "opus", rationale: "opus: 9%" } },
    "opus",
  ],
  ["plan-then-execute plans with the strong tier", { strategy: "plan-then-execute", iteration: 1 }, "opus"],
  ["plan-then-execute works with the middle one", { strategy: "plan-then-execute", iteration: 2 }, "sonnet"],
];

test.each(table)("STRAT-2: %s", (_, changes, model) => {
  const choice = chooseModel({ ...facts, ...changes });
  expect(choice.model).toBe(model);
  expect(choice.overridden).toBe(false);
  expect(choice.rationale).not.toBe("");
});

test.each([
  ["opus", "opus"],
  ["Haiku", "haiku"],
  ["claude-opus-4-1", "opus"],
])("STRAT-3: <next-model>%s</next-model> overrides with %s, and is said to", (nextModel, model) => {
  const choice = chooseModel({ ...facts, strategy: "fixed", nextModel });
  expect(choice).toEqual({
    model,
    rationale: `override: the last attempt asked for ${model}, instead of sonnet`,
    overridden: true,
  });
});

test("STRAT-3: a short name finds the one tier it is part of", () => {
  const tiers = ["anthropic/claude-haiku-4-5", "anthropic/claude-sonnet-4-5"] as const;
  expect(chooseModel({ ...facts, tiers, nextModel: "haiku" }).model).toBe("anthropic/claude-haiku-4-5");
});

test.each(["gpt-9", "claude", "--dangerous", "sonnet\nopus", "x".repeat(300)])(
  "TRUST-3: %j chooses no model, and the rationale says it was asked for",
  (nextModel) => {
    const tiers = ["anthropic/claude-haiku-4-5", "anthropic/claude-sonnet-4-5"] as const;
    const choice = chooseModel({
      ...facts,
      tiers,
      strategy: "fixed",
      defaultModel: "anthropic/claude-sonnet-4-5",
      nextModel,
    });
    expect(choice).toMatchObject({ model: "anthropic/claude-sonnet-4-5", overridden: false });
    expect(choice.rationale).toMatch(
      /^fixed: the agent's own model; the agent asked for ".{1,45}", which is none of its models$/,
    );
  },
);
