import { makeFolders } from "../../base/careful-files.ts";
import { messageOf, RalphError } from "../../base/errors.ts";
import { isObject, type JsonObject, parseJson } from "../../base/json.ts";
import { findProgram } from "../../process/find-program.ts";
import { runTool, type ToolResult } from "../../process/run-tool.ts";
import { safeLine } from "../../trust/safe-text.ts";
import type { SwarmProgram } from "../port/hivemind-settings.ts";

interface SwarmCall {
  /** The words after `swarm memory`. */
  readonly args: readonly string[];
  readonly deadlineMs: number;
}

/** The paths of `swarm` that this process found, by the PATH that was searched; null: there is none. */
const found = new Map<string, string | null>();

/** Returns the path of the program, looked up once per process (HIVE-3); null without one. */
function locateSwarm({ env, folder }: SwarmProgram): string | null {
  const path = env["PATH"] ?? "";
  if (!found.has(path)) found.set(path, findProgram("swarm", { cwd: folder, env }) ?? null);
  return found.get(path) ?? null;
}

/**
 * Runs `swarm memory ARGS --json` without a shell and returns the object that it prints, also one that reports an error of
 * its own (`success: false`). After the deadline the program is killed.
 *
 * @throws RalphError `RALPH_HIVEMIND_UNAVAILABLE`
 */
export async function callSwarm(swarm: SwarmProgram, { args, deadlineMs }: SwarmCall): Promise<JsonObject> {
  const program = locateSwarm(swarm);
  if (program === null) {
    throw unavailable("there is no program `swarm` on PATH", "install swarm, or set hivemind.store to auto");
  }
  try {
    // A folder of ralph's own: swarm keeps a database for each folder that it is started in.
    makeFolders(swarm.folder);
  } catch (error) {
    throw unavailable(messageOf(error), "make the folder of hivemind.store writable for you");
  }
  const result = await runTool([program, "memory", ...args, "--json"], {
    cwd: swarm.folder,
    env: swarm.env,
    timeoutMs: deadlineMs,
  });
  if (result.timedOut) throw unavailable(`it did not answer within ${deadlineMs / 1000} s`, seeWhy, timeOut);
  const answer = answerIn(result);
  if (answer) return answer;
  throw unavailable(failureOf(result), seeWhy);
}

const seeWhy = "run `swarm memory stats` to see why";

/** Returns the error of a call that `swarm` itself refused. */
export function refusedBySwarm({ error }: JsonObject): RalphError {
  return unavailable(safeLine(String(error ?? "no reason given"), 300), seeWhy);
}

const timeOut = new RalphError("RALPH_HIVEMIND_TIMEOUT", "swarm did not answer in time", {});

/** Returns the last line of the output that is an answer: warnings may come before it. */
function answerIn({ stdout }: ToolResult): JsonObject | undefined {
  const lines = stdout.trim().split("\n").map(parseJson).filter(isObject);
  return lines.findLast((value) => typeof value["success"] === "boolean");
}

function failureOf({ spawnError, exitCode, signal, stderr }: ToolResult): string {
  const end = signal === null ? `exit code ${exitCode ?? "unknown"}` : `signal ${signal}`;
  return safeLine(spawnError ?? `no answer in its output, ${end}: ${stderr.trim().split("\n").at(-1)}`, 300);
}

function unavailable(why: string, hint: string, cause?: RalphError): RalphError {
  return new RalphError("RALPH_HIVEMIND_UNAVAILABLE", `the hivemind swarm is not available: ${why}`, {
    hint,
    ...(cause ? { cause } : {}),
  });
}
