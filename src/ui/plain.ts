import { formatDuration } from "../base/duration.ts";
import { clip, count, oneLine } from "../base/text.ts";
import type { RalphEvent } from "../events/event.ts";
import { fieldsOf, type RunEvents, type RunEventType } from "../events/run-events.ts";
import { redact } from "../trust/redact.ts";
import { stripControls } from "../trust/terminal.ts";
import { clockTime, limitText } from "./limit-text.ts";
import { type Paint, painter } from "./paint.ts";
import { renderEnd } from "./report/render-end.ts";

export interface PlainStyle {
  readonly colour: boolean;
  readonly verbose: boolean;
  /** Prints only the end of the run. */
  readonly quiet: boolean;
}

type Lines = readonly string[];
type Renderers = {
  readonly [T in RunEventType]?: (fields: RunEvents[T], paint: Paint, style: PlainStyle) => Lines;
};

/** Returns text of agents and tasks as one redacted line that is safe on a terminal. */
function safe(text: string, max = 200): string {
  return clip(stripControls(redact(oneLine(text))), max);
}

const renderers: Renderers = {
  "run.started": renderStart,
  "run.recovered": ({ claims, processes, commits, locks, warnings }, paint) => [
    paint(
      "info",
      claims + processes + locks === 0 && commits > 0
        ? `completed ${count(commits, "pending commit")} of an earlier run`
        : `recovered from a killed run: ${count(claims, "task")} released, ${count(processes, "process", "processes")} ended, ${count(commits, "commit")} completed${locks > 0 ? ", stale git lock removed" : ""}`,
    ),
    ...(warnings ?? []).map((warning) => `  ${paint("warn", "!")} ${safe(warning)}`),
  ],
  "run.paused": (_, paint) => [
    `${paint("warn", "‖ paused")}; run \`ralph resume\` in this project to continue`,
  ],
  "run.resumed": (_, paint) => [paint("info", "▶ resumed")],
  "iteration.started": (it, paint) => [
    "",
    `${paint("bold", `▶ ${it.taskId}`)} ${safe(it.title, 100)}`,
    paint(
      "dim",
      `  attempt ${it.attempt}${it.maxAttempts ? ` of ${it.maxAttempts}` : ""} · ${it.model} (${safe(it.rationale)})${memoryOf(it.memory)}`,
    ),
  ],
  "verification.started": ({ command }, paint, { verbose }) =>
    verbose ? [paint("dim", `  verifying: ${safe(command)}`)] : [],
  "verification.finished": ({ command, passed, reason, durationMs }, paint) => [
    passed
      ? `  ${paint("good", "✓ verified")} ${safe(command, 100)} ${paint("dim", formatDuration(durationMs))}`
      : `  ${paint("bad", "✗ verification failed")} ${safe(command, 100)}: ${safe(reason)}`,
  ],
  "iteration.finished": renderFinished,
  // The hint is shown at the end of the run: only an interruption that ends the run has one.
  "iteration.interrupted": ({ kind, message }, paint) => [
    `  ${paint("warn", "‖ interrupted")} (${kind}; attempt not counted): ${safe(message)}`,
  ],
  "commit.created": ({ hash, subject }, paint) => [
    `  ${paint("good", "● committed")} ${hash.slice(0, 9)} ${safe(subject, 100)}`,
  ],
  "commit.failed": ({ error, hint }, paint) => [
    `  ${paint("bad", "✗ commit failed")}: ${stripControls(redact(error))}`,
    ...(hint ? [`  hint: ${safe(hint)}`] : []),
  ],
  "source.unticked": ({ path, error }, paint) => [
    `  ${paint("warn", "!")} cannot tick ${safe(path)}: ${safe(error)}`,
  ],
  "limit.waiting": (limit, paint) => [
    `  ${paint("warn", "⏳ waiting")}: ${safe(limitText(limit, new Date()))}`,
    ...(limit.earlier
      ? [paint("dim", "    reported in an earlier run; to retry now, run `ralph run --ignore-limits`")]
      : []),
  ],
  "limit.fallback": ({ agent, standIn, until }, paint) => [
    `  ${paint("warn", "⇄")} using ${safe(standIn)} until ${safe(agent)} is available (${clockTime(new Date(until), new Date())})`,
  ],
  "memory.failed": ({ kind, step, error }, paint) => [
    `  ${paint("warn", "!")} memory error in ${safe(kind, 40)} (${safe(step, 40)}): ${safe(error)}`,
  ],
  "hook.failed": ({ hook, event, error }, paint) => [
    `  ${paint("warn", "!")} hook ${safe(hook, 60)} failed on ${safe(event, 40)}: ${safe(error)}`,
  ],
  "salvage.saved": ({ taskId, ref, files }, paint) => [
    paint("dim", `  salvaged ${taskId}'s unfinished work (${count(files, "file")}): ${safe(ref)}`),
  ],
  "salvage.restored": ({ taskId, conflicts, ref }, paint) => [
    conflicts.length === 0
      ? paint("dim", `  restored ${taskId}'s earlier work`)
      : paint(
          "warn",
          `  ${taskId}'s earlier work conflicts in ${safe(conflicts.join(", "))}; it is kept at ${safe(ref)}`,
        ),
  ],
  "run.finished": renderEnd,
};

