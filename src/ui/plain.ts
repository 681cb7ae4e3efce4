import { formatDuration } from "../base/duration.ts";
import { decimal, type SafeText, safe } from "../base/safe-text.ts";
import { clipCells, count, firstChars } from "../base/text.ts";
import type { RalphEvent } from "../events/event.ts";
import { fieldsOf, type RunEvents, type RunEventType } from "../events/run-events.ts";
import { safeLine } from "../trust/safe-text.ts";
import { clockTime, limitText } from "./limit-text.ts";
import { changeLines } from "./list-changes.ts";
import { type Paint, painter } from "./paint.ts";
import { waitingText } from "./progress.ts";
import { errorLines, renderAttempt, renderFinished, type Seen } from "./render-attempt.ts";
import { renderEnd } from "./render-end.ts";
import { stepText } from "./step-text.ts";
import { strategyText } from "./strategy-text.ts";

interface PlainStyle {
  readonly colour: boolean;
  readonly verbose: boolean;
  /** The width of the summary in columns. */
  readonly columns: number;
  readonly root: string;
  /** False: the summary suggests no next command. */
  readonly hints: boolean;
  readonly quiet: boolean;
}

type Lines = readonly SafeText[];
type Shown = PlainStyle & Seen;
/** `jobId` is the run's id. */
type Fields<T extends RunEventType> = RunEvents[T] & Pick<RalphEvent, "jobId">;
type Renderers = {
  readonly [T in RunEventType]?: (fields: Fields<T>, paint: Paint, style: Shown) => Lines;
};

const maxListWarnings = 10;

const skillVerbs = { accept: "added", change: "updated", retire: "retired", restore: "restored" } as const;

