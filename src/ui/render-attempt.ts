import { formatDuration } from "../base/duration.ts";
import { joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import { clip, count, headline } from "../base/text.ts";
import type { RunEvents } from "../events/run-events.ts";
import { safeLine, safeText } from "../trust/safe-text.ts";
import { costText, isEstimate } from "../view/format.ts";
import type { Paint } from "./paint.ts";

type Lines = readonly SafeText[];

/** The memory of a renderer. */
export interface Seen {
  /** Each is shown once a run. */
  readonly warnings: Set<string>;
  /** The titles of the tasks by id. The header that names one last comes last. */
  readonly titles: Map<string, string>;
  /** False: agents work in trees of their own, where a person edits nothing. */
  inPlace: boolean;
}

/** Returns the header of an attempt. The title stands above the first of a task's attempts in a row. */
export function renderAttempt(it: RunEvents["iteration.started"], paint: Paint, { titles }: Seen): Lines {
  const title = [...titles.keys()].at(-1) === it.taskId ? "" : safe` ${safeLine(it.title, 100)}`;
  titles.delete(it.taskId);
  titles.set(it.taskId, it.title);
  const attempt = safe`attempt ${it.attempt}${it.maxAttempts ? safe` of ${it.maxAttempts}` : ""}`;
  const why = safe`${safeLine(it.model)} (${safeLine(it.rationale, 200)})${memoryOf(it.memory)}`;
  return [
    safe``,
    safe`${paint("bold", safe`▶ ${safeLine(it.taskId)}`)}${title}`,
    paint("dim", safe`  ${attempt} · ${why}`),
  ];
}

function memoryOf(memory: Readonly<Record<string, number>>): SafeText {
  const attempts = memory["attempts"] ?? 0;
  return attempts > 0 ? safe` · prompt shows ${count(attempts, "failed attempt")}` : safe``;
}

/** Shows each warning once: the summary counts it. */
function unseen({ warnings }: RunEvents["iteration.finished"], seen: Seen): readonly string[] {
  const shown = [...new Set(warnings)].filter((warning) => !seen.warnings.has(warning));
  for (const warning of shown) seen.warnings.add(warning);
  return shown;
}

/** More would push the attempt's result off the screen. */
const maxWarnings = 20;

/** Returns the result of an attempt: the reason and error of a failed one, and the warnings. */
export function renderFinished(
  it: RunEvents["iteration.finished"],
  paint: Paint,
  { verbose, ...seen }: Seen & { readonly verbose: boolean },
): Lines {
  const cost = it.costUsd === null ? safe`` : safe` · ${costText(it.costUsd, 4, isEstimate(it.costSource))}`;
  const spent = paint("dim", safe`${formatDuration(it.durationMs)}${cost}${sizeOf(it.diff)}`);
  const isLost = it.taskStatus === "lost";
  const why = `this result does not count: ${it.notCounted ?? "the task is no longer this run's"}`;
  const lost = isLost && it.outcome !== "done" ? [why] : [];
  const denied = it.permissionDenials.map((what) => `permission denied to the agent: ${what}`);
  const all = [...unseen(it, seen), ...denied, ...lost];
  const left = all.length - maxWarnings;
  const warnings = [
    ...all
      .slice(0, maxWarnings)
      .map((warning) => safe`  ${paint("warn", "!")} ${safeLine(headline(warning), 200)}`),
    ...(left > 0
      ? [safe`  ${paint("warn", "!")} ${count(left, "more warning")}: ralph log ${safeLine(it.taskId)}`]
      : []),
    ...(it.hint ? [safe`    hint: ${safeLine(it.hint, 300)}`] : []),
  ];
  if (it.outcome === "done")
    return [doneLine(it, paint, { spent, why: isLost ? why : null }), ...warnings, ...freedBy(it)];
  const shown = verbose ? errorLines(it.errorExcerpt, 60) : errorLines(it.errorHeadline, 10);
  const excerpt = shown.map((line) => paint("dim", safe`    ${line}`));
  const state = taskStateOf(it, paint);
  return [
    safe`  ${paint("bad", "✗ failed")}: ${safeLine(it.reason, 400)} ${spent}`,
    ...excerpt,
    ...warnings,
    ...state,
  ];
}

function sizeOf(diff: RunEvents["iteration.finished"]["diff"]): SafeText {
  return diff ? safe` · ${count(diff.files, "file")}, +${diff.added} -${diff.removed}` : safe``;
}

/** Returns the line of an attempt that is done. `why`: why the result does not count; null: it does. */
function doneLine(
  { verification, reason }: RunEvents["iteration.finished"],
  paint: Paint,
  { spent, why }: { readonly spent: SafeText; readonly why: string | null },
): SafeText {
  const isVerified = verification !== "unverified";
  if (why !== null) {
    const lead = paint("warn", isVerified ? "! verified, but" : "! done, but");
    return safe`  ${lead} ${safeLine(why, 400)} ${spent}`;
  }
  const without = safeLine(/^done (without a change: .*)/s.exec(reason)?.[1] ?? "", 400);
  const how = isVerified ? without : paint("warn", "(unverified)");
  return safe`  ${joinSafe([paint("good", "✓ done"), how, spent].filter(Boolean), " ")}`;
}

function freedBy({ unblocked }: RunEvents["iteration.finished"]): Lines {
  return unblocked.length > 0 ? [safe`  unblocked: ${safeLine(unblocked.join(", "))}`] : [];
}

function taskStateOf(it: RunEvents["iteration.finished"], paint: Paint): Lines {
  if (it.taskStatus === "blocked") return [safe`  ${paint("bad", "⊘ blocked")}: needs a person`];
  if (it.splitInto.length > 0)
    return [safe`  ${paint("info", "⑂ split")} into ${safeLine(it.splitInto.join(", "))}`];
  return it.splitRefused === null
    ? []
    : [safe`  ${paint("warn", "!")} split rejected: ${safeLine(it.splitRefused, 200)}`];
}

/** Returns the first `max` lines of an error excerpt. */
export function errorLines(excerpt: string, max: number): Lines {
  const lines = safeText(excerpt)
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\[… \d+ lines? left out …\]$/.test(line));
  return lines.slice(0, max).map((line) => clip(line, 160));
}
