import { runTool } from "../../process/run-tool.ts";
import type { AgentProbe } from "../port/agent.ts";
import { probeProgram } from "../port/probe-program.ts";
import { codexHints } from "./codex-failure.ts";

const statusMs = 15_000;

/** Checks that Codex is installed and logged in (as it states itself: no request is made). */
export async function probeCodex(
  program: string,
  env: Readonly<Record<string, string>>,
): Promise<AgentProbe> {
  const hint = "Install Codex: npm i -g @openai/codex; or set agents.codex.program.";
  const probe = await probeProgram(program, env, hint);
  if (!probe.found) return probe;
  if (env["CODEX_API_KEY"] || env["OPENAI_API_KEY"]) return { ...probe, isLoggedIn: true };
  const call = { cwd: process.cwd(), env, timeoutMs: statusMs };
  const { exitCode, stdout, stderr } = await runTool([program, "login", "status"], call);
  if (exitCode === 0) return { ...probe, isLoggedIn: true };
  if (exitCode !== 1 || !/not logged in/i.test(`${stdout}${stderr}`)) return probe;
  const problem = { detail: "not logged in", hint: codexHints.auth ?? "" };
  return { ...probe, isLoggedIn: false, problem };
}