const renderers: Renderers = {
  "run.started": renderStart,
  "run.recovered": ({ claims, processes, commits, locks, warnings }, paint) => [
    paint(
      "info",
      claims + processes + locks === 0 && commits > 0
        ? safe`completed ${count(commits, "pending commit")} of an earlier run`
        : safe`recovered from a killed run: ${count(claims, "task")} released, ${count(processes, "process", "processes")} ended, ${count(commits, "commit")} completed${locks > 0 ? ", stale git lock removed" : ""}`,
    ),
    ...(warnings ?? []).map((warning) => safe`  ${paint("warn", "!")} ${safeLine(warning, 200)}`),
  ],
  "run.paused": (_, paint) => [
    safe`${paint("warn", "‖ paused")}; run \`ralph resume\` in this project to continue`,
  ],
  "run.resumed": (_, paint) => [paint("info", "▶ resumed")],
  "task.givenup": ({ taskId, title, reason }, paint) => [
    safe``,
    safe`${paint("warn", safe`⊘ ${safeLine(taskId)}`)} ${safeLine(title, 100)}`,
    safe`  given up: ${safeLine(reason, 300)}`,
  ],
  "iteration.started": renderAttempt,
  "baseline.started": ({ commands, again }, paint) => [
    safe``,
    paint(
      "dim",
      safe`verifying ${again ? "again without any attempt's changes" : "before the first attempt"}: ${commandsOf(commands)}`,
    ),
  ],
  "baseline.finished": renderBaseline,
  "agent.activity": ({ text }, paint, { verbose, root, columns }) => {
    const step = stepText(text, root);
    if (step === "") return [];
    return [paint("dim", safe`  · ${verbose ? step : clipCells(step, columns - 4)}`)];
  },
  "message.passed": ({ messageId, agent }, paint) => [
    safe`  ${paint("info", "✉")} message ${safeLine(messageId, 40)} passed to ${safeLine(agent, 40)}`,
  ],
  "verification.started": ({ command }, paint, { verbose }) =>
    verbose ? [paint("dim", safe`  verifying: ${safeLine(command, 200)}`)] : [],
  // A failed one is the reason of the failed iteration, which follows.
  "verification.finished": ({ command, passed, durationMs }, paint) =>
    passed
      ? [
          safe`  ${paint("good", "✓ verified")} ${safeLine(command, 100)} ${paint("dim", formatDuration(durationMs))}`,
        ]
      : [],
  "iteration.finished": renderFinished,
  // The hint of an interruption that ends the run is shown at its end.
  "iteration.interrupted": ({ kind, message, hint, taskStatus, warnings = [] }, paint) => [
    safe`  ${paint("warn", "‖ interrupted")} (${safeLine(kind)}; attempt not counted): ${safeLine(message, 200)}`,
    ...(taskStatus === "blocked" && hint ? [safe`    hint: ${safeLine(hint, 300)}`] : []),
    ...warnings.map((warning) => safe`  ${paint("warn", "!")} ${safeLine(warning, 300)}`),
  ],
  "skill.committed": ({ skill, kind, hash }, paint) => [
    safe`  ${paint("info", safe`${skillVerbs[kind]} skill ${safeLine(skill, 80)}`)} ${paint("dim", safeLine(hash.slice(0, 9)))}`,
  ],
  "skill.postponed": ({ skill, error, hint }, paint) => [
    safe`  ${paint("warn", "!")} skill ${safeLine(skill, 80)} waits for you: ${safeLine(error, 200)}${hint ? safe` (${safeLine(hint, 200)})` : ""}`,
  ],
  "commit.created": ({ taskId, hash, subject, own }, paint, { titles }) =>
    [...own, { hash, subject }].map((one) => {
      const title = titles.get(taskId) ?? "";
      const isTitle = title !== "" && one.subject.includes(firstChars(title, 30));
      const what = isTitle ? "" : safe` ${safeLine(one.subject, 100)}`;
      return safe`  ${paint("good", "● committed")} ${safeLine(one.hash.slice(0, 9))}${what}`;
    }),
  "commit.waiting": (it, paint) => [paint("dim", safe`  ${waitingText(it)}…`)],
  // It ends the run, whose last lines contain the error and the hint.
  "commit.failed": (_, paint) => [safe`  ${paint("bad", "✗ commit failed")}`],
  "source.unticked": ({ path, error }, paint) => [
    safe`  ${paint("warn", "!")} cannot tick ${safeLine(path, 200)}: ${safeLine(error, 200)}`,
  ],
  "list.synced": ({ path, changes, total }) => [
    safe`${safeLine(path, 200)} changed:`,
    ...changeLines(changes, total).map((line) => safe`  ${line}`),
  ],
  "list.warned": ({ warnings }, paint) =>
    warnings
      .slice(0, maxListWarnings)
      .map((warning) => safe`${paint("warn", "!")} ${safeLine(warning, 300)}`),
  "limit.waiting": (limit, paint) => [
    safe`  ${paint("warn", "⏳ waiting")}: ${safeLine(limitText(limit, new Date()), 200)}`,
    ...(limit.earlier
      ? [paint("dim", "    reported in an earlier run; to retry now, run `ralph run --ignore-limits`")]
      : []),
  ],
  "limit.fallback": ({ agent, standIn, until }, paint) => [
    safe`  ${paint("warn", "⇄")} using ${safeLine(standIn, 200)} until ${safeLine(agent, 200)} is available (${clockTime(new Date(until), new Date())})`,
  ],
  "cost.unknown": ({ agent, model, budgetUsd }, paint) => [
    safe`  ${paint("warn", "!")} no price is known for ${safeLine(model, 60)} of ${safeLine(agent, 40)}${budgetUsd === null ? "" : safe`: the budget of $${decimal(budgetUsd, 2)} does not count it`}`,
  ],
  "memory.failed": ({ kind, step, error }, paint) => [
    safe`  ${paint("warn", "!")} memory error in ${safeLine(kind, 40)} (${safeLine(step, 40)}): ${safeLine(error, 200)}`,
  ],
  "hook.failed": ({ hook, event, error }, paint) => [
    safe`  ${paint("warn", "!")} hook ${safeLine(hook, 60)} failed on ${safeLine(event, 40)}: ${safeLine(error, 200)}`,
  ],
  "salvage.saved": (it, paint, { inPlace }) => renderSaved(it, inPlace).map((line) => paint("dim", line)),
  "salvage.restored": ({ taskId, conflicts, ref }, paint) => [
    conflicts.length === 0
      ? paint("dim", safe`  restored ${safeLine(taskId)}'s earlier work`)
      : paint(
          "warn",
          safe`  ${safeLine(taskId)}'s earlier work conflicts in ${safeLine(conflicts.join(", "), 200)}; it is kept at ${safeLine(ref, 200)}`,
        ),
  ],
  "run.finished": renderEnd,
};

/** Names the files: a person's edits of them while the agent worked went with them. */
function renderSaved({ taskId, ref, files, paths }: RunEvents["salvage.saved"], inPlace: boolean): Lines {
  const what = ref.startsWith("refs/ralph/rollback/")
    ? safe`rolled back ${safeLine(taskId)}'s work`
    : safe`salvaged ${safeLine(taskId)}'s unfinished work`;
  const more = files > paths.length ? safe` and ${files - paths.length} more` : safe``;
  const names = paths.length === 0 ? safe`` : safe`: ${safeLine(paths.join(", "), 300)}${more}`;
  const kept = safeLine(ref, 200);
  return [
    safe`  ${what} (${count(files, "file")}${names}): ${kept}`,
    safe`    ${inPlace ? safe`with any edits that you made in them meanwhile; ` : safe``}to get one back: git restore --source=${kept} -- FILE`,
  ];
}

