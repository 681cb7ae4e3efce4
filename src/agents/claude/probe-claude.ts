import { isObject, parseJson } from "../../base/json.ts";
import { runTool } from "../../process/run-tool.ts";
import { claudeHints } from "../formats/claude-failure.ts";
import type { AgentProbe } from "../port/agent.ts";
import { probeProgram } from "../port/probe-program.ts";

/** The oldest version whose flags and stream were tested. */
const oldestTested = [2, 1, 197] as const;
const statusMs = 15_000;

/** Checks that Claude Code is installed, new enough and logged in (as it states itself: no request is made). */
export async function probeClaude(
  program: string,
  env: Readonly<Record<string, string>>,
): Promise<AgentProbe> {
  const probe = await probeProgram(
    program,
    env,
    "Install Claude Code: npm i -g @anthropic-ai/claude-code; or set agents.claude.program",
  );
  if (!probe.found) return probe;
  if (probe.version === null) {
    const detail = `${program} --version printed no version: is it Claude Code?`;
    return { ...probe, problem: { detail, hint: "Try `claude --version` and `claude doctor`." } };
  }
  if (isOlder(probe.version)) {
    const detail = `older than ${oldestTested.join(".")}, the oldest tested version`;
    return { ...probe, problem: { detail, hint: "Update it: claude update." } };
  }
  const isLoggedIn = await loginOf(program, env);
  if (isLoggedIn === null) return probe;
  const problem = { detail: "not logged in", hint: claudeHints.auth ?? "" };
  return { ...probe, isLoggedIn, ...(!isLoggedIn && { problem }) };
}

function isOlder(version: string): boolean {
  const numbers = version.split(".").map((part) => Number.parseInt(part, 10) || 0);
  const at = oldestTested.findIndex((number, index) => number !== (numbers[index] ?? 0));
  return at !== -1 && (numbers[at] ?? 0) < (oldestTested[at] ?? 0);
}

/** Null if the answer is unclear: versions differ. */
async function loginOf(program: string, env: Readonly<Record<string, string>>): Promise<boolean | null> {
  const argv = [program, "auth", "status", "--json"] as const;
  const { stdout } = await runTool([...argv], { cwd: process.cwd(), env, timeoutMs: statusMs });
  const status = parseJson(stdout);
  const isLoggedIn = isObject(status) ? status["loggedIn"] : null;
  return typeof isLoggedIn === "boolean" ? isLoggedIn : null;
}
