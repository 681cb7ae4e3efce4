import { findProgram } from "../../process/find-program.ts";
import { runTool } from "../../process/run-tool.ts";
import type { AgentProbe } from "./agent.ts";

const versionMs = 15_000;

/** Looks for `program` and asks it for its `--version`. `hint`: how to install it. */
export async function probeProgram(
  program: string,
  env: Readonly<Record<string, string>>,
  hint: string,
): Promise<AgentProbe> {
  const place = { cwd: process.cwd(), env };
  const path = findProgram(program, place);
  if (!path) return { found: false, program, hint };
  const { exitCode, stdout, stderr } = await runTool([path, "--version"], { ...place, timeoutMs: versionMs });
  const version = /(?<!\d)\d+\.\d+(\.\d+)?\S*/.exec(stdout || stderr)?.[0] ?? null;
  return { found: true, program, version: exitCode === 0 ? version : null };
}