/** Returns a function that turns an event into lines for people; none for events without output. */
export function createPlainRenderer(style: PlainStyle): (event: RalphEvent) => Lines {
  const paint = painter(style.colour);
  return (event) => {
    if (style.quiet && event.type !== "run.finished") return [];
    return renderOne(event, event.type as RunEventType, { paint, style });
  };
}

function renderOne<T extends RunEventType>(
  event: RalphEvent,
  type: T,
  { paint, style }: { readonly paint: Paint; readonly style: PlainStyle },
): Lines {
  const fields = fieldsOf(event, type);
  const render = renderers[type] as
    | ((fields: RunEvents[T], paint: Paint, style: PlainStyle) => Lines)
    | undefined;
  return fields && render ? render(fields, paint, style) : [];
}

function renderStart(run: RunEvents["run.started"], paint: Paint): Lines {
  const { done, pending, blocked, failed } = run.tasks;
  const held = blocked + failed > 0 ? `, ${blocked + failed} blocked or failed` : "";
  const checks =
    run.verification.length > 0
      ? run.verification.map((line) => safe(line, 80)).join(" && ")
      : "none configured";
  return [
    `${paint("bold", "ralph run")} ${run.runId}: ${count(pending, "task")} to do, ${done} done${held}`,
    `  agent ${safe(run.agent)} (${safe(run.permission)}) · strategy ${run.strategy}${run.model ? ` · model ${safe(run.model)}` : ""} · branch ${safe(run.branch ?? "(detached)")}`,
    `  verification: ${checks} · agent processes: ${run.isolation}`,
    ...run.warnings.map((warning) => `  ${paint("warn", "!")} ${safe(warning)}`),
  ];
}

function memoryOf(memory: Readonly<Record<string, number>>): string {
  const attempts = memory["attempts"] ?? 0;
  return attempts > 0 ? ` · prompt shows ${count(attempts, "failed attempt")}` : "";
}

function renderFinished(it: RunEvents["iteration.finished"], paint: Paint, { verbose }: PlainStyle): Lines {
  const cost = it.costUsd === null ? "" : ` · $${it.costUsd.toFixed(4)}`;
  const spent = paint("dim", `${formatDuration(it.durationMs)}${cost}`);
  const lost =
    it.taskStatus === "lost"
      ? ["this result does not count: the task was marked failed or claimed by another run"]
      : [];
  const denied = it.permissionDenials.map((what) => `permission denied to the agent: ${what}`);
  const warnings = [
    ...[...it.warnings, ...denied, ...lost].map((warning) => `  ${paint("warn", "!")} ${safe(warning)}`),
    ...(it.hint ? [`    hint: ${safe(it.hint, 300)}`] : []),
  ];
  if (it.outcome === "done") {
    const unverified = it.verification === "unverified" ? ` ${paint("warn", "(unverified)")}` : "";
    const freed = it.unblocked.length > 0 ? [`  unblocked: ${it.unblocked.join(", ")}`] : [];
    return [`  ${paint("good", "✓ done")}${unverified} ${spent}`, ...warnings, ...freed];
  }
  const shown = verbose ? errorLines(it.errorExcerpt, 60) : errorLines(it.errorHeadline, 10);
  const excerpt = shown.map((line) => paint("dim", `    ${line}`));
  const state = taskStateOf(it, paint);
  return [`  ${paint("bad", "✗ failed")}: ${safe(it.reason)} ${spent}`, ...excerpt, ...warnings, ...state];
}

function taskStateOf(it: RunEvents["iteration.finished"], paint: Paint): Lines {
  if (it.taskStatus === "blocked") return [`  ${paint("bad", "⊘ blocked")}: needs a person`];
  if (it.splitInto.length > 0) return [`  ${paint("info", "⑂ split")} into ${it.splitInto.join(", ")}`];
  return it.splitRefused === null ? [] : [`  ${paint("warn", "!")} split rejected: ${safe(it.splitRefused)}`];
}

function errorLines(excerpt: string, max: number): Lines {
  const lines = stripControls(redact(excerpt))
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\[… \d+ lines? left out …\]$/.test(line));
  return lines.slice(0, max).map((line) => clip(line, 160));
}
