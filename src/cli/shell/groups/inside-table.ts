import type { Invocation } from "../command.ts";

/**
 * The meaning of a command inside an iteration. `allowed`: as outside; it reads. `claim`: it works, recorded as the agent's.
 * `refused`: only a person may use it. A function decides by the arguments, between `refused` and another.
 */
type Inside = "allowed" | "claim" | "refused";
type Rule = Inside | ((invocation: Invocation) => Inside);

const has =
  (option: string, otherwise: Inside): Rule =>
  ({ options }) =>
    options[option] === undefined || options[option] === false ? otherwise : "refused";

const hivemindIs = ({ args, options }: Invocation): boolean =>
  options["collection"] === "hivemind" || /^(?:h-|mem[-_])/.test(String(args["id"] ?? ""));

/** Every command, once, by its path. A command that is missing here is refused. */
export const insideRules: Readonly<Record<string, Rule>> = {
  init: "refused",
  run: ({ options }) => (options["dryRun"] === true ? "allowed" : "refused"),
  verify: "allowed",
  status: "allowed",
  // It only filters its input; a verification may use it.
  redact: "allowed",
  stop: "refused",
  pause: "refused",
  resume: "refused",
  message: ({ options }) => (options["list"] === true ? "allowed" : "refused"),
  // A run executes the commands of tasks that are added while it is active, without asking a person again.
  "task add": has("verify", "claim"),
  "task import": "refused",
  "task sync": "refused",
  "task list": "allowed",
  "task tree": "allowed",
  "task show": "allowed",
  "task next": "allowed",
  "task edit": "refused",
  "task depend": "refused",
  "task done": "claim",
  "task fail": "claim",
  "task reset": "refused",
  "task retry": "refused",
  "task skip": "refused",
  "task remove": "refused",
  "task split": "refused",
  "task export": "allowed",
  "note add": "claim",
  "note list": "allowed",
  "memory list": "allowed",
  "memory find": "allowed",
  "memory get": "allowed",
  "memory why": "allowed",
  "memory store": (invocation) => (hivemindIs(invocation) ? "refused" : "claim"),
  "memory edit": "refused",
  "memory validate": (invocation) => (hivemindIs(invocation) ? "refused" : "claim"),
  "memory approve": "refused",
  "memory review": "refused",
  "memory share": "refused",
  "memory unshare": "refused",
  "memory remove": "refused",
  "memory restore": "refused",
  "memory summarize": "refused",
  "memory prune": "refused",
  "memory purge": "refused",
  "memory lift": "allowed",
  "memory stats": "allowed",
  "memory export": "allowed",
  "memory import": "refused",
  "learnings show": "allowed",
  "learnings aggregate": "refused",
  "learnings import": "refused",
  "learnings export": "allowed",
  "skills list": "allowed",
  "skills show": "allowed",
  "skills diff": "allowed",
  "skills accept": "refused",
  "skills reject": "refused",
  "skills retire": "refused",
  "skills restore": "refused",
  "skills generate": "refused",
  "skills stats": "allowed",
  "journal path": "allowed",
  "journal show": "allowed",
  "journal edit": "refused",
  "journal clear": "refused",
  mcp: "allowed",
  connect: "refused",
  disconnect: "refused",
  "agent-hook": "allowed",
  log: "allowed",
  events: "allowed",
  diff: "allowed",
  undo: "refused",
  context: "allowed",
  "prompt show": "allowed",
  "prompt export": "refused",
  trust: ({ args }) => (args["action"] === "approve" ? "refused" : "allowed"),
  config: "allowed",
  doctor: has("repair", "allowed"),
  completions: "allowed",
  demo: "refused",
};

/** The tools of `ralph mcp`, which all work inside an iteration. */
export const insideTools: Readonly<Record<string, "allowed" | "claim">> = {
  memory_search: "allowed",
  memory_store: "claim",
  memory_feedback: "claim",
  note_add: "claim",
  note_list: "allowed",
  task_list: "allowed",
  task_add: "claim",
  task_done: "claim",
  task_failed: "claim",
};

/** Returns what this invocation of a command means inside an iteration. */
export function insideRule(path: string, invocation: Invocation): Inside {
  const rule = insideRules[path] ?? "refused";
  return typeof rule === "function" ? rule(invocation) : rule;
}
