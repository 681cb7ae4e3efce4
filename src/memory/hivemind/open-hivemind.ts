import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, RalphError } from "../../base/errors.ts";
import type { Db } from "../../store/port/db.ts";
import { busyMs, type HivemindConnection, isLocked, openFile } from "./hivemind-connection.ts";

interface HivemindCall {
  readonly path: string;
  /** How long to wait for the locks of other processes, in milliseconds. */
  readonly deadlineMs: number;
  /** The connection to use again; absent: the file is opened for this call alone. */
  readonly connection?: HivemindConnection | undefined;
}

/**
 * Opens the shared memory and closes it again after the call, unless a connection is given. Waits for locks in short
 * steps that let other work of this process run.
 *
 * @throws RalphError `RALPH_HIVEMIND_UNAVAILABLE` with the reason
 */
export async function writeHivemind<T>(call: HivemindCall, work: (db: Db) => Promise<T>): Promise<T> {
  return withinDeadline(call, () => inStore(call, false, work));
}

/** As `writeHivemind`, read only. Returns undefined while the file does not exist. */
export async function readHivemind<T>(
  call: HivemindCall,
  work: (db: Db) => Promise<T>,
): Promise<T | undefined> {
  if (!existsSync(call.path)) return undefined;
  return withinDeadline(call, () => inStore(call, true, work));
}

async function inStore<T>(
  { path, connection }: HivemindCall,
  readOnly: boolean,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  if (connection) return connection.use(work);
  const db = await openFile(path, readOnly);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

async function withinDeadline<T>({ path, deadlineMs }: HivemindCall, call: () => Promise<T>): Promise<T> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isLocked(error) || performance.now() + busyMs > end) throw unavailable(path, error, deadlineMs);
    }
    // Random, so that waiting processes do not retry in lockstep.
    await sleep(1 + Math.random() * 20);
  }
}

/** Reports whether a call took too long. */
export function isTimeout(error: unknown): boolean {
  return error instanceof RalphError && (isLocked(error.cause) || isSwarmTimeout(error.cause));
}

function isSwarmTimeout(error: unknown): boolean {
  return error instanceof RalphError && error.code === "RALPH_HIVEMIND_TIMEOUT";
}

interface Problem {
  readonly why: string;
  readonly hint: string;
}

const moved = "move the file away: ralph begins a new one";
const problems: Readonly<Record<string, Problem>> = {
  RALPH_STORE_CORRUPT: { why: "it is damaged", hint: moved },
  RALPH_STORE_INCOMPLETE: { why: "it lacks a table", hint: moved },
  RALPH_STORE_FOREIGN: { why: "it is a file of another program", hint: "set hivemind.store to another path" },
  RALPH_STORE_NEWER: {
    why: "a newer version of ralph wrote it",
    hint: "update ralph: npm install -g ralph-remembers@latest",
  },
  RALPH_STORE_READ_ONLY: { why: "it is read-only", hint: "make the file and its folder writable for you" },
  RALPH_STORE_FULL: { why: "the disk is full", hint: "free some space" },
  RALPH_STORE_PATH: { why: "it is not a regular file", hint: "set hivemind.store to the path of a file" },
};

function unavailable(path: string, cause: unknown, deadlineMs: number): RalphError {
  const { why, hint } = isLocked(cause)
    ? {
        why: `another process held its lock for more than ${Math.round(deadlineMs / 100) / 10} s`,
        hint: "wait for the other process or end it",
      }
    : ((cause instanceof RalphError ? problems[cause.code] : undefined) ?? {
        why: messageOf(cause),
        hint: "check that you may read and write the file and its folder",
      });
  return new RalphError("RALPH_HIVEMIND_UNAVAILABLE", `the hivemind ${path} is not available: ${why}`, {
    hint,
    cause,
  });
}
