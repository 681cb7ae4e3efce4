import { journal, learnings, memory, skills } from "./memory-table.ts";
import { type CommandTable, entry, type Group } from "./shell/entry.ts";

const task: Group = {
  name: "task",
  summary: "manage tasks: add, import, inspect, change",
  verbs: [
    entry("add", "add a task", async () => (await import("./commands/task/add.ts")).add),
    entry(
      "import",
      "import tasks from a file",
      async () => (await import("./commands/task/import.ts")).importCommand,
    ),
    entry(
      "sync",
      "adopt the changes of imported task lists",
      async () => (await import("./commands/task/sync.ts")).sync,
    ),
    entry("list", "list tasks", async () => (await import("./commands/task/list.ts")).list),
    entry("tree", "show tasks as a tree", async () => (await import("./commands/task/tree.ts")).tree),
    entry("show", "show one task", async () => (await import("./commands/task/show.ts")).show),
    entry("next", "show the task that runs next", async () => (await import("./commands/task/next.ts")).next),
    entry("edit", "change a task", async () => (await import("./commands/task/edit.ts")).edit),
    entry(
      "depend",
      "make a task wait for others",
      async () => (await import("./commands/task/depend.ts")).depend,
    ),
    entry("done", "mark a task done", async () => (await import("./commands/task/done.ts")).done),
    entry("fail", "mark a task failed", async () => (await import("./commands/task/fail.ts")).fail),
    entry("reset", "reopen a task", async () => (await import("./commands/task/reset.ts")).reset),
    entry(
      "retry",
      "reopen a task and put it first",
      async () => (await import("./commands/task/retry.ts")).retry,
    ),
    entry(
      "skip",
      "block a task that should not run",
      async () => (await import("./commands/task/skip.ts")).skip,
    ),
    entry(
      "remove",
      "delete tasks that were never worked on",
      async () => (await import("./commands/task/remove.ts")).remove,
    ),
    entry(
      "split",
      "split a task into smaller ones",
      async () => (await import("./commands/task/split.ts")).split,
    ),
    entry(
      "export",
      "write tasks to a file",
      async () => (await import("./commands/task/export.ts")).exportCommand,
    ),
  ],
};

const note: Group = {
  name: "note",
  summary: "notes for later iterations of a session",
  verbs: [
    entry("add", "add a note for later iterations", async () => (await import("./commands/note.ts")).addNote),
    entry(
      "list",
      "list the notes of the session",
      async () => (await import("./commands/note.ts")).listNotes,
    ),
  ],
};

const prompt: Group = {
  name: "prompt",
  summary: "show sent prompts, customize the template",
  verbs: [
    entry(
      "show",
      "show a prompt as it was sent",
      async () => (await import("./commands/prompt/show.ts")).show,
    ),
    entry(
      "export",
      "write the built-in prompt as an editable template",
      async () => (await import("./commands/prompt/export.ts")).exportCommand,
    ),
  ],
};

/** The commands of the first screen of the help. */
const everyday: CommandTable = [
  entry("init", "set up ralph in this project", async () => (await import("./commands/init/init.ts")).init),
  entry("run", "work through the tasks", async () => (await import("./commands/run.ts")).run),
  task,
  entry(
    "status",
    "show task counts, the current run and the next task",
    async () => (await import("./commands/status/status.ts")).status,
  ),
  entry(
    "message",
    "send a message to the next iteration or the working agent",
    async () => (await import("./commands/message.ts")).message,
  ),
  entry("stop", "stop the active run", async () => (await import("./commands/stop.ts")).stop),
  entry(
    "log",
    "show runs and attempts with their results",
    async () => (await import("./commands/log/log.ts")).log,
  ),
  entry(
    "undo",
    "revert a task's commits and reopen it",
    async () => (await import("./commands/undo.ts")).undo,
  ),
  memory,
  skills,
  entry(
    "verify",
    "run the project's verification once",
    async () => (await import("./commands/verify.ts")).verify,
  ),
  entry(
    "trust",
    "show or approve what this project makes ralph execute",
    async () => (await import("./commands/trust.ts")).trust,
  ),
  entry(
    "config",
    "show every setting and where it comes from",
    async () => (await import("./commands/config.ts")).config,
  ),
  entry(
    "connect",
    "give your own sessions of an agent ralph's memory",
    async () => (await import("./commands/connect/connect.ts")).connect,
  ),
  entry(
    "doctor",
    "check this machine and project",
    async () => (await import("./commands/doctor/doctor.ts")).doctor,
  ),
];

const others: CommandTable = [
  entry(
    "demo",
    "run the whole loop on a practice project",
    async () => (await import("./commands/demo/demo.ts")).demo,
  ),
  entry(
    "pause",
    "pause the active run after its current iteration",
    async () => (await import("./commands/pause.ts")).pause,
  ),
  entry("resume", "continue a paused run", async () => (await import("./commands/pause.ts")).resume),
  note,
  journal,
  learnings,
  prompt,
  entry(
    "context",
    "show the exact prompt of a task",
    async () => (await import("./commands/prompt/context.ts")).context,
  ),
  entry("diff", "show what a task changed", async () => (await import("./commands/diff.ts")).diff),
  entry(
    "events",
    "show the event log, and follow it",
    async () => (await import("./commands/log/events.ts")).events,
  ),
  entry(
    "mcp",
    "serve memory and tasks to agents over MCP",
    async () => (await import("./commands/mcp.ts")).mcp,
  ),
  entry(
    "disconnect",
    "undo `ralph connect`",
    async () => (await import("./commands/connect/disconnect.ts")).disconnect,
  ),
  entry(
    "redact",
    "replace the secrets in standard input",
    async () => (await import("./commands/redact.ts")).redactCommand,
  ),
  entry(
    "completions",
    "print a shell completion script",
    async () => (await import("./commands/completions.ts")).completions,
  ),
  {
    ...entry(
      "agent-hook",
      "answer a hook of an interactive session",
      async () => (await import("./commands/connect/agent-hook.ts")).agentHook,
    ),
    listed: "never",
  },
];

/** Every command. */
export const commands: CommandTable = [
  ...everyday.map((node) => ({ ...node, listed: "first" as const })),
  ...others,
];
