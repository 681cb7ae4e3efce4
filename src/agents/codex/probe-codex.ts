import type { AgentProbe } from "../port/agent.ts";
import { askStatus, loginOf, probeProgram } from "../port/probe-program.ts";
import { codexHints } from "./codex-failure.ts";

/** Checks that Codex is installed and logged in (as it states itself: no request is made). */
export async function probeCodex(
  program: string,
  env: Readonly<Record<string, string>>,
): Promise<AgentProbe> {
  const hint = "Install Codex: npm i -g @openai/codex; or set agents.codex.program.";
  const probe = await probeProgram(program, env, hint);
  if (!probe.found) return probe;
  if (env["CODEX_API_KEY"] || env["OPENAI_API_KEY"]) return { ...probe, isLoggedIn: true };
  const { exitCode, stdout, stderr } = await askStatus([program, "login", "status"], env);
  const isNobody = exitCode === 1 && /not logged in/i.test(`${stdout}${stderr}`);
  return { ...probe, ...loginOf(exitCode === 0 ? true : isNobody ? false : null, codexHints.auth) };
}
