import { isAbsolute, join } from "node:path";
import { runProgram } from "../../agents/run-program.ts";
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import { sha256 } from "../../base/hash.ts";
import { type SafeText, safe } from "../../base/safe-text.ts";
import { childEnvironment } from "../../config/environment.ts";
import type { EventHookSettings } from "../../config/event-hook.ts";
import { filesOutlet, startEventFiles } from "../../events/event-files.ts";
import { lastEventNumber, record } from "../../events/event-store.ts";
import { type Hook, startHooks } from "../../events/hooks.ts";
import { openCursors } from "../../events/outlet-cursors.ts";
import { backUpStore } from "../../store/backups.ts";
import type { Db } from "../../store/port/db.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { backupFolder } from "../project/store-path.ts";
import type { PreparedRun } from "./prepare-run.ts";

/** Maximum wait for hooks and event files at the end of a run. */
const drainMs = 10_000;
const forcedDrainMs = 1000;

interface EventOutlets {
  /** Waits a bounded time for events that are still to be delivered; at most a second when the run was asked to stop. */
  close(asked: { readonly stopping: boolean }): Promise<void>;
}

/** Delivers a run's events to `events.dir` and `events.hooks` (CTX-2, CTX-4). Failures never fail or delay the run. */
export async function openOutlets(run: PreparedRun): Promise<EventOutlets> {
  const { dir, hooks } = run.project.loaded.settings.events;
  if (dir === null && hooks.length === 0) return { close: async () => undefined };
  const named = hooks.map((hook) => toHook(hook, run));
  const cursors = await openCursors(
    join(run.root, ".ralph", "outlets.json"),
    [filesOutlet, ...named.map(({ id }) => id)],
    await lastEventNumber(run.db),
  );
  const notes: Promise<unknown>[] = [];
  const note = (data: Record<string, string>): void => {
    const noted = run.db
      .transaction((tx) => record(tx, { type: "hook.failed", runId: run.runId, data }, run.clock.now()))
      .then(() => run.log.flush());
    notes.push(noted.catch(() => undefined));
  };
  const { log } = run;
  const open: { drain(ms: number): Promise<void> }[] = [];
  if (dir !== null) {
    const folder = isAbsolute(dir) ? dir : join(run.root, dir);
    const onFailure = (error: unknown): void =>
      note({ hook: "events.dir", event: "*", error: messageOf(error) });
    open.push(startEventFiles({ log, folder, cursors, onFailure }));
  }
  if (hooks.length > 0)
    open.push(startHooks({ log, hooks: named, cursors, onFailure: (failure) => note({ ...failure }) }));
  return {
    close: async ({ stopping }) => {
      await Promise.all(open.map((outlet) => outlet.drain(stopping ? forcedDrainMs : drainMs)));
      await Promise.all(notes);
      await cursors.close();
    },
  };
}

function toHook(hook: EventHookSettings, run: PreparedRun): Hook {
  const { on, run: argv, url, timeoutMs } = hook;
  const id = sha256(JSON.stringify(hook));
  if (url !== null) {
    // The path may contain a key.
    return {
      on,
      id,
      name: new URL(url).origin,
      send: (json, over) => post(url, json, AbortSignal.any([over, AbortSignal.timeout(timeoutMs)])),
    };
  }
  const [program = "", ...args] = argv ?? [];
  const send = async (stdin: string, signal: AbortSignal): Promise<void> => {
    const { root: cwd, isolation } = run;
    const call = { cwd, env: childEnvironment(), stdin, timeoutMs, signal, isolation };
    const why = await runProgram({ ...call, argv: [program, ...args] });
    if (why !== null) throw new Error(why);
  };
  return { on, id, name: program, send };
}

/** Posts to the approved address only; a redirection counts as a failure. */
async function post(url: string, body: string, signal: AbortSignal): Promise<void> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", body, headers, signal, redirect: "manual" });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`HTTP status ${answer.status}`);
}

interface Backed {
  readonly root: string;
  readonly db: Db;
  readonly clock: Clock;
  readonly notify: (text: SafeText) => void;
}

const everyMs = 3_600_000;

/** Backs up the run's store once an hour, and at its end (TRUST-8); a server has its own. A backup that fails is a warning. */
export function startBackups({ root, db, clock, notify }: Backed): { close: () => Promise<void> } {
  if (!db.file) return { close: async () => undefined };
  const folder = backupFolder(root, db.location);
  const backUp = (): Promise<void> =>
    backUpStore(db.location, folder, clock.now()).catch((error: unknown) => {
      notify(
        safe`warning: cannot back up the store to ${safeLine(folder)}: ${safeLine(messageOf(error), 300)}`,
      );
    });
  const timer = setInterval(() => void backUp(), everyMs);
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      await backUp();
    },
  };
}
