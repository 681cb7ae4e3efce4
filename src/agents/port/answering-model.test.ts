import { expect, test } from "vitest";
import { answeringModel } from "./answering-model.ts";

const tiers = ["haiku", "sonnet", "opus:high"];

test.each([
  ["haiku", null, "haiku"],
  ["haiku", "claude-haiku-4-5-20251001", "haiku"],
  ["opus:high", "claude-opus-4-5", "opus:high"],
  ["sonnet[1m]", "claude-sonnet-4-5-20250929[1m]", "sonnet[1m]"],
  ["anthropic/claude-sonnet-4", "claude-sonnet-4", "anthropic/claude-sonnet-4"],
  ["claude-sonnet-4-5", "sonnet", "claude-sonnet-4-5"],
  ["gpt-5", "gpt-5-2025-08-07", "gpt-5"],
  ["gemini-2.5-pro", "gemini-2.5-pro-preview", "gemini-2.5-pro"],
  ["default:high", "gpt-5.2-codex", "default:high"],
  // Another one answered.
  ["haiku", "claude-opus-4-1-20250805", "opus:high"],
  ["gpt-5", "gpt-5-mini", "gpt-5-mini"],
  ["sonnet", "glm-4.6", "glm-4.6"],
  ["sonnet", "ghp_0123456789abcdefghijABCDEFGHIJ012345", "[redacted:github]"],
])("STRAT-1: a session of %s that %s answers is credited to %s", (asked, answered, credited) => {
  expect(answeringModel(asked, answered, tiers)).toBe(credited);
});
