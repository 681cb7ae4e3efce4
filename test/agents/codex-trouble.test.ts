import { testFailures } from "./failure-tests.ts";
import { genuineAgent } from "./genuine-agents.ts";

// It asks only beyond its own sandbox: see codex.test.ts.
testFailures(genuineAgent("codex"), { asks: false });
