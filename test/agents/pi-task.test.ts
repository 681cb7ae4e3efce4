import { spawnSync } from "node:child_process";
import { genuineAgent } from "./genuine-agents.ts";
import { testTasks } from "./task-tests.ts";

const pi = genuineAgent("pi");
const asked = pi.found ? spawnSync(pi.program, ["--version"], { encoding: "utf8" }) : null;
// Older versions print it to stderr.
const version = `${asked?.stdout ?? ""}${asked?.stderr ?? ""}`;

// pi has MCP since 0.99.
testTasks(pi, { tools: !/^0\.(?!99)/.test(version) });
