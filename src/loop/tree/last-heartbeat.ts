import { type FileHandle, lstat, open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { markDelay, watchForDeath } from "../../agents/supervision.ts";
import { makeFolders } from "../../base/careful-files.ts";
import type { IterationRow } from "../rows/iteration-store.ts";
import type { Loop } from "../rows/loop.ts";
import { type RunRow, runById } from "../rows/run-store.ts";

/** Milliseconds between two heartbeats. */
const beatMs = 1000;

/** Nanoseconds by which a busy machine can delay a heartbeat. */
const toleranceNs = 5_000_000_000n;

/** Milliseconds to wait for the mark of a run that died within the tolerance: a busy machine delays the watcher. */
const markWaitMs = 2000;

/** Nanoseconds. On a system that counts in clock ticks, changes closer than this have the same time. */
const tickNs = 900_000n;

/** The time when a killed run was last alive, by the clock that also times file changes. */
export interface LastHeartbeat {
  readonly ms: number;
  /** Returns true for a time (nanoseconds since 1970) at which the run was certainly dead. */
  wasDeadAt(ns: bigint): boolean;
}

interface Beat {
  stop(): Promise<void>;
}

/**
 * Maintains a file whose change time shows how long this run lived: touched once a second, and once more by a watcher
 * when this process dies. The file is in the project's file system, so one clock times both.
 */
export async function startHeartbeat(loop: Pick<Loop, "folder" | "runId">): Promise<Beat> {
  const path = fileOf(loop, loop.runId);
  let file: FileHandle;
  try {
    makeFolders(join(loop.folder, "alive"));
    file = await open(path, "wx", 0o600);
  } catch {
    // Recovery then uses the start of the iteration: all later changes count as a user's.
    return { stop: async () => undefined };
  }
  const resolution = (await countsFine(file)) ? "fine\n" : "coarse\n";
  await file.writeFile(`${resolution}${beatLine(await touch(file))}`);
  const beat = async (): Promise<unknown> => file.write(beatLine(await touch(file)), resolution.length);
  await beat();
  const watch = watchForDeath(file.fd);
  const timer = setInterval(() => void beat().catch(() => undefined), beatMs);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      watch.end();
      await file.close();
      // An agent may have put something else in the folder's place.
      await rm(path, { force: true }).catch(() => undefined);
    },
  };
}

/** The time of a beat, by the clock of the file's own file system. All lines have the same length. */
function beatLine(ns: bigint): string {
  return `beat ${String(ns).padStart(20, "0")}\n`;
}

/** Returns the time of the change. Reading it makes Linux give the next change its exact time. */
async function touch(file: FileHandle): Promise<bigint> {
  const now = new Date();
  await file.utimes(now, now);
  return (await file.stat({ bigint: true })).ctimeNs;
}

/** Returns true when two changes within one clock tick have different times. A busy machine may need several tries. */
async function countsFine(file: FileHandle): Promise<boolean> {
  let before = await touch(file);
  for (let tries = 0; tries < 20; tries++) {
    const now = await touch(file);
    if (now > before && now - before < tickNs) return true;
    before = now;
  }
  return false;
}

/**
 * Returns when the killed run of the first crashed iteration (else the first of `dead`) was last alive; undefined when
 * there is none.
 */
export async function lastHeartbeatOf(
  loop: Pick<Loop, "db" | "folder" | "runId">,
  dead: readonly RunRow[],
  [iteration]: readonly IterationRow[],
): Promise<LastHeartbeat | undefined> {
  const run = iteration ? await runById(loop.db, iteration.runId) : dead[0];
  const runId = iteration?.runId ?? run?.id;
  if (runId === undefined) return undefined;
  const path = fileOf(loop, runId);
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  if (!found?.isFile()) return estimate(run, iteration);
  const last = found.ctimeNs;
  const present = await lstat(fileOf(loop, loop.runId), { bigint: true }).catch(() => undefined);
  // The clock was set back: no change is provably the agent's.
  if (present && present.ctimeNs < last) return { ms: 0, wasDeadAt: () => true };
  const isRecent = present !== undefined && present.ctimeNs < last + toleranceNs;
  const text = await readMarked(path, isRecent ? markWaitMs : 0);
  if (/^died$/m.test(text)) {
    const { ctimeNs } = await lstat(path, { bigint: true });
    return atDeath(text, ctimeNs - markDelay(text));
  }
  // Only of a run that is over for longer than the tolerance is it known that nobody edited a file within it.
  const latest = isRecent ? last : last + toleranceNs;
  return { ms: Number(last / 1_000_000n), wasDeadAt: (ns) => ns > latest };
}

/**
 * Decides by the mark, unless no beat came for longer than a busy machine explains: then the mark was late. What changed up
 * to one beat after the last is the agent's: the mark's estimated delay can be too long.
 */
function atDeath(text: string, death: bigint): LastHeartbeat {
  const beat = /^beat (\d+)$/m.exec(text)?.[1];
  const latest = beat === undefined ? death : BigInt(beat) + toleranceNs;
  if (latest < death) return { ms: Number(latest / 1_000_000n), wasDeadAt: (ns) => ns > latest };
  const isFine = text.startsWith("fine\n");
  const kept = beat === undefined ? 0n : BigInt(beat) + BigInt(beatMs) * 1_000_000n;
  const wasDeadAt = (ns: bigint): boolean => ns > kept && (isFine ? ns >= death : ns > death);
  return { ms: Number(death / 1_000_000n), wasDeadAt };
}

/** Returns the text of the file at `path`, once it has both lines of the mark or after `waitMs`. */
async function readMarked(path: string, waitMs: number): Promise<string> {
  const until = Date.now() + waitMs;
  for (;;) {
    const text = await readFile(path, "utf8").catch(() => "");
    if (/^died\ndied.*\n/m.test(text) || Date.now() >= until) return text;
    await sleep(10);
  }
}

/** Estimates the time for a run without such a file from its rows and its agent's temporary folder. */
async function estimate(
  run: RunRow | undefined,
  iteration: IterationRow | undefined,
): Promise<LastHeartbeat> {
  const folder = iteration && (await lstat(iteration.tmpDir).catch(() => undefined));
  const times = [iteration?.startedAt, run?.startedAt, run?.endedAt].map((at) => Date.parse(at ?? "") || 0);
  const ms = Math.max(folder?.mtimeMs ?? 0, ...times);
  const last = BigInt(Math.round(ms)) * 1_000_000n + toleranceNs;
  return { ms, wasDeadAt: (ns) => ns > last };
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
