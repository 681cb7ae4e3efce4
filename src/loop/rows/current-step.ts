import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, parseJson } from "../../base/json.ts";
import { writeFileSafely } from "../../trust/safe-file.ts";

/** The running agent's last step, for `ralph status` alone: an agent can write this file. */
const file = join("cache", "step.json");
const writeMs = 1000;
const maxBytes = 4096;

interface StepWriter {
  /** Stores the step within a second; a failed write is ignored. */
  keep(step: string): void;
  end(): void;
}

export function stepWriter(
  { folder, root }: { readonly folder: string; readonly root: string },
  iterationId: string,
): StepWriter {
  let next: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    if (next === undefined) return;
    const data = JSON.stringify({ iterationId, step: next });
    next = undefined;
    timer = setTimeout(pause, writeMs).unref();
    void writeFileSafely(join(folder, file), data, { root, durable: false }).catch(() => undefined);
  };
  const pause = (): void => {
    timer = undefined;
    write();
  };
  return {
    keep: (step) => {
      next = step;
      timer ??= setTimeout(pause, writeMs).unref();
    },
    end: () => clearTimeout(timer),
  };
}

/** Returns the last step of the iteration's agent; null: none is stored. Synchronous and without further modules, as
 * `ralph status` starts fast. */
export function readStep(folder: string, iterationId: string): string | null {
  try {
    const stats = lstatSync(join(folder, file));
    if (!stats.isFile() || stats.size > maxBytes) return null;
    const value = parseJson(readFileSync(join(folder, file), "utf8"));
    if (!isObject(value) || value["iterationId"] !== iterationId) return null;
    return typeof value["step"] === "string" ? value["step"] : null;
  } catch {
    return null;
  }
}
