import { runTool } from "../../process/run-tool.ts";
import { piFormat } from "../formats/pi-stream.ts";
import type { AgentProbe } from "../port/agent.ts";
import { probeProgram } from "../port/probe-program.ts";

const statusMs = 15_000;

/** The columns of its list of models begin with these. */
const modelList = /^provider +model\b/m;

/**
 * Checks that pi is installed and has a model that it may use: it lists those of the providers it is logged in to. Other
 * programs have the same name: one that lists no models does not count.
 */
export async function probePi(program: string, env: Readonly<Record<string, string>>): Promise<AgentProbe> {
  const hint = "Install pi: npm i -g @earendil-works/pi-coding-agent; or set agents.pi.program.";
  const probe = await probeProgram(program, env, hint);
  if (!probe.found) return probe;
  const call = { cwd: process.cwd(), env: { ...env, PI_OFFLINE: "1" }, timeoutMs: statusMs };
  const { stdout, stderr, timedOut } = await runTool([program, "--list-models"], call);
  const answer = `${stdout}\n${stderr}`;
  if (modelList.test(answer)) return { ...probe, isLoggedIn: true };
  if (/^No models available/m.test(answer)) {
    const problem = { detail: "not logged in", hint: piFormat.hints.auth ?? "" };
    return { ...probe, isLoggedIn: false, problem };
  }
  if (timedOut) return probe;
  return { found: false, program, hint: `The program \`${program}\` on PATH is not the agent pi. ${hint}` };
}
