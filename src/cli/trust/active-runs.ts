import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { lookThrough, makeFolders } from "../../base/careful-files.ts";
import { isObject, parseJson } from "../../base/json.ts";
import type { Owner } from "../../base/owner.ts";
import { directories } from "../../config/directories.ts";
import { writeFileSafely } from "../../trust/safe-file.ts";

/** A run of any project of this user. */
export interface ActiveRun {
  readonly store: string;
  readonly owner: Owner;
  /** False if its heartbeat stopped, which shows the end of a process that cannot be observed. */
  readonly holdsLease: boolean;
}

const staleMs = 60_000;

function folder(): string {
  return join(directories().state, "ralph", "runs");
}

/**
 * Lists a run beside the approvals, so that approvals can be refused to the agents of all projects. Returns a function that
 * ends it. A folder that cannot be written leaves the run unlisted; the project's own store still knows it.
 */
export async function listRun(run: {
  readonly root: string;
  readonly store: string;
  readonly runId: string;
  readonly owner: Owner;
}): Promise<() => void> {
  const path = join(folder(), `${run.runId}.json`);
  const { root, store, runId, owner } = run;
  const text = JSON.stringify({ store, heartbeat: join(root, ".ralph", "alive", runId), owner });
  try {
    makeFolders(folder());
    await writeFileSafely(path, `${text}\n`, { root: folder(), durable: false });
  } catch {
    return () => undefined;
  }
  return () => rmSync(path, { force: true });
}

/** Returns the listed runs whose process may be alive; removes the others from the list. */
export async function activeRuns(): Promise<readonly ActiveRun[]> {
  const names = namesIn(folder());
  if (names.length === 0) return [];
  const { ownerIsAlive } = await supervision();
  return names.flatMap((name) => {
    const path = join(folder(), name);
    const run = readRun(path);
    if (run && ownerIsAlive(run.owner)) return [run];
    if (run) rmSync(path, { force: true });
    return [];
  });
}

/** Loads process supervision on demand, because few commands need it. */
export async function isOwnerAlive(owner: Owner): Promise<boolean> {
  return (await supervision()).ownerIsAlive(owner);
}

function supervision(): Promise<typeof import("../../agents/supervision.ts")> {
  return import("../../agents/supervision.ts");
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path).filter((name) => /^[\w-]+\.json$/.test(name));
  } catch {
    return [];
  }
}

function readRun(path: string): ActiveRun | undefined {
  try {
    // Opening a pipe would block.
    if (!statSync(path).isFile()) return undefined;
    const content = parseJson(readFileSync(path, "utf8"));
    if (!isObject(content)) return undefined;
    const { store, heartbeat, owner } = content;
    if (typeof store !== "string" || typeof heartbeat !== "string" || !isObject(owner)) return undefined;
    const { pid, startTime, bootId, host } = owner;
    if (typeof pid !== "number" || typeof startTime !== "string") return undefined;
    if (typeof bootId !== "string" || typeof host !== "string") return undefined;
    const beat = lookThrough(heartbeat);
    const holdsLease = !beat || Date.now() - beat.mtimeMs < staleMs;
    return { store, owner: { pid, startTime, bootId, host }, holdsLease };
  } catch {
    return undefined;
  }
}
