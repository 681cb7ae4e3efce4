import { formatDuration } from "../base/duration.ts";
import { decimal, joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import { clip, count, headline, wrapLine } from "../base/text.ts";
import type { RunReport } from "../events/run-summary.ts";
import { safeLine, safeText } from "../trust/safe-text.ts";
import { storedText } from "../trust/stored-text.ts";
import { costText, sumOf, usdPerVerified } from "../view/format.ts";
import type { Paint } from "./paint.ts";
import { savedLines } from "./saved-work.ts";

/** Maximum lines of a list of `ralph log RUN`; the rest is counted. */
const maxLines = 10;
/** The same of a list at the end of a run. */
const maxShort = 3;

interface ReportStyle {
  readonly width: number;
  /** The end of a run: short lists, each line of them within two of the screen. */
  readonly short: boolean;
}

/** Returns the summary of a run in at most `width` columns, the most important first. */
export function renderReport(
  report: RunReport,
  paint: Paint,
  { width, short }: ReportStyle,
): readonly SafeText[] {
  const max = short ? maxShort : maxLines;
  const labelled = (label: string, lines: readonly SafeText[], more = 0) =>
    labelledLines(label, lines, { paint, width, more, max, short });
  const { attempts, done, agentMs, byModel, interruptions, memory, unchanged, added, saved } = report;
  const tally = safe`${count(attempts, "attempt")}: ${done} done, ${attempts - done} failed; ${formatDuration(agentMs)} in agent and verification`;
  const warnings = groupWarnings(report.warnings);
  return [
    ...labelled("attempts", [attempts === 0 ? safe`none` : tally]),
    ...labelled("cost", costOf(report)),
    ...labelled("per task", receipt(byModel)),
    ...labelled("models", byModel.length < 2 ? [] : modelTable(byModel, width)),
    ...labelled(
      "unchanged",
      unchanged.map(
        ({ taskId, why }) => safe`${safeLine(taskId)} done without a change: ${safeLine(why, 300)}`,
      ),
    ),
    ...labelled("warnings", warnings, report.moreWarnings),
    ...labelledLines("saved", saved.slice(0, max - 1).flatMap(savedLines), {
      ...{ paint, width, short, max: 2 * max, more: Math.max(0, saved.length - max + 1) },
    }),
    ...labelled("added", added === 0 ? [] : [safe`${count(added, "task")}: ralph task list`]),
    ...labelled("interrupted", interruptions.map(interruptionOf)),
    ...labelled("commits", commitsOf(report, max)),
    ...labelled("skills", proposalsOf(memory)),
    ...labelled("missing", statedIn(memory.missingContext)),
    ...labelled("wished for", statedIn(memory.wishedSkills)),
    ...labelled("learned", countsOf(memory.captured)),
    ...labelled("shown", countsOf(memory.shown ?? [])),
    ...labelled("helped", helpedOf(memory)),
  ];
}

/** Groups warnings that differ only in the files, numbers and details that they name. */
function groupWarnings(warnings: RunReport["warnings"]): readonly SafeText[] {
  const groups = new Map<string, { readonly first: RunReport["warnings"][number]; times: number }>();
  for (const warning of warnings) {
    const kind = warning.text.replace(/:\s.*/s, "").replace(/\S*[./\d]\S*|\b(?:and|more)\b|s\b|\s/g, "");
    const group = groups.get(kind) ?? { first: warning, times: 0 };
    group.times += 1 + (warning.more ?? 0);
    groups.set(kind, group);
  }
  return [...groups.values()].map(({ first: { taskId, attempt, text }, times }) => {
    const more = times === 1 ? "" : safe` (and ${times - 1} more of this kind)`;
    return safe`${safeLine(taskId)} attempt ${attempt}: ${safeLine(headline(text), 300)}${more}`;
  });
}

/** One line for each commit; the first and the last of more than `max`. */
function commitsOf({ commits }: RunReport, max: number): readonly SafeText[] {
  const hashOf = ({ hash }: { readonly hash: string }): SafeText => safeLine(hash.slice(0, 9));
  const [first, last] = [commits[0], commits.at(-1)];
  if (first && last && commits.length > max)
    return [safe`${commits.length}, ${hashOf(first)} to ${hashOf(last)}`];
  return commits.map((commit) => safe`${hashOf(commit)} ${safeText(commit.subject)}`);
}

/** Returns unfinished tasks, each with its full reason, wrapped instead of clipped. */
export function renderNeeds(
  needs: readonly { readonly id: string; readonly title: string; readonly reason: string }[],
  paint: Paint,
  { width, short }: ReportStyle,
): readonly SafeText[] {
  const max = short ? maxShort : 2 * maxLines;
  const lines = needs.slice(0, max).flatMap(({ id, title, reason }) => {
    const why = wrap(safeLine(reason), width - 4, short ? 2 : 4).map((line) => safe`    ${line}`);
    return [
      safe`  ${paint("bad", "⊘")} ${clip(safe`${safeLine(id)} ${safeLine(title)}`, width - 4)}`,
      ...why,
    ];
  });
  const left = needs.length - max;
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

/** Puts the label before the first line. Wraps long lines; counts what is over `max`, and the `more` that are not given. */
function labelledLines(
  label: string,
  lines: readonly SafeText[],
  {
    paint,
    width,
    short,
    ...limits
  }: ReportStyle & { readonly paint: Paint; readonly more: number; readonly max: number },
): readonly SafeText[] {
  const shown = lines.slice(0, limits.max);
  const left = lines.length - shown.length + limits.more;
  const all = left > 0 ? [...shown, safe`… and ${left} more`] : shown;
  const columns = Math.max(20, width - labelWidth);
  return all
    .flatMap((line) => (short ? wrap(line, columns, 2) : wrapLine(line, columns)))
    .map((line, at) => {
      const before = storedText(at === 0 ? `  ${label}` : "").padEnd(labelWidth);
      return safe`${paint("dim", before)}${line}`;
    });
}

/** Returns how the cost of the headline is known; empty if agents reported all of it, or nothing is known. */
function costOf({ byModel }: RunReport): readonly SafeText[] {
  const { costUsd: known, estimatedUsd: estimated, unpriced } = sumOf(byModel);
  if (known === null || unpriced + estimated === 0) return [];
  const rest = unpriced > 0 ? safe`, without ${count(unpriced, "attempt")} of unknown cost` : "";
  return [safe`${costText(known, 2, estimated > 0)} ${sourceText(known, estimated)}${rest}`];
}

/** Returns the estimated part of a run's cost in US dollars. */
export function estimatedOf({ byModel }: Pick<RunReport, "byModel">): number {
  return sumOf(byModel).estimatedUsd;
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

function interruptionOf({ kind, times, waitedMs }: RunReport["interruptions"][number]): SafeText {
  const waited = waitedMs >= 1000 ? safe`waited ${formatDuration(waitedMs)}, ` : "";
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

/** Returns a run's cost per verified task, in all and by model, and what tasks cost that need a person, as one line; none: no cost is known. */
function receipt(byModel: readonly ModelRow[]): readonly SafeText[] {
  const all = sumOf(byModel);
  if (all.costUsd === null || all.attempts === 0) return [];
  const each = (row: ModelRow): SafeText => costText(usdPerVerified(row) ?? 0, 2, row.estimatedUsd > 0);
  const verified = byModel.filter((row) => usdPerVerified(row) !== null);
  const models = verified.map((row) => safe`${safeLine(row.model, 40)} ${each(row)}`);
  const total = all.done === 0 ? safe`no task was verified` : safe`${each(all)}`;
  const parts = models.length > 1 ? safe`${total} (${joinSafe(models, ", ")})` : total;
  const lost = all.givenUpUsd;
  return [
    lost > 0 ? safe`${parts}; ${costText(lost, 2, all.estimatedUsd > 0)} on what needs a person` : parts,
  ];
}
