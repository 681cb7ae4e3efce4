import { expect, test } from "vitest";
import { configSchema } from "./schema.ts";

test("UX-5: the JSON Schema describes every group and refuses unknown keys in each", () => {
  const schema = configSchema();
  expect(schema).toMatchObject({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    additionalProperties: false,
    properties: {
      strategy: {
        enum: ["fixed", "cost-optimized", "escalate", "plan-then-execute", "adaptive"],
        default: "adaptive",
      },
      limits: {
        type: "object",
        additionalProperties: false,
        properties: { maxAttempts: { type: "integer" } },
      },
      agents: { properties: { claude: { properties: { tiers: {} }, additionalProperties: false } } },
      memory: { properties: { prune: { properties: { reports: { default: "7d" } } } } },
    },
  });
});
