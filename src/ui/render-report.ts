import { formatDuration } from "../base/duration.ts";
import { clip, count, oneLine } from "../base/text.ts";
import type { RunReport } from "../events/run-events.ts";
import { redact } from "../trust/redact.ts";
import { stripControls } from "../trust/terminal.ts";
import type { Paint } from "./paint.ts";
import { wrap } from "./report/wrap.ts";

const width = 80;
/** Maximum lines of a list; the rest is counted. */
const maxLines = 10;

/** Returns the summary of a run in at most 80 columns: attempts, cost and time by model, interruptions, what was learned. */
export function renderReport(report: RunReport, paint: Paint): readonly string[] {
  const { attempts, done, agentMs, byModel, interruptions, commits, memory } = report;
  const failed = attempts - done;
  const tally = `${count(attempts, "attempt")}: ${done} done, ${failed} failed; ${formatDuration(agentMs)} in agent and verification`;
  return [
    ...labelled("attempts", [attempts === 0 ? "none" : tally], paint),
    ...labelled("cost", byModel.length === 0 ? [] : [costOf(report)], paint),
    ...labelled("models", byModel.length === 0 ? [] : modelTable(byModel), paint),
    ...labelled("waited", interruptions.filter(hasWaited).map(interruptionOf), paint),
    ...labelled("interrupted", interruptions.filter((one) => !hasWaited(one)).map(interruptionOf), paint),
    ...labelled("learned", learnedOf(memory), paint),
    ...labelled("helped", helpedOf(memory), paint),
    ...labelled(
      "commits",
      commits.map(({ hash, subject }) => `${hash.slice(0, 9)} ${subject}`),
      paint,
    ),
  ];
}

/** Returns unfinished tasks, each with its full reason, wrapped instead of clipped. */
export function renderNeeds(
  needs: readonly { readonly id: string; readonly title: string; readonly reason: string }[],
  paint: Paint,
): readonly string[] {
  const lines = needs.slice(0, 2 * maxLines).flatMap(({ id, title, reason }) => {
    const why = wrap(safe(reason), width - 4, 4).map((line) => `    ${line}`);
    return [`  ${paint("bad", "⊘")} ${clip(`${safe(id)} ${safe(title)}`, width - 4)}`, ...why];
  });
  const left = needs.length - 2 * maxLines;
  return left > 0 ? [...lines, `  … and ${left} more: ralph task list --status blocked`] : lines;
}

/** Returns the ids of tasks that only wait for others and need no action. */
export function renderWaiting(waiting: readonly { readonly id: string }[], paint: Paint): readonly string[] {
  if (waiting.length === 0) return [];
  const ids = waiting.slice(0, maxLines).map(({ id }) => safe(id));
  const left = waiting.length - ids.length;
  const rest = left > 0 ? ` and ${left} more` : "";
  const text = `${count(waiting.length, "task")} ${waiting.length === 1 ? "waits" : "wait"} for these: ${ids.join(", ")}${rest}`;
  return wrap(text, width - 4, 2).map((line, at) =>
    at === 0 ? `  ${paint("dim", "…")} ${line}` : `  ${line}`,
  );
}

function safe(text: string): string {
  return stripControls(redact(oneLine(text)));
}

const labelWidth = 14;

/** Puts the label before the first line. Clips long lists and long lines with `…`. */
function labelled(label: string, lines: readonly string[], paint: Paint): readonly string[] {
  const shown = lines.slice(0, maxLines);
  const left = lines.length - shown.length;
  const all = left > 0 ? [...shown, `… and ${left} more`] : shown;
  return all.map((line, at) => {
    const before = at === 0 ? `  ${label}`.padEnd(labelWidth) : " ".repeat(labelWidth);
    return paint("dim", before) + clip(stripControls(redact(line)), width - labelWidth);
  });
}

function costOf({ byModel }: RunReport): string {
  const unpriced = byModel.reduce((sum, row) => sum + row.unpriced, 0);
  if (byModel.every(({ costUsd }) => costUsd === null)) return "unknown: the agent does not report its cost";
  const known = byModel.reduce((sum, row) => sum + (row.costUsd ?? 0), 0);
  const rest = unpriced > 0 ? `, without ${count(unpriced, "attempt")} of unknown cost` : "";
  return `$${known.toFixed(2)} as reported by the agents${rest}`;
}

function modelTable(rows: RunReport["byModel"]): readonly string[] {
  const line = (cells: readonly [string, string, string, string, string]): string =>
    cells
      .map((cell, at) => (at === 0 ? clip(cell, 26).padEnd(26) : cell.padStart(at === 1 ? 9 : 10)))
      .join("");
  return [
    line(["", "attempts", "done", "cost", "time"]),
    ...rows.map(({ model, attempts, done, costUsd, durationMs }) =>
      line([
        safe(model),
        String(attempts),
        String(done),
        costUsd === null ? "unknown" : `$${costUsd.toFixed(2)}`,
        formatDuration(durationMs),
      ]),
    ),
  ];
}

function hasWaited({ waitedMs }: RunReport["interruptions"][number]): boolean {
  return waitedMs >= 1000;
}

function interruptionOf(interruption: RunReport["interruptions"][number]): string {
  const { kind, times, waitedMs } = interruption;
  const waited = hasWaited(interruption) ? `waited ${formatDuration(waitedMs)}, ` : "";
  return `${times} × ${safe(kind).replaceAll("_", " ")}: ${waited}attempts not counted`;
}

/** Groups learnings that helped in the same way on one line. */
function helpedOf({ helped }: RunReport["memory"]): readonly string[] {
  const byHow = new Map<string, string[]>();
  for (const { id, how } of helped) byHow.set(how, [...(byHow.get(how) ?? []), id]);
  return [...byHow].map(([how, ids]) => {
    const learnings = ids.filter((id) => id.startsWith("l-"));
    return learnings.length === 0 ? how : `${learnings.join(", ")}: ${how}`;
  });
}

function learnedOf({ captured }: RunReport["memory"]): readonly string[] {
  return captured.length === 0 ? [] : [captured.map(({ what, count: n }) => count(n, what)).join(", ")];
}
