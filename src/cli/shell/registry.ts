import type { CommandSpec } from "./command.ts";

/** A command that is loaded when it is called: starting up costs only what the one command needs. */
export interface Entry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<CommandSpec>;
}
export interface Group {
  readonly name: string;
  readonly summary: string;
  readonly verbs: readonly Entry[];
}

const task: Group = {
  name: "task",
  summary: "the list of tasks: add, import, look at and change them",
  verbs: [
    entry("add", "add a task", async () => (await import("../commands/task/add.ts")).add),
    entry(
      "import",
      "import tasks from a file",
      async () => (await import("../commands/task/import.ts")).importCommand,
    ),
    entry("list", "list tasks", async () => (await import("../commands/task/list.ts")).list),
    entry("tree", "show tasks as a tree", async () => (await import("../commands/task/tree.ts")).tree),
    entry("show", "show one task", async () => (await import("../commands/task/show.ts")).show),
    entry(
      "next",
      "show the task that would run next",
      async () => (await import("../commands/task/next.ts")).next,
    ),
    entry("edit", "change a task", async () => (await import("../commands/task/edit.ts")).edit),
    entry(
      "depend",
      "make a task wait for another",
      async () => (await import("../commands/task/depend.ts")).depend,
    ),
    entry("done", "mark a task done", async () => (await import("../commands/task/done.ts")).done),
    entry("fail", "mark a task failed", async () => (await import("../commands/task/fail.ts")).fail),
    entry("reset", "reopen a task", async () => (await import("../commands/task/reset.ts")).reset),
    entry(
      "split",
      "split a task into smaller ones",
      async () => (await import("../commands/task/split.ts")).split,
    ),
    entry(
      "export",
      "write tasks to a file",
      async () => (await import("../commands/task/export.ts")).exportCommand,
    ),
  ],
};

const memory: Group = {
  name: "memory",
  summary: "what is remembered: look at it, correct it, measure it",
  verbs: [
    entry(
      "list",
      "list what is remembered",
      async () => (await import("../commands/memory/inspect/list.ts")).list,
    ),
    entry("find", "search the memory", async () => (await import("../commands/memory/inspect/find.ts")).find),
    entry("get", "show one memory", async () => (await import("../commands/memory/inspect/get.ts")).get),
    entry(
      "why",
      "the whole life of a memory",
      async () => (await import("../commands/memory/inspect/why.ts")).why,
    ),
    entry(
      "store",
      "keep something worth knowing",
      async () => (await import("../commands/memory/store.ts")).store,
    ),
    entry("edit", "change what a memory says", async () => (await import("../commands/memory/edit.ts")).edit),
    entry(
      "validate",
      "say that a memory still holds",
      async () => (await import("../commands/memory/validate.ts")).validate,
    ),
    entry(
      "approve",
      "let memories from elsewhere into prompts",
      async () => (await import("../commands/memory/approve.ts")).approve,
    ),
    entry("remove", "put a memory away", async () => (await import("../commands/memory/remove.ts")).remove),
    entry(
      "restore",
      "bring back what was put away",
      async () => (await import("../commands/memory/restore.ts")).restore,
    ),
    entry(
      "summarize",
      "merge memories that say the like",
      async () => (await import("../commands/memory/upkeep/summarize.ts")).summarize,
    ),
    entry(
      "prune",
      "put away what is old and unused",
      async () => (await import("../commands/memory/upkeep/prune.ts")).prune,
    ),
    entry(
      "purge",
      "take memories out for good",
      async () => (await import("../commands/memory/upkeep/purge.ts")).purge,
    ),
    entry(
      "lift",
      "what memory is worth, measured",
      async () => (await import("../commands/memory/inspect/lift.ts")).lift,
    ),
    entry(
      "stats",
      "how much is remembered",
      async () => (await import("../commands/memory/inspect/stats.ts")).stats,
    ),
    entry(
      "export",
      "write all learnings to a file",
      async () => (await import("../commands/memory/upkeep/export.ts")).exportCommand,
    ),
    entry(
      "import",
      "take learnings from a file",
      async () => (await import("../commands/memory/upkeep/import.ts")).importCommand,
    ),
  ],
};

const prompt: Group = {
  name: "prompt",
  summary: "the shape of the prompt: write it out, make it your own",
  verbs: [
    entry(
      "export",
      "write the built-in prompt as a template to change",
      async () => (await import("../commands/prompt/export.ts")).exportCommand,
    ),
  ],
};

/** Every command, in the order of the help. */
export const commands: readonly (Entry | Group)[] = [
  entry("init", "set ralph up in this project", async () => (await import("../commands/init.ts")).init),
  entry("run", "work through the tasks", async () => (await import("../commands/run.ts")).run),
  entry(
    "status",
    "what is done, what is left, what runs",
    async () => (await import("../commands/status.ts")).status,
  ),
  entry(
    "stop",
    "stop the run that is at work",
    async () => (await import("../commands/control/stop.ts")).stop,
  ),
  entry(
    "pause",
    "hold the run after its iteration",
    async () => (await import("../commands/control/pause.ts")).pause,
  ),
  entry(
    "resume",
    "let a paused run go on",
    async () => (await import("../commands/control/resume.ts")).resume,
  ),
  entry(
    "message",
    "tell the next iteration something",
    async () => (await import("../commands/control/message.ts")).message,
  ),
  task,
  memory,
  entry(
    "mcp",
    "serve memory and tasks to an agent, over MCP",
    async () => (await import("../commands/mcp.ts")).mcp,
  ),
  entry("log", "what was tried, and what came of it", async () => (await import("../commands/log.ts")).log),
  entry(
    "undo",
    "revert a task's commits and reopen it",
    async () => (await import("../commands/undo.ts")).undo,
  ),
  entry(
    "context",
    "the exact prompt of a task",
    async () => (await import("../commands/context.ts")).context,
  ),
  prompt,
  entry(
    "trust",
    "show or approve what this project makes ralph run",
    async () => (await import("../commands/trust.ts")).trust,
  ),
  entry(
    "config",
    "every setting and where it comes from",
    async () => (await import("../commands/config.ts")).config,
  ),
  entry(
    "doctor",
    "check this machine and project",
    async () => (await import("../commands/doctor.ts")).doctor,
  ),
  entry(
    "completions",
    "make the shell complete commands, flags and task ids",
    async () => (await import("../commands/completions.ts")).completions,
  ),
  entry(
    "demo",
    "see the whole loop on a practice project",
    async () => (await import("../commands/demo.ts")).demo,
  ),
];

function entry(name: string, summary: string, load: () => Promise<CommandSpec>): Entry {
  return { name, summary, load };
}

export function isGroup(node: Entry | Group): node is Group {
  return "verbs" in node;
}
