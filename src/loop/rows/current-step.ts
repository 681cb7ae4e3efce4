import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, parseJson } from "../../base/json.ts";
import { writeFileSafely } from "../../trust/safe-file.ts";

/** The agents' last steps by iteration, for whoever shows the run alone: an agent can write this file. */
const file = join("cache", "step.json");
const writeMs = 1000;
const maxBytes = 64 * 1024;
/** The iterations whose steps are kept: those of all slots, and a few that have ended. */
const maxKept = 32;

export interface StepWriter {
  /** Stores an iteration's step within a second; a failed write is ignored. */
  keep(iterationId: string, step: string): void;
}

export function stepWriter({
  folder,
  projectRoot: root,
}: {
  readonly folder: string;
  readonly projectRoot: string;
}): StepWriter {
  const steps = new Map<string, string>();
  let isDue = false;
  const write = (): void => {
    isDue = false;
    const data = JSON.stringify(Object.fromEntries(steps));
    void writeFileSafely(join(folder, file), data, { root, durable: false }).catch(() => undefined);
  };
  return {
    keep: (iterationId, step) => {
      steps.delete(iterationId);
      steps.set(iterationId, step.slice(0, 1000));
      for (const [oldest] of steps) if (steps.size > maxKept) steps.delete(oldest);
      if (!isDue) setTimeout(write, writeMs).unref();
      isDue = true;
    },
  };
}

/** Returns the last step of the iteration's agent; null: none is stored. Synchronous and without further modules, as
 * `ralph status` starts fast. */
export function readStep(folder: string, iterationId: string): string | null {
  try {
    const stats = lstatSync(join(folder, file));
    if (!stats.isFile() || stats.size > maxBytes) return null;
    const steps = parseJson(readFileSync(join(folder, file), "utf8"));
    const step = isObject(steps) && Object.hasOwn(steps, iterationId) ? steps[iterationId] : null;
    return typeof step === "string" ? step : null;
  } catch {
    return null;
  }
}
