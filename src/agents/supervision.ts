import { RalphError } from "../base/errors.ts";
import type { Owner } from "../base/owner.ts";
import type { SandboxSettings } from "../base/shared-settings.ts";
import * as identity from "../process/identity.ts";
import { namespacePrefix } from "../process/isolation-probe.ts";
import * as reap from "../process/kill-leftovers.ts";
import * as death from "../process/watch-for-death.ts";
import type { IsolationLevel } from "./port/confinement.ts";

/** Identifies this process for a claim or a run. */
export function thisOwner(): Owner {
  return identity.thisOwner();
}

/** False only if `owner` is certainly gone; on another host, or in another PID namespace, it counts as alive. */
export function ownerIsAlive(owner: Owner): boolean {
  return identity.isAlive(owner);
}

/** Sends SIGKILL to the process of `owner`; false if it runs on another host or not at all. */
export function killOwner(owner: Owner): boolean {
  const here = identity.thisOwner();
  return owner.host === here.host && identity.isAlive(owner) && reap.sendSignal(owner.pid, "SIGKILL");
}

/** Kills the processes with `marker` that a killed ralph left running. Returns how many there were. */
export async function killMarked(marker: string): Promise<number> {
  return await reap.killMarked(marker);
}

/** Starts a watcher that, when this process dies, kills its agent and appends `died` to the open file `fd`. */
export function watchForDeath(fd: number): { end(): void } {
  return death.watchForDeath(fd);
}

/**
 * Determines the isolation level of agents. `auto`: the best that this system supports, by a trial run (5 ms). Throws
 * RALPH_ISOLATION_MISSING if isolation is required (`required`, `strict`) and the system does not support it.
 */
export async function detectIsolation(want: SandboxSettings["level"]): Promise<IsolationLevel> {
  if (want === "off") return "process-group";
  if (await namespacePrefix()) return "pid-namespace";
  if (want === "auto") return "process-group";
  throw new RalphError(
    "RALPH_ISOLATION_MISSING",
    `\`sandbox: ${want}\` is set, but this system does not allow a PID namespace.`,
    {
      hint: "On Linux, install util-linux and allow user namespaces (or run as root); or set `sandbox: auto`.",
    },
  );
}
