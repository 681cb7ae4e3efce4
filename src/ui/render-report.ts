import { formatDuration } from "../base/duration.ts";
import { decimal, joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import { clip, count, headline, wrapLine } from "../base/text.ts";
import type { RunReport } from "../events/run-summary.ts";
import { safeLine, safeText } from "../trust/safe-text.ts";
import { storedText } from "../trust/stored-text.ts";
import { costText } from "./cost-text.ts";
import type { Paint } from "./paint.ts";
import { receipt } from "./receipt.ts";

/** Maximum lines of a list; the rest is counted. */
const maxLines = 10;

/** Returns the summary of a run in at most `width` columns: attempts, cost and time by model, interruptions, what was learned. */
export function renderReport(report: RunReport, paint: Paint, width: number): readonly SafeText[] {
  const labelled = (label: string, lines: readonly SafeText[], more = 0) =>
    labelledLines(label, lines, { paint, width, more });
  const {
    attempts,
    done,
    agentMs,
    byModel,
    interruptions,
    commits,
    memory,
    warnings,
    moreWarnings,
    added,
    unchanged,
  } = report;
  const failed = attempts - done;
  const tally = safe`${count(attempts, "attempt")}: ${done} done, ${failed} failed; ${formatDuration(agentMs)} in agent and verification`;
  return [
    ...labelled("attempts", [attempts === 0 ? safe`none` : tally]),
    ...labelled("cost", byModel.length === 0 ? [] : [costOf(report)]),
    ...labelled("per task", receipt(byModel)),
    ...labelled("models", byModel.length === 0 ? [] : modelTable(byModel, width)),
    ...labelled(
      "unchanged",
      unchanged.map(
        ({ taskId, why }) => safe`${safeLine(taskId)} done without a change: ${safeLine(why, 300)}`,
      ),
    ),
    ...labelled("added", added === 0 ? [] : [safe`${count(added, "task")}: ralph task list`]),
    ...labelled("waited", interruptions.filter(hasWaited).map(interruptionOf)),
    ...labelled("interrupted", interruptions.filter((one) => !hasWaited(one)).map(interruptionOf)),
    ...labelled(
      "warnings",
      warnings.map(
        ({ taskId, attempt, text, more = 0 }) =>
          safe`${safeLine(taskId)} attempt ${attempt}: ${safeLine(headline(text), 300)}${more === 0 ? "" : safe` (and with ${count(more, "more attempt")})`}`,
      ),
      moreWarnings,
    ),
    ...labelled("learned", countsOf(memory.captured)),
    ...labelled("shown", countsOf(memory.shown ?? [])),
    ...labelled("missing", statedIn(memory.missingContext)),
    ...labelled("wished for", statedIn(memory.wishedSkills)),
    ...labelled("skills", proposalsOf(memory)),
    ...labelled("helped", helpedOf(memory)),
    ...labelled(
      "commits",
      commits.map(({ hash, subject }) => safe`${safeLine(hash.slice(0, 9))} ${safeText(subject)}`),
    ),
  ];
}

/** Returns unfinished tasks, each with its full reason, wrapped instead of clipped. */
export function renderNeeds(
  needs: readonly { readonly id: string; readonly title: string; readonly reason: string }[],
  paint: Paint,
  width: number,
): readonly SafeText[] {
  const lines = needs.slice(0, 2 * maxLines).flatMap(({ id, title, reason }) => {
    const why = wrap(safeLine(reason), width - 4, 4).map((line) => safe`    ${line}`);
    return [
      safe`  ${paint("bad", "⊘")} ${clip(safe`${safeLine(id)} ${safeLine(title)}`, width - 4)}`,
      ...why,
    ];
  });
  const left = needs.length - 2 * maxLines;
  return left > 0 ? [...lines, safe`  … and ${left} more: ralph task list --status blocked`] : lines;
}

/** Returns the ids of tasks that only wait for others and need no action. */
export function renderWaiting(
  waiting: readonly { readonly id: string }[],
  paint: Paint,
  width: number,
): readonly SafeText[] {
  if (waiting.length === 0) return [];
  const ids = waiting.slice(0, maxLines).map(({ id }) => safeLine(id));
  const left = waiting.length - ids.length;
  const rest = left > 0 ? safe` and ${left} more` : "";
  const text = safe`${count(waiting.length, "task")} ${waiting.length === 1 ? "waits" : "wait"} for these: ${joinSafe(ids, ", ")}${rest}`;
  return wrap(text, width - 4, 2).map((line, at) =>
    at === 0 ? safe`  ${paint("dim", "…")} ${line}` : safe`  ${line}`,
  );
}

const labelWidth = 14;

/** Puts the label before the first line. Wraps long lines; counts what is over `maxLines`, and the `more` that are not given. */
function labelledLines(
  label: string,
  lines: readonly SafeText[],
  { paint, width, more }: { readonly paint: Paint; readonly width: number; readonly more: number },
): readonly SafeText[] {
  const shown = lines.slice(0, maxLines);
  const left = lines.length - shown.length + more;
  const all = left > 0 ? [...shown, safe`… and ${left} more`] : shown;
  return all
    .flatMap((line) => wrapLine(line, Math.max(20, width - labelWidth)))
    .map((line, at) => {
      const before = storedText(at === 0 ? `  ${label}` : "").padEnd(labelWidth);
      return safe`${paint("dim", before)}${line}`;
    });
}

function costOf({ byModel }: RunReport): SafeText {
  const unpriced = byModel.reduce((sum, row) => sum + row.unpriced, 0);
  if (byModel.every(({ costUsd }) => costUsd === null))
    return safe`unknown: the agent does not report its cost`;
  const known = byModel.reduce((sum, row) => sum + (row.costUsd ?? 0), 0);
  const estimated = estimatedOf({ byModel });
  const rest = unpriced > 0 ? safe`, without ${count(unpriced, "attempt")} of unknown cost` : "";
  return safe`${costText(known, 2, estimated > 0)} ${sourceText(known, estimated)}${rest}`;
}

/** Returns the estimated part of a run's cost in US dollars. */
export function estimatedOf({ byModel }: Pick<RunReport, "byModel">): number {
  return byModel.reduce((sum, row) => sum + row.estimatedUsd, 0);
}

function sourceText(known: number, estimated: number): SafeText {
  if (estimated === 0) return safe`as reported by the agents`;
  // Sums of the same numbers can differ in their last digits.
  if (known - estimated < 0.000_001) return safe`estimated from list prices`;
  return safe`of which $${decimal(estimated, 2)} is estimated from list prices`;
}

/** The columns of the table beside the name of the model. */
const cellsWidth = 9 + 3 * 10;

function modelTable(rows: RunReport["byModel"], width: number): readonly SafeText[] {
  if (width - labelWidth < 6 + cellsWidth) return rows.map(modelLine);
  const nameWidth = Math.min(26, Math.max(6, width - labelWidth - cellsWidth));
  const line = (first: SafeText, ...rest: readonly SafeText[]): SafeText => {
    const cells = rest.map((cell, at) => cell.padStart(at === 0 ? 9 : 10));
    return joinSafe([clip(first, nameWidth).padEnd(nameWidth), ...cells], "");
  };
  return [
    line(safe``, safe`attempts`, safe`done`, safe`cost`, safe`time`),
    ...rows.map(({ model, attempts, done, costUsd, estimatedUsd, durationMs }) => {
      const cost = modelCost({ costUsd, estimatedUsd });
      return line(safeLine(model), safe`${attempts}`, safe`${done}`, cost, formatDuration(durationMs));
    }),
  ];
}

type ModelRow = RunReport["byModel"][number];

function modelCost({ costUsd, estimatedUsd }: Pick<ModelRow, "costUsd" | "estimatedUsd">): SafeText {
  return costUsd === null ? safe`unknown` : costText(costUsd, 2, estimatedUsd > 0);
}

/** A row for a terminal that is too narrow for the table, whose rows would break. */
function modelLine({ model, attempts, done, durationMs, ...cost }: ModelRow): SafeText {
  return safe`${safeLine(model)}: ${done} of ${attempts} done, ${modelCost(cost)}, ${formatDuration(durationMs)}`;
}

function hasWaited({ waitedMs }: RunReport["interruptions"][number]): boolean {
  return waitedMs >= 1000;
}

function interruptionOf(interruption: RunReport["interruptions"][number]): SafeText {
  const { kind, times, waitedMs } = interruption;
  const waited = hasWaited(interruption) ? safe`waited ${formatDuration(waitedMs)}, ` : "";
  return safe`${times} × ${safeLine(kind.replaceAll("_", " "))}: ${waited}attempts not counted`;
}

/** Groups learnings that helped in the same way on one line. */
function helpedOf({ helped }: RunReport["memory"]): readonly SafeText[] {
  const byHow = new Map<string, string[]>();
  for (const { id, how } of helped) byHow.set(how, [...(byHow.get(how) ?? []), id]);
  return [...byHow].map(([how, ids]) => {
    const learnings = ids.filter((id) => id.startsWith("l-"));
    return safeText(learnings.length === 0 ? how : `${learnings.join(", ")}: ${how}`);
  });
}

/** One line each: context that agents missed, skills that they wished for. */
function statedIn(texts: readonly string[] = []): readonly SafeText[] {
  return texts.map((text) => safeLine(text, 300));
}

/** One line for each proposed skill, with the command to accept it. */
function proposalsOf({ proposals = [] }: RunReport["memory"]): readonly SafeText[] {
  return proposals.map(({ name, kind }) => {
    const what = kind === "create" ? safe`new` : safeLine(kind);
    return safe`${safeLine(name)} (${what}): ralph skills accept ${safeLine(name)}`;
  });
}

function countsOf(memories: RunReport["memory"]["captured"]): readonly SafeText[] {
  if (memories.length === 0) return [];
  return [safeText(memories.map(({ what, count: n }) => count(n, what)).join(", "))];
}

/** Wraps `text` at words into at most `maxLines` lines of at most `width` characters; a cut text ends with `…`. */
export function wrap(text: SafeText, width: number, maxLines: number): readonly SafeText[] {
  const lines: SafeText[] = [];
  let rest = text.trim();
  while (rest !== "" && lines.length < maxLines) {
    if (rest.length <= width) {
      lines.push(rest);
      return lines;
    }
    const space = rest.lastIndexOf(" ", width);
    const end = space > width / 2 ? space : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trim();
  }
  const last = lines.pop();
  return rest === "" || last === undefined ? lines : [...lines, safe`${last.slice(0, width - 1)}…`];
}
