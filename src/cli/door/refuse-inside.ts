import { RalphError } from "../../base/errors.ts";
import { findProject } from "../../config/find-project.ts";
import type { Invocation, Session } from "../shell/command.ts";
import { usageError } from "../shell/io.ts";
import { insideRule } from "./inside-table.ts";

/**
 * Refuses a command of a run's agent that only a person may use, is about another project, or names another configuration.
 *
 * @throws RalphError `RALPH_TASK_INSIDE_ITERATION`, `RALPH_MEMORY_INSIDE_ITERATION`, `RALPH_USAGE`
 */
export function refuseInside({ around, cwd }: Session, path: string, invocation: Invocation): void {
  if (!around.inside) return;
  const { project, iteration } = around.inside;
  if (findProject(cwd)?.root !== project.root || invocation.options["config"] !== undefined) {
    throw usageError(
      `the agent of an iteration uses its own project, ${project.root}`,
      "leave out --config, --no-config and -C",
    );
  }
  if (insideRule(path, invocation) !== "refused") return;
  const [group = ""] = path.split(" ");
  const isMemory = ["memory", "learnings", "skills"].includes(group);
  throw new RalphError(
    isMemory ? "RALPH_MEMORY_INSIDE_ITERATION" : "RALPH_TASK_INSIDE_ITERATION",
    `\`ralph ${path}\` is not available to the agent working on ${iteration.taskId}`,
    { hint: hints[path] ?? hints[group] ?? hintForAgent },
  );
}

const hintForAgent = "end your session with a sigil; only a person may do this, outside the run";

const toOutput = "leave out the file: the text is printed";

/** By command or group. */
const hints: Readonly<Record<string, string>> = {
  "task add": "add it without --verify and --description-file: a person decides what verifies a task",
  "task export": toOutput,
  "memory export": toOutput,
  "memory store": "leave out --collection: what you store belongs to this project",
  events: "leave out --follow",
  verify: "run its commands yourself; ralph runs them when your session ends",
  doctor: "state in your final message what seems broken; a person runs `ralph doctor`",
  task: "propose smaller tasks with a <subtasks> checklist in your final message, or add one with `ralph task add`",
  memory: 'report a wrong memory with <memory-used id="l-…" verdict="harmful"/> in your final message',
  learnings: "state what you learned in your final message",
  skills: "state what you learned in your final message",
};
