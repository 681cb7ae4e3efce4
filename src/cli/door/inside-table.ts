import { RalphError } from "../../base/errors.ts";
import { findProject } from "../../config/find-project.ts";
import type { Invocation, Session } from "../shell/command.ts";
import { usageError } from "../shell/io.ts";

/**
 * The meaning of a command that the agent of an iteration types. The run executes it: `allowed`, as outside, if it reads; a `claim`
 * as the agent's, whatever it says; or it is `refused`: only a person may use it. `local`: the agent's own process executes it, because
 * it needs nothing of the project. A function decides by the arguments, between `refused` and another.
 */
type Inside = "allowed" | "claim" | "refused" | "local";
type Rule = Inside | ((invocation: Invocation) => Inside);

const isGiven = (value: unknown): boolean => value !== undefined && value !== false;

const without =
  (names: readonly string[], otherwise: Inside): Rule =>
  ({ args, options }) =>
    names.some((name) => isGiven(args[name]) || isGiven(options[name])) ? "refused" : otherwise;

const hivemindIs = ({ args, options }: Invocation): boolean =>
  options["collection"] === "hivemind" || /^(?:h-|mem[-_])/.test(String(args["id"] ?? ""));

/** Rules by the path of a command. A command without a rule is refused. */
export const insideRules: Readonly<Record<string, Rule>> = {
  status: "allowed",
  redact: "local",
  message: ({ options }) => (options["list"] === true ? "allowed" : "refused"),
  // A run executes the commands of tasks that are added while it is active, without asking a person again.
  // The run sees files that a sandbox hides from its agent.
  "task add": without(["verify", "descriptionFile"], "claim"),
  "task list": "allowed",
  "task tree": "allowed",
  "task show": "allowed",
  "task next": "allowed",
  "task done": "claim",
  "task fail": "claim",
  "task export": without(["file"], "allowed"),
  "note add": "claim",
  "note list": "allowed",
  "memory list": "allowed",
  "memory find": "allowed",
  "memory get": "allowed",
  "memory why": "allowed",
  "memory store": (invocation) => (hivemindIs(invocation) ? "refused" : "claim"),
  "memory validate": (invocation) => (hivemindIs(invocation) ? "refused" : "claim"),
  "memory lift": "allowed",
  "memory stats": "allowed",
  "memory export": without(["file"], "allowed"),
  "learnings show": "allowed",
  "skills list": "allowed",
  "skills show": "allowed",
  "skills diff": "allowed",
  "skills stats": "allowed",
  "journal path": "allowed",
  "journal show": "allowed",
  mcp: "local",
  "agent-hook": "local",
  log: "allowed",
  strategy: "allowed",
  events: without(["follow"], "allowed"),
  diff: "allowed",
  context: "allowed",
  "prompt show": "allowed",
  trust: ({ args }) => (args["action"] === "approve" ? "refused" : "allowed"),
  config: "allowed",
  completions: "local",
};

/** Returns what this invocation of a command means inside an iteration. */
export function insideRule(path: string, invocation: Invocation): Inside {
  const rule = insideRules[path] ?? "refused";
  return typeof rule === "function" ? rule(invocation) : rule;
}

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
