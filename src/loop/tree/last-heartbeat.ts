import { type FileHandle, lstat, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { watchForDeath } from "../../agents/supervision.ts";
import { makeFolders } from "../../base/careful-files.ts";
import type { IterationRow } from "../rows/iteration-store.ts";
import type { Loop } from "../rows/loop.ts";
import { type Repeated, repeat } from "../rows/repeat.ts";
import type { RunRow } from "../rows/run-store.ts";

/** Milliseconds between two heartbeats. */
const beatMs = 1000;
/** Milliseconds after the watcher's mark in which the last call of a killed agent may still complete. */
const afterMarkMs = 500;

/** The time when a killed run was last alive, by the clock that also times file changes. */
export interface LastHeartbeat {
  readonly ms: number;
  /** Returns true for a time (nanoseconds since 1970) that is more than one beat later, or half of one after the watcher's mark. */
  wasDeadAt(ns: bigint): boolean;
}

/**
 * Maintains a file whose change time shows how long this run lived: touched once a second, and once more by a watcher when
 * this process has died and its agent with it. The file is in the project's file system, so one clock times both.
 */
export async function startHeartbeat(loop: Pick<Loop, "folder" | "runId">): Promise<Repeated> {
  const path = fileOf(loop, loop.runId);
  let file: FileHandle;
  try {
    makeFolders(join(loop.folder, "alive"));
    file = await open(path, "wx", 0o600);
  } catch {
    // Recovery then uses the start of the iteration: all later changes count as a user's.
    return { stop: async () => undefined };
  }
  const watch = watchForDeath(file.fd);
  const beats = repeat(beatMs, () => file.utimes(new Date(), new Date()));
  return {
    stop: async () => {
      await beats.stop();
      watch.end();
      await file.close();
      // An agent may have put something else in the folder's place.
      await rm(path, { force: true }).catch(() => undefined);
    },
  };
}

/**
 * Returns when the killed run of the first crashed iteration (else the first of `dead`) was last alive; undefined when
 * there is none.
 */
export async function lastHeartbeatOf(
  loop: Pick<Loop, "folder" | "runId">,
  dead: readonly RunRow[],
  [iteration]: readonly IterationRow[],
): Promise<LastHeartbeat | undefined> {
  const [run] = dead;
  const runId = iteration?.runId ?? run?.id;
  if (runId === undefined) return undefined;
  const last = await changeOf(fileOf(loop, runId));
  if (last === undefined)
    return heartbeatAt(Date.parse(iteration?.startedAt ?? run?.startedAt ?? "") || 0, beatMs);
  const present = await changeOf(fileOf(loop, loop.runId));
  // The clock was set back: no change is provably the agent's.
  if (present !== undefined && present.ms < last.ms) return { ms: 0, wasDeadAt: () => true };
  return heartbeatAt(last.ms, last.isMarked ? afterMarkMs : beatMs);
}

function heartbeatAt(ms: number, toleranceMs: number): LastHeartbeat {
  // A change time in milliseconds is exact to a quarter of a microsecond only.
  const latest = BigInt(Math.ceil((ms + toleranceMs) * 1e3 + 0.5)) * 1000n;
  return { ms, wasDeadAt: (ns) => ns > latest };
}

/** Returns when a heartbeat file was changed last, in milliseconds, and whether by the watcher; undefined: there is none. */
async function changeOf(
  path: string,
): Promise<{ readonly ms: number; readonly isMarked: boolean } | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() ? { ms: stats.ctimeMs, isMarked: stats.size > 0 } : undefined;
}

/** Removes the files of other runs: they have ended. */
export async function forgetOtherRuns(loop: Pick<Loop, "folder" | "runId">): Promise<void> {
  const folder = join(loop.folder, "alive");
  const names = await readdir(folder).catch(() => []);
  // Folders too, which an agent may have made.
  const options = { recursive: true, force: true };
  for (const name of names) if (name !== loop.runId) await rm(join(folder, name), options);
}

function fileOf({ folder }: Pick<Loop, "folder">, runId: string): string {
  return join(folder, "alive", runId);
}
