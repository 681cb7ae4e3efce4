import { clip, count, oneLine } from "../../base/text.ts";
import { attemptsOf } from "../../outcome/outcome-store.ts";
import type { Reader } from "../../store/db.ts";
import { stripControls } from "../../trust/terminal.ts";
import type { MemoryItem, Recalled, RecallRequest } from "../memory-kind.ts";
import { evidenceOf } from "./evidence.ts";
import { runTally } from "./model-history.ts";
import { metricsOf, type TaskMetrics } from "./strategy-store.ts";
import warning from "./stuck-warning.md";

/** STRAT-4 and STRAT-6: the warning of a stuck task, and how the loop stands. */
export async function recallStatus(db: Reader, request: RecallRequest): Promise<readonly Recalled[]> {
  const metrics = await metricsOf(db, request.task.id);
  return [...(await stuckWarning(db, metrics, request)), await loopStatus(db, request, metrics)];
}

async function stuckWarning(
  db: Reader,
  metrics: TaskMetrics,
  { task, stuckAfter }: RecallRequest,
): Promise<readonly Recalled[]> {
  const failures = metrics.consecutiveFailures;
  const stuck = metrics.stuck || (stuckAfter > 0 && failures >= stuckAfter);
  if (!stuck) return [];
  const evidence = evidenceOf((await attemptsOf(db, task.id)).slice(-failures));
  return [
    block({
      section: "stuck",
      heading: "### Stuck Loop Warning",
      drop: "never",
      text: warning
        .trim()
        .replace("{{failures}}", String(failures))
        .replace("{{evidence}}", () => evidence),
      reason: `${failures} failures in a row: ${evidence}`,
    }),
  ];
}

async function loopStatus(db: Reader, request: RecallRequest, metrics: TaskMetrics): Promise<Recalled> {
  const { iteration, maxIterations, attempt, maxAttempts } = request;
  const { done, total } = await runTally(db, request.runId);
  const ofIterations = maxIterations > 0 ? ` of ${maxIterations}` : "";
  const tries = attempt - request.task.attemptsBefore;
  const ofAttempts = maxAttempts > 0 ? ` of at most ${maxAttempts}` : "";
  const failures = metrics.consecutiveFailures;
  const inARow = failures > 0 ? `, ${count(failures, "failure")} in a row` : "";
  const rate =
    total > 0
      ? [
          `- Run success rate: ${Math.round((100 * done) / total)}% (${done} of ${count(total, "attempt")} done)`,
        ]
      : [];
  const lines = [
    `- Iteration ${iteration}${ofIterations} of this run; attempt ${tries}${ofAttempts} at this task${inARow}`,
    ...rate,
    `- Model: ${inline(request.model, 60)} (${inline(request.rationale, 200)})`,
  ];
  return block({
    section: "status",
    heading: "### Loop Status",
    drop: "last",
    text: lines.join("\n"),
    reason: "where the run stands",
  });
}

function inline(text: string, max: number): string {
  return clip(oneLine(stripControls(text)), max);
}

type Block = Pick<Recalled, "section" | "heading" | "drop"> & Pick<MemoryItem, "text" | "reason">;

/** A section of one item. */
function block({ text, reason, ...section }: Block): Recalled {
  return {
    ...section,
    lead: "",
    items: [{ id: section.section, text, short: "", score: 1, reason }],
    tail: "",
  };
}
