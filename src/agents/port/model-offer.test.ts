import { expect, test } from "vitest";
import { type ModelOffer, notOffered } from "./model-offer.ts";

const model = (
  name: string,
  more: Partial<ModelOffer["models"][number]> = {},
): ModelOffer["models"][number] => ({
  ...{ name, means: null, efforts: null, price: null, isDefault: false },
  ...more,
});
const offer: ModelOffer = {
  models: [
    model("opus", { means: "claude-opus-5-5", efforts: ["low", "high", "max"], isDefault: true }),
    model("sonnet"),
  ],
  mayTake: (name) => name.startsWith("claude-"),
};

test.each([
  ["opus", null],
  ["opus:high", null],
  ["claude-opus-5-5:low", null],
  ["claude-opus-4-1", null],
  ["default", null],
  ["default:max", null],
  // An agent that states no efforts takes any.
  ["sonnet:ultra", null],
  ["sonet", "sonnet"],
  // A word that is no effort belongs to the model's name.
  ["opus:hihg", null],
  ["opus:ultra", "opus:max"],
  ["default:minimal", "default:max"],
])("AGENT-4: of the tier %s the nearest offered is %s", (tier, nearest) => {
  const found = notOffered(tier, offer);
  expect(found?.nearest ?? null).toBe(nearest);
});
