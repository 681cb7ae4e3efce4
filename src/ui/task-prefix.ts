import { type SafeText, safe } from "../base/safe-text.ts";
import type { RalphEvent } from "../events/event.ts";
import { fieldsOf } from "../events/run-events.ts";
import { safeLine } from "../trust/safe-text.ts";
import type { Paint } from "./paint.ts";

type Lines = readonly SafeText[];

/** Returns a function that puts the task's id before each line of an event, because the lines of workers interleave. */
export function taskPrefix(paint: Paint): (event: RalphEvent, lines: Lines) => Lines {
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
