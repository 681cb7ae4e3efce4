import { isAbsolute, join } from "node:path";
import { runProgram } from "../../agents/run-program.ts";
import { messageOf } from "../../base/errors.ts";
import { childEnvironment } from "../../config/environment.ts";
import type { EventHookSettings } from "../../config/event-hook.ts";
import { startEventFiles } from "../../events/event-files.ts";
import { type Hook, startHooks } from "../../events/hooks.ts";
import { record } from "../../events/outbox-store.ts";
import type { PreparedRun } from "./prepare-run.ts";

/** The longest that a run's end waits for hooks and files. */
const drainMs = 10_000;
const forcedDrainMs = 1000;

interface EventOutlets {
  /** Waits a bounded time for what is still to be told; hardly any when a person asked to stop. */
  close(asked: { readonly hurry: boolean }): Promise<void>;
}

/** `events.dir` and `events.hooks` of a run (CTX-2, CTX-4). Nothing in here fails or holds up the run. */
export function openOutlets(run: PreparedRun): EventOutlets {
  const { dir, hooks } = run.project.loaded.settings.events;
  const notes: Promise<unknown>[] = [];
  const note = (data: Record<string, string>): void => {
    const noted = run.db
      .transaction((tx) => record(tx, { type: "hook.failed", runId: run.runId, data }, run.clock.now()))
      .then(() => run.log.flush());
    notes.push(noted.catch(() => undefined));
  };
  const open = [
    ...(dir === null
      ? []
      : [
          startEventFiles({
            log: run.log,
            folder: isAbsolute(dir) ? dir : join(run.root, dir),
            onFailure: (error) => note({ hook: "events.dir", event: "*", error: messageOf(error) }),
          }),
        ]),
    ...(hooks.length === 0
      ? []
      : [
          startHooks({
            log: run.log,
            hooks: hooks.map((hook) => toHook(hook, run)),
            onFailure: (failure) => note({ ...failure }),
          }),
        ]),
  ];
  return {
    close: async ({ hurry }) => {
      await Promise.all(open.map((outlet) => outlet.drain(hurry ? forcedDrainMs : drainMs)));
      await Promise.all(notes);
    },
  };
}

function toHook({ on, run: argv, url, timeoutMs }: EventHookSettings, run: PreparedRun): Hook {
  if (url !== null) {
    // The path may hold a key.
    return {
      on,
      name: new URL(url).origin,
      send: (json, over) => post(url, json, deadline(over, timeoutMs)),
    };
  }
  const [program = "", ...args] = argv ?? [];
  const send = async (stdin: string, signal: AbortSignal): Promise<void> => {
    const { root: cwd, isolation } = run;
    const call = { cwd, env: childEnvironment(), stdin, timeoutMs, signal, isolation };
    const why = await runProgram({ ...call, argv: [program, ...args] });
    if (why !== null) throw new Error(why);
  };
  return { on, name: program, send };
}

function deadline(over: AbortSignal, ms: number): AbortSignal {
  return AbortSignal.any([over, AbortSignal.timeout(ms)]);
}

/** Nowhere else than to the address that was approved: a redirection is a failure. */
async function post(url: string, body: string, signal: AbortSignal): Promise<void> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", body, headers, signal, redirect: "manual" });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`it answered ${answer.status}`);
}
