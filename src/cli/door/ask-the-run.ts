import { realpathSync } from "node:fs";
import { findProject } from "../../config/find-project.ts";
import { askRun } from "../../service/client.ts";
import { maxRequestBytes, type RunAddress } from "../../service/protocol.ts";
import { safeText } from "../../trust/safe-text.ts";
import { folderOf } from "../project/session.ts";
import type { Invocation, Output, Surroundings } from "../shell/command.ts";
import { insideRule } from "./inside-table.ts";

interface Typed {
  readonly words: readonly string[];
  readonly path: string;
  readonly invocation: Invocation;
}

/**
 * Lets the run execute a command that its agent typed, and prints the output. Returns the exit code; undefined if the
 * command is not about the run's project, or the agent's process executes it itself.
 *
 * @throws RalphError those of `askRun`
 */
export async function askTheRun(
  address: RunAddress,
  { words, path, invocation }: Typed,
  around: Surroundings,
): Promise<number | undefined> {
  if (insideRule(path, invocation) === "local") return undefined;
  if (!isOfRun(address, folderOf(invocation.options, around))) return undefined;
  const input = words.includes("-") ? await readInput(around.stdin) : null;
  const answer = await askRun(address, { kind: "command", words, cwd: around.cwd, input });
  print(around.stdout, answer.stdout);
  print(around.stderr, answer.stderr);
  return answer.code;
}

/** Returns true if a folder is in the project of the run. */
export function isOfRun({ root }: RunAddress, folder: string): boolean {
  const found = findProject(folder)?.root;
  return found !== undefined && realpath(found) === realpath(root);
}

function realpath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function print(stream: Output, text: string): void {
  if (text === "") return;
  stream.write(stream.isTTY ? safeText(text) : text);
}

/** Reads standard input as far as a request may have it. */
async function readInput(stdin: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > maxRequestBytes) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}
