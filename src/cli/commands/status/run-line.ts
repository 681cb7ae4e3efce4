import { formatDuration } from "../../../base/duration.ts";
import { type SafeText, safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import type { RunRow } from "../../../loop/rows/run-store.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { utc } from "../../../view/format.ts";

interface Counted extends RunRow {
  readonly active: boolean;
  readonly attempts: number;
  readonly done: number;
}

/** Returns how the latest run stands. */
export function describeRun(run: Counted): SafeText {
  if (run.active) return describeActive(run);
  if (run.endedAt === null) return safe`${storedText(run.id)} was killed; run \`ralph run\` to recover it`;
  const on = run.machine === undefined ? "" : ` on ${run.machine}`;
  const iterations = count(run.iterations, "iteration");
  return storedText(
    `${run.id} ended ${utc(run.endedAt)}${on}: ${run.stopReason}, ${iterations}; ${run.done} of ${count(run.attempts, "attempt")} done (ralph log ${run.id})`,
  );
}

/** Returns what an active run does, and where. */
export function describeActive(run: RunRow): SafeText {
  const since = formatDuration(Date.now() - Date.parse(run.pausedAt ?? run.startedAt));
  const on = run.machine === undefined ? safe`` : safe` on ${storedText(run.machine)}`;
  return safe`${storedText(run.id)} ${activityOf(run)} for ${since} (process ${run.owner.pid}${on}), ${count(run.iterations, "iteration")}`;
}

function activityOf({ control, pausedAt }: RunRow): SafeText {
  if (pausedAt !== null) return safe`paused`;
  if (control === "pause") return safe`active, pausing after this iteration,`;
  return control === null ? safe`active` : safe`active, stopping,`;
}
