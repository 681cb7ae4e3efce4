import { genuineAgent } from "./genuine-agents.ts";
import { testKills } from "./kill-tests.ts";

testKills(genuineAgent("claude"));
