import { findProgram } from "../../process/find-program.ts";
import { runTool } from "../../process/run-tool.ts";
import type { AgentProbe } from "./agent.ts";

const statusMs = 15_000;

/** Looks for `program` and asks it for its `--version`. `hint`: how to install it. */
export async function probeProgram(
  program: string,
  env: Readonly<Record<string, string>>,
  hint: string,
): Promise<AgentProbe> {
  const place = { cwd: process.cwd(), env };
  const path = findProgram(program, place);
  if (!path) return { found: false, program, hint };
  const { exitCode, stdout, stderr } = await runTool([path, "--version"], { ...place, timeoutMs: statusMs });
  const version = /(?<!\d)\d+\.\d+(\.\d+)?\S*/.exec(stdout || stderr)?.[0] ?? null;
  return { found: true, program, version: exitCode === 0 ? version : null };
}

type Login = Pick<Extract<AgentProbe, { readonly found: true }>, "isLoggedIn" | "problem">;

/** Returns what a probe states about the login; null: it is unknown. `hint`: how to log in. */
export function loginOf(isLoggedIn: boolean | null, hint = ""): Login {
  if (isLoggedIn === null) return {};
  return isLoggedIn ? { isLoggedIn } : { isLoggedIn, problem: { detail: "not logged in", hint } };
}

/** Asks a program about its login, without a request to a model. */
export async function askStatus(
  argv: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): ReturnType<typeof runTool> {
  return await runTool([...argv], { cwd: process.cwd(), env, timeoutMs: statusMs });
}
