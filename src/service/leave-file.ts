import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { RalphError } from "../base/errors.ts";
import { answerFile } from "./protocol.ts";

const pollMs = 50;

/** Leaves a request as a file beside the socket and returns the answer; "" if the run ended meanwhile; undefined: none in time. */
export async function throughFiles(
  socket: string,
  line: string,
  waitMs: number,
): Promise<string | undefined> {
  const folder = dirname(socket);
  const id = randomBytes(8).toString("hex");
  const [part, request, answer] = [`${id}.new`, `${id}.request`, answerFile(id)].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  try {
    writeFileSync(part, line, { flag: "wx", mode: 0o600 });
    renameSync(part, request);
  } catch (cause) {
    throw new RalphError("RALPH_RUN_FORBIDDEN", `the agent's sandbox forbids sockets and ${folder}`, {
      hint: "state it in your final message instead",
      cause,
    });
  }
  try {
    for (const end = Date.now() + waitMs; Date.now() < end; await after(pollMs)) {
      if (existsSync(answer)) return readFileSync(answer, "utf8");
      if (!existsSync(folder)) return "";
    }
    return undefined;
  } finally {
    for (const path of [request, answer]) rmSync(path, { force: true });
  }
}
