import { spawnSync } from "node:child_process";

/** Milliseconds from the start to the end of an empty program on the machine of docs/benchmarks.md, while tests run. */
const usualMs = 6;

/**
 * Returns `ms`, a time limit that holds on the machine of docs/benchmarks.md, times how much slower this one is right now, measured by the
 * median time of five starts of an empty program. For what takes processor time or starts processes, not for a product's own deadline.
 */
export function scaledLimit(ms: number): number {
  const taken = Array.from({ length: 5 }, () => {
    const start = performance.now();
    spawnSync("true");
    return performance.now() - start;
  });
  const [, , median = usualMs] = taken.toSorted((a, b) => a - b);
  return ms * Math.max(1, median / usualMs);
}
