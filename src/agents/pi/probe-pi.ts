import { runTool } from "../../process/run-tool.ts";
import type { AgentProbe } from "../agent.ts";
import { piFormat } from "../formats/pi-stream.ts";
import { probeProgram } from "../probe-program.ts";

const statusMs = 15_000;

/** Checks that pi is installed and has a model that it may use: it lists those of the providers it is logged in to. */
export async function probePi(program: string, env: Readonly<Record<string, string>>): Promise<AgentProbe> {
  const hint = "Install pi: npm i -g @earendil-works/pi-coding-agent; or set agents.pi.program.";
  const probe = await probeProgram(program, env, hint);
  if (!probe.found) return probe;
  const call = { cwd: process.cwd(), env: { ...env, PI_OFFLINE: "1" }, timeoutMs: statusMs };
  const { exitCode, stdout, stderr } = await runTool([program, "--list-models"], call);
  if (!/^No models available/m.test(`${stdout}${stderr}`))
    return exitCode === 0 ? { ...probe, isLoggedIn: true } : probe;
  const problem = { detail: "not logged in", hint: piFormat.hints.auth ?? "" };
  return { ...probe, isLoggedIn: false, problem };
}
