import { connect } from "node:net";
import { RalphError, systemCode } from "../base/errors.ts";
import { throughFiles } from "./leave-file.ts";
import type { RunAddress, RunAnswer, RunRequest } from "./protocol.ts";
import { answerMs, decodeAnswer, encodeRequest, maxRequestBytes } from "./protocol.ts";

/** The errors of an agent whose own sandbox forbids sockets. */
const forbidden: ReadonlySet<string | undefined> = new Set(["EPERM", "EACCES"]);

/**
 * Sends a request to the run whose agent this process belongs to, and returns the answer. Where the agent's own sandbox forbids
 * sockets, the request is left as a file. `waitMs`: how long it waits for the answer.
 *
 * @throws RalphError `RALPH_RUN_GONE`, `RALPH_RUN_SILENT`, `RALPH_INPUT_TOO_LARGE`
 */
export async function askRun(
  address: RunAddress,
  request: RunRequest,
  waitMs: number = answerMs,
): Promise<RunAnswer> {
  const line = encodeRequest(request, address.nonce);
  if (Buffer.byteLength(line) > maxRequestBytes) {
    throw new RalphError("RALPH_INPUT_TOO_LARGE", "an agent cannot send more than 1 MiB at once", {
      hint: "shorten the text",
    });
  }
  let answer: string;
  try {
    answer = await throughSocket(address.socket, line, waitMs);
  } catch (error) {
    if (error instanceof RalphError) throw error;
    if (!forbidden.has(systemCode(error))) throw gone(error);
    const left = await throughFiles(address.socket, line, waitMs);
    if (left === undefined) throw silent(waitMs);
    answer = left;
  }
  const decoded = decodeAnswer(answer);
  if (decoded) return decoded;
  throw gone(new Error("the answer is cut off"));
}

async function throughSocket(path: string, line: string, waitMs: number): Promise<string> {
  const chunks: Buffer[] = [];
  const socket = connect(path);
  return await new Promise((resolve, reject) => {
    const deadline = setTimeout(() => {
      reject(silent(waitMs));
      socket.destroy();
    }, waitMs);
    socket.once("connect", () => socket.write(line));
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.once("error", reject);
    socket.once("close", () => {
      clearTimeout(deadline);
      resolve(Buffer.concat(chunks).toString("utf8"));
    });
  });
}

function gone(cause: unknown): RalphError {
  return new RalphError("RALPH_RUN_GONE", "the run that started this agent has ended", {
    hint: "end your session; a person can start `ralph run` again",
    cause,
  });
}

function silent(waitMs: number): RalphError {
  return new RalphError("RALPH_RUN_SILENT", `the run did not answer within ${waitMs / 1000} seconds`, {
    hint: "try again; the command may have been executed",
  });
}
