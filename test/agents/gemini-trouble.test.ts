import { testFailures } from "./failure-tests.ts";
import { genuineAgent } from "./genuine-agents.ts";

testFailures(genuineAgent("gemini"));
