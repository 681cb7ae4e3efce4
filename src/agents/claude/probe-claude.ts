import { parseJson } from "../../base/json.ts";
import { claudeHints } from "../formats/claude-failure.ts";
import { object } from "../formats/json-events.ts";
import type { AgentProbe } from "../port/agent.ts";
import { askStatus, loginOf, probeProgram } from "../port/probe-program.ts";

/** The oldest version whose flags and stream were tested. */
const oldestTested = [2, 1, 197] as const;

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
  const { stdout } = await askStatus([program, "auth", "status", "--json"], env);
  const status = object(parseJson(stdout))["loggedIn"];
  // Versions differ in their answer.
  return { ...probe, ...loginOf(typeof status === "boolean" ? status : null, claudeHints.auth) };
}

function isOlder(version: string): boolean {
  const numbers = version.split(".").map((part) => Number.parseInt(part, 10) || 0);
  const at = oldestTested.findIndex((number, index) => number !== (numbers[index] ?? 0));
  return at !== -1 && (numbers[at] ?? 0) < (oldestTested[at] ?? 0);
}
