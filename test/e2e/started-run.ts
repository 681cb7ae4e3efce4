import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { type Practice, type RunEvent, ralphStart } from "./practice.ts";

export interface StartedRun {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** The events so far. */
  events(): readonly RunEvent[];
  /** Resolves once there are so many events of the type. */
  seen(type: string, count?: number): Promise<void>;
}

/** Starts `ralph run --json ARGS`, which continues while the test acts. */
export function startRun({ dir, env }: Practice, ...args: readonly string[]): StartedRun {
  const argv = [...ralphStart, "run", "--json", ...args];
  const child = spawn(process.execPath, argv, { cwd: dir, env, stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const events = (): readonly RunEvent[] =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as RunEvent);
  return {
    child,
    ended: new Promise((done) => child.once("close", (code, signal) => done({ code, signal }))),
    events,
    seen: (type, count = 1) =>
      eventually(() => events().filter((event) => event.type === type).length >= count, type),
  };
}

/** Waits until something holds; throws after half a minute. */
export async function eventually(holds: () => boolean, what = "what is waited for"): Promise<void> {
  for (const end = Date.now() + 30_000; !holds(); await sleep(20))
    if (Date.now() > end) throw new Error(`${what} does not come`);
}
