import { genuineAgent } from "./genuine-agents.ts";
import { testTasks } from "./task-tests.ts";

testTasks(genuineAgent("opencode"));