/** Returns a function that turns an event into lines for people; none for events without output. */
export function createPlainRenderer(style: PlainStyle): (event: RalphEvent) => Lines {
  const paint = painter(style.colour);
  const shown: Shown = { ...style, warnings: new Set(), titles: new Map(), inPlace: true };
  const prefixed = taskPrefix(paint);
  return (event) => {
    if (style.quiet && event.type !== "run.finished") return [];
    const run = fieldsOf(event, "run.started");
    if (run) shown.inPlace = run.workers === null;
    return prefixed(event, renderOne(event, event.type as RunEventType, { paint, style: shown }));
  };
}

function renderOne<T extends RunEventType>(
  event: RalphEvent,
  type: T,
  { paint, style }: { readonly paint: Paint; readonly style: Shown },
): Lines {
  const fields = fieldsOf(event, type);
  const render = renderers[type] as ((fields: Fields<T>, paint: Paint, style: Shown) => Lines) | undefined;
  return fields && render ? render({ ...fields, jobId: event.jobId }, paint, style) : [];
}

function renderStart(run: RunEvents["run.started"], paint: Paint): Lines {
  const { done, pending, blocked, failed } = run.tasks;
  const held = blocked + failed > 0 ? safe`, ${blocked + failed} blocked or failed` : "";
  const { verification } = run;
  const models = run.model === null ? strategyText(run.strategy, run.tiers) : null;
  const checks = verification.length > 0 ? commandsOf(verification) : safe`none configured`;
  return [
    safe`${paint("bold", "ralph run")} ${safeLine(run.runId)}: ${count(pending, "task")} to do, ${done} done${held}`,
    safe`  agent ${safeLine(run.agent, 200)} (${safeLine(run.permission, 200)}${run.payment ? safe`, paid by ${safeLine(run.payment, 60)}` : ""}) · strategy ${safeLine(run.strategy)}${run.model ? safe` · model ${safeLine(run.model, 200)}` : ""} · ${placeOf(run)}`,
    ...(models === null ? [] : [safe`  models: ${models}`]),
    safe`  verification: ${checks} · sandbox: ${safeLine(run.isolation, 200)}`,
    ...(verification.length > 1 ? commandLines(verification) : []),
    ...run.warnings.map((warning) => safe`  ${paint("warn", "!")} ${safeLine(warning, 200)}`),
  ];
}

function placeOf({ workers, branch }: RunEvents["run.started"]): SafeText {
  const name = safeLine(branch ?? "(detached)", 200);
  return workers ? safe`${count(workers, "worker")}, whose work lands on ${name}` : safe`branch ${name}`;
}

/** Returns one command, or the number of several: each may be a list of shell commands itself. */
function commandsOf(commands: readonly string[]): SafeText {
  const [first = ""] = commands;
  return commands.length > 1 ? count(commands.length, "command") : safeLine(first, 200);
}

const maxCommands = 10;

function commandLines(commands: readonly string[]): Lines {
  const more = commands.length - maxCommands;
  return [
    ...commands.slice(0, maxCommands).map((command) => safe`    ${safeLine(command, 200)}`),
    ...(more > 0 ? [safe`    … and ${more} more`] : []),
  ];
}

function renderBaseline(it: RunEvents["baseline.finished"], paint: Paint, { verbose }: PlainStyle): Lines {
  const spent = paint("dim", formatDuration(it.durationMs));
  const named = [...it.flaky, ...it.warnings];
  const warnings = named.map((warning) => safe`  ${paint("warn", "!")} ${safeLine(warning, 300)}`);
  if (it.passed) return [safe`  ${paint("good", "✓ passes")} ${spent}`, ...warnings];
  const shown = verbose ? errorLines(it.errorExcerpt, 60) : errorLines(it.errorHeadline, 10);
  const failed = safe`${safeLine(it.command ?? "", 100)}: ${safeLine(it.reason ?? "", 200)}`;
  return [
    safe`  ${paint("bad", "✗ fails without any attempt's changes")}: ${failed} ${spent}`,
    ...shown.map((line) => paint("dim", safe`    ${line}`)),
    ...warnings,
  ];
}

/** Returns a function that puts the task's id before each line of an event, because the lines of workers interleave. */
function taskPrefix(paint: Paint): (event: RalphEvent, lines: Lines) => Lines {
  const tasks = new Map<number, string>();
  let isParallel = false;
  return (event, lines) => {
    const run = fieldsOf(event, "run.started");
    if (run) isParallel = (run.workers ?? 0) > 1;
    if (!isParallel) return lines;
    const started = fieldsOf(event, "iteration.started");
    if (started) tasks.set(started.iteration, started.taskId);
    const { taskId = tasks.get(Number(event["iteration"])) } = event;
    if (typeof taskId !== "string") return lines;
    const id = paint("bold", safeLine(taskId, 40));
    // The header of an attempt names the task itself.
    const header = started ? lines.findIndex((line) => line !== "") : -1;
    return lines.map((line, at) => (line === "" || at === header ? line : safe`${id} ${line}`));
  };
}
