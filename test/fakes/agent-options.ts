import type { AgentOptions } from "../../src/agents/session/agent-options.ts";
import { fakeEnv } from "./fake.ts";

/** An adapter's options with nothing set. */
export const plainOptions: AgentOptions = {
  model: null,
  tiers: null,
  permission: null,
  extraArgs: [],
  program: null,
  argv: null,
  format: "text",
  tools: null,
  env: fakeEnv,
};
