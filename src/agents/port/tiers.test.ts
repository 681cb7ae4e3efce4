import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { newRequestIn } from "../../../test/fakes/agent-request.ts";
import { newClaude } from "../../../test/fakes/new-agent.ts";
import { iterationEnv } from "../session/iteration-env.ts";
import { parseTier } from "./tiers.ts";

test("STRAT-2: a tier is a model, or a model and its effort", () => {
  expect(parseTier("opus")).toEqual({ model: "opus", effort: null });
  expect(parseTier("opus:high")).toEqual({ model: "opus", effort: "high" });
  expect(parseTier("gpt-5.5:xhigh")).toEqual({ model: "gpt-5.5", effort: "xhigh" });
  expect(parseTier("default:ultra")).toEqual({ model: "default", effort: "ultra" });
  // A colon also belongs to names.
  expect(parseTier("qwen3:32b")).toEqual({ model: "qwen3:32b", effort: null });
  expect(parseTier("qwen3:32b:low")).toEqual({ model: "qwen3:32b", effort: "low" });
  expect(parseTier(":high")).toEqual({ model: ":high", effort: null });
});

test("AGENT-1: Claude Code gets both as flags, any program as variables", () => {
  const request = newRequestIn(tmpdir(), { model: "opus:high" });
  const { argv } = newClaude({ extraArgs: ["--effort", "max"] }).command(request);
  // The user's own arguments come last, so that they win.
  expect(argv.join(" ")).toContain("--model opus --effort high --effort max");
  expect(newClaude().command({ ...request, model: "opus" }).argv).not.toContain("--effort");
  expect(iterationEnv(request)).toMatchObject({ RALPH_MODEL: "opus", RALPH_EFFORT: "high" });
  expect(iterationEnv({ ...request, model: "opus" })).not.toHaveProperty("RALPH_EFFORT");
});
