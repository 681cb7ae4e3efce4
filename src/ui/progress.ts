import { formatDuration } from "../base/duration.ts";
import { joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import { cells, clipCells } from "../base/text.ts";
import type { RalphEvent } from "../events/event.ts";
import { fieldsOf, type RunEvents } from "../events/run-events.ts";
import { safeLine } from "../trust/safe-text.ts";
import { costText, isEstimate } from "../view/format.ts";
import { limitText } from "./limit-text.ts";
import { stepText } from "./step-text.ts";

/** A run as its events describe it so far (LOOP-23). */
export interface Progress {
  readonly root: string;
  readonly total: number;
  /** Tasks that are done, failed or blocked. */
  readonly settled: number;
  /** Null: no cost is known yet. */
  readonly costUsd: number | null;
  /** True: a part of the cost is estimated. */
  readonly isEstimated: boolean;
  /** The running iterations, a place for each slot; undefined: the slot is idle. */
  readonly works: readonly (Work | undefined)[];
  readonly now: Baseline | Pause | undefined;
}

interface Work {
  readonly iteration: number;
  readonly taskId: SafeText;
  readonly title: SafeText;
  readonly attempt: number;
  readonly model: SafeText;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly step: SafeText;
}

interface Baseline {
  readonly kind: "baseline";
  readonly commands: SafeText;
  readonly since: number;
}

interface Pause {
  readonly kind: "pause";
  readonly limit: RunEvents["limit.waiting"] | null;
}

export function startOf(root: string): Progress {
  return { root, total: 0, settled: 0, costUsd: null, isEstimated: false, works: [], now: undefined };
}

/** Returns the progress after `event`, which arrived at `time` (milliseconds since the epoch). */
export function after(progress: Progress, event: RalphEvent, time: number): Progress {
  const run = fieldsOf(event, "run.started");
  if (run) {
    const { done, failed, blocked, pending } = run.tasks;
    const settled = done + failed + blocked;
    return { ...startOf(progress.root), settled, total: settled + pending };
  }
  const ended = fieldsOf(event, "iteration.finished");
  if (ended) {
    const { costUsd: cost, costSource, taskStatus, splitInto } = ended;
    const isSettled = taskStatus === "done" || taskStatus === "blocked";
    return {
      ...progress,
      total: progress.total + splitInto.length,
      settled: progress.settled + (isSettled ? 1 : 0),
      costUsd: cost === null ? progress.costUsd : (progress.costUsd ?? 0) + cost,
      isEstimated: progress.isEstimated || (cost !== null && isEstimate(costSource)),
      works: worksAfter(progress, event, time),
      now: undefined,
    };
  }
  const settled = progress.settled + (event.type === "task.givenup" ? 1 : 0);
  const works = worksAfter(progress, event, time);
  return { ...progress, settled, works, now: nowAfter(progress, event, time) };
}

const endings: ReadonlySet<string> = new Set([
  "run.resumed",
  "iteration.started",
  "baseline.finished",
  "iteration.interrupted",
  "limit.over",
  "run.finished",
]);

function nowAfter({ now }: Progress, event: RalphEvent, time: number): Progress["now"] {
  const baseline = fieldsOf(event, "baseline.started");
  if (baseline) return { kind: "baseline", commands: safeLine(baseline.commands.join(" && ")), since: time };
  const limit = fieldsOf(event, "limit.waiting");
  if (limit) return { kind: "pause", limit };
  if (event.type === "run.paused") return { kind: "pause", limit: null };
  return endings.has(event.type) ? undefined : now;
}

/** A new iteration takes the first idle place, so that the others keep theirs. */
function worksAfter({ works, root }: Progress, event: RalphEvent, time: number): Progress["works"] {
  const started = fieldsOf(event, "iteration.started");
  if (started) {
    const { iteration, taskId, title, attempt, model } = started;
    const texts = { taskId: safeLine(taskId, 40), title: safeLine(title, 200), model: safeLine(model, 40) };
    const work = { iteration, ...texts, attempt, since: time, step: safe`` };
    const idle = works.indexOf(undefined);
    return idle < 0 ? [...works, work] : works.with(idle, work);
  }
  if (event.type === "run.finished") return [];
  const ended = fieldsOf(event, "iteration.finished") ?? fieldsOf(event, "iteration.interrupted");
  if (ended) return works.map((work) => (work?.iteration === ended.iteration ? undefined : work));
  const activity = fieldsOf(event, "agent.activity");
  if (activity)
    return withStep(
      works,
      ({ iteration }) => iteration === activity.iteration,
      stepText(activity.text, root),
    );
  const waiting = fieldsOf(event, "commit.waiting");
  if (waiting) return withStep(works, isOf(waiting.taskId), waitingText(waiting));
  const check = fieldsOf(event, "verification.started");
  if (!check) return works;
  const step = safe`verifying: ${safeLine(check.command, 200)}`;
  return withStep(works, isOf(check.taskId), step);
}

const isOf =
  (id: string | null) =>
  ({ taskId }: Work): boolean =>
    taskId === safeLine(id ?? "", 40);

/** Says what a commit waits for. */
export function waitingText({ signing }: RunEvents["commit.waiting"]): SafeText {
  return signing ? safe`committing (signing)` : safe`committing (hooks)`;
}

function withStep(
  works: Progress["works"],
  isIt: (work: Work) => boolean,
  step: SafeText,
): Progress["works"] {
  return works.map((work) => (work && isIt(work) ? { ...work, step } : work));
}

/** Returns the state in lines of at most `width` cells, one for each running iteration; none between iterations. */
export function describe(progress: Progress, time: number, width: number): readonly SafeText[] {
  const { now, works } = progress;
  const running = works.filter((work) => work !== undefined);
  return [
    ...running.map((work, at) => describeWork(progress, work, { at, time, width })),
    ...(now ? [describeNow(now, time, width)] : []),
  ];
}

function describeNow(now: Baseline | Pause, time: number, width: number): SafeText {
  if (now.kind === "baseline") {
    const elapsed = formatDuration(Math.max(0, time - now.since));
    return safe`verifying: ${clipCells(now.commands, Math.max(0, width - 14 - elapsed.length))} · ${elapsed}`;
  }
  const text = now.limit
    ? safeLine(limitText(now.limit, new Date(time)), 200)
    : safe`paused (run \`ralph resume\` to continue)`;
  return clipCells(text, width);
}

const minTitle = 12;

/** The title and the step share what the other parts leave of the line. */
function describeWork(
  { total, settled, costUsd, isEstimated }: Progress,
  { taskId, title, attempt, model, since, step }: Work,
  { at, time, width }: { readonly at: number; readonly time: number; readonly width: number },
): SafeText {
  const number = settled + at + 1;
  // The cost is the run's: the first line shows it.
  const cost = costUsd === null || at > 0 ? [] : [costText(costUsd, 2, isEstimated)];
  const elapsed = formatDuration(Math.max(0, time - since));
  const head = safe`${number} of ${Math.max(total, number)} ${taskId}`;
  const facts = joinSafe([safe`attempt ${attempt}`, model, elapsed, ...cost], " · ");
  const room = width - cells(head) - cells(facts) - 3;
  const share = step === "" ? room - 1 : Math.max(minTitle, Math.floor(room * 0.4));
  const name = room > minTitle ? safe` ${clipCells(title, share)}` : "";
  const left = room - cells(name) - 3;
  const doing = step === "" || left < 3 ? "" : safe` · ${clipCells(step, left)}`;
  return clipCells(safe`${head}${name} · ${facts}${doing}`, width);
}
