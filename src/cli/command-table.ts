import { type CommandTable, entry, type Group } from "./shell/entry.ts";

const memory: Group = {
  name: "memory",
  summary: "manage learnings: inspect, correct, measure",
  verbs: [
    entry("list", "list learnings", () => import("./commands/memory/list.ts")),
    entry(
      "find",
      "search learnings, failure reports and the hivemind",
      () => import("./commands/memory/find.ts"),
    ),
    entry("get", "show one learning, failure report or record", () => import("./commands/memory/get.ts")),
    entry("why", "show a learning's history", () => import("./commands/memory/why.ts")),
    entry("store", "store a learning", () => import("./commands/memory/store.ts")),
    entry("edit", "edit a learning", () => import("./commands/memory/edit.ts")),
    entry(
      "when",
      "ask a model in which tasks each learning helps",
      () => import("./commands/memory/when.ts"),
    ),
    entry("validate", "confirm that a learning is still true", () => import("./commands/memory/validate.ts")),
    entry(
      "approve",
      "release learnings from quarantine, or trust them",
      () => import("./commands/memory/approve.ts"),
    ),
    entry(
      "review",
      "decide on what agents stated and nothing confirmed",
      () => import("./commands/memory/review.ts"),
    ),
    entry(
      "share",
      "store a learning in the hivemind, for your other projects",
      () => import("./commands/memory/share.ts"),
    ),
    entry("unshare", "delete a learning from the hivemind and keep it local", async () => ({
      command: (await import("./commands/memory/share.ts")).unshare,
    })),
    entry("remove", "archive a learning (undo: memory restore)", () => import("./commands/memory/remove.ts")),
    entry("restore", "restore an archived learning", () => import("./commands/memory/restore.ts")),
    entry("summarize", "merge similar learnings", async () => ({
      command: (await import("./commands/memory/prune.ts")).summarize,
    })),
    entry(
      "prune",
      "archive old, unused learnings; delete old attempts",
      () => import("./commands/memory/prune.ts"),
    ),
    entry("purge", "permanently delete learnings", () => import("./commands/memory/purge.ts")),
    entry(
      "lift",
      "measure the effect of learnings and skills on outcomes",
      () => import("./commands/memory/lift.ts"),
    ),
    entry("stats", "count learnings and failure reports", () => import("./commands/memory/stats.ts")),
    entry("export", "write all learnings to a file", () => import("./commands/memory/export.ts")),
    entry("import", "import learnings from a file", () => import("./commands/memory/import.ts")),
  ],
};

const learnings: Group = {
  name: "learnings",
  summary: "records of attempts: what worked, failed and was missing",
  verbs: [
    entry("show", "show the records of attempts", () => import("./commands/learnings/show.ts")),
    entry(
      "aggregate",
      "merge the patterns of all records by topic",
      () => import("./commands/learnings/aggregate.ts"),
    ),
    entry("import", "import record files", () => import("./commands/learnings/import.ts")),
  ],
};

const skills: Group = {
  name: "skills",
  summary: "skills made of learnings, and their benefit",
  verbs: [
    entry("list", "list skills and proposals", () => import("./commands/skills/list.ts")),
    entry("show", "show a skill or a proposal", () => import("./commands/skills/show.ts")),
    entry("diff", "show what accepting a proposal would change", () => import("./commands/skills/diff.ts")),
    entry("accept", "write proposed skills and commit them", async () => ({
      command: (await import("./commands/skills/decide.ts")).accept,
    })),
    entry("reject", "decline proposed skills", async () => ({
      command: (await import("./commands/skills/decide.ts")).reject,
    })),
    entry("retire", "remove a skill from the project", async () => ({
      command: (await import("./commands/skills/decide.ts")).retire,
    })),
    entry("restore", "write a retired skill again", async () => ({
      command: (await import("./commands/skills/decide.ts")).restore,
    })),
    entry("generate", "propose skills from what tasks taught", () => import("./commands/skills/generate.ts")),
    entry(
      "stats",
      "count learnings and skills, and measure what skills save",
      () => import("./commands/skills/stats.ts"),
    ),
  ],
};

const journal: Group = {
  name: "journal",
  summary: "the page on which the agents of a change write",
  verbs: [
    entry("path", "print the path of the change's journal", async () => ({
      command: (await import("./commands/journal.ts")).journalPath,
    })),
    entry("show", "print the change's journal", async () => ({
      command: (await import("./commands/journal.ts")).showJournal,
    })),
  ],
};

const task: Group = {
  name: "task",
  summary: "manage tasks: add, import, inspect, change",
  verbs: [
    entry("add", "add a task", () => import("./commands/task/add.ts")),
    entry("import", "import tasks from a file", () => import("./commands/task/import.ts")),
    entry("sync", "adopt the changes of imported task lists", () => import("./commands/task/sync.ts")),
    entry("list", "list tasks", () => import("./commands/task/list.ts")),
    entry("tree", "show tasks as a tree", () => import("./commands/task/tree.ts")),
    entry("show", "show one task", () => import("./commands/task/show.ts")),
    entry("next", "show the task that runs next", () => import("./commands/task/next.ts")),
    entry("edit", "change a task", () => import("./commands/task/edit.ts")),
    entry("depend", "make a task wait for others", () => import("./commands/task/depend.ts")),
    entry("done", "mark a task done", () => import("./commands/task/done.ts")),
    entry("fail", "mark a task failed", () => import("./commands/task/fail.ts")),
    entry("reset", "reopen a task", () => import("./commands/task/reset.ts")),
    entry("retry", "reopen a task and put it first", async () => ({
      command: (await import("./commands/task/reset.ts")).retry,
    })),
    entry("skip", "block a task that should not run", () => import("./commands/task/skip.ts")),
    entry("remove", "delete tasks that were never worked on", () => import("./commands/task/remove.ts")),
    entry("split", "split a task into smaller ones", () => import("./commands/task/split.ts")),
    entry("export", "write tasks to a file", () => import("./commands/task/export.ts")),
  ],
};

const note: Group = {
  name: "note",
  summary: "notes for later iterations of a session",
  verbs: [
    entry("add", "add a note for later iterations", async () => ({
      command: (await import("./commands/note.ts")).addNote,
    })),
    entry("list", "list the notes of the session", async () => ({
      command: (await import("./commands/note.ts")).listNotes,
    })),
  ],
};

const prompt: Group = {
  name: "prompt",
  summary: "show sent prompts, customize the template",
  verbs: [
    entry("show", "show a prompt as it was sent", () => import("./commands/prompt/show.ts")),
    entry(
      "export",
      "write the built-in prompt as an editable template",
      () => import("./commands/prompt/export.ts"),
    ),
  ],
};

/** The commands of the first screen of the help. */
const everyday: CommandTable = [
  entry("init", "set up ralph in this project", () => import("./commands/init/init.ts")),
  entry("plan", "write a list of tasks for a goal", () => import("./commands/task/plan/plan.ts")),
  entry("run", "work through the tasks", () => import("./commands/run.ts")),
  task,
  entry(
    "status",
    "show task counts, the current run and the next task",
    () => import("./commands/status/status.ts"),
  ),
  entry(
    "message",
    "send a message to the next iteration or the working agent",
    () => import("./commands/message.ts"),
  ),
  entry("stop", "stop the active run", () => import("./commands/stop.ts")),
  entry("watch", "show the run live, in another terminal", () => import("./commands/view/watch.ts")),
  entry("log", "show runs and attempts with their results", () => import("./commands/log/log.ts")),
  entry("undo", "revert a task's commits and reopen it", () => import("./commands/undo.ts")),
  memory,
  skills,
  entry("verify", "run the project's verification once", () => import("./commands/verify.ts")),
  entry(
    "trust",
    "show or approve what this project makes ralph execute",
    () => import("./commands/trust.ts"),
  ),
  entry("doctor", "check this machine and project", () => import("./commands/doctor/doctor.ts")),
];

const others: CommandTable = [
  entry("demo", "run the whole loop on a practice project", () => import("./commands/demo/demo.ts")),
  entry("pause", "pause the active run after its current iteration", async () => ({
    command: (await import("./commands/pause.ts")).pause,
  })),
  entry("resume", "continue a paused run", async () => ({
    command: (await import("./commands/pause.ts")).resume,
  })),
  note,
  journal,
  learnings,
  prompt,
  entry("context", "show the exact prompt of a task", () => import("./commands/prompt/context.ts")),
  entry("diff", "show what a task changed", () => import("./commands/diff.ts")),
  entry(
    "dashboard",
    "show the run and the memory in the browser",
    () => import("./commands/view/dashboard.ts"),
  ),
  entry("report", "write what a run did, to share", () => import("./commands/view/report.ts")),
  entry("config", "show every setting and where it comes from", () => import("./commands/config.ts")),
  entry("events", "show the event log, and follow it", () => import("./commands/log/events.ts")),
  entry("models", "show the models that an agent offers", () => import("./commands/models.ts")),
  entry("mcp", "serve memory and tasks to agents over MCP", () => import("./commands/mcp.ts")),
  entry(
    "strategy",
    "show what verified tasks cost by model, and why one was chosen",
    () => import("./commands/strategy.ts"),
  ),
  entry("connect", "give your own sessions of an agent ralph's memory", async () => ({
    command: (await import("./commands/connect/connect.ts")).connect,
  })),
  entry("disconnect", "undo `ralph connect`", async () => ({
    command: (await import("./commands/connect/connect.ts")).disconnect,
  })),
  entry("redact", "replace the secrets in standard input", () => import("./commands/redact.ts")),
  entry("completions", "print a shell completion script", () => import("./commands/completions.ts")),
  {
    ...entry(
      "agent-hook",
      "answer a hook of an interactive session",
      () => import("./commands/connect/agent-hook.ts"),
    ),
    listed: "never",
  },
];

/** Every command. */
export const commands: CommandTable = [
  ...everyday.map((node) => ({ ...node, listed: "first" as const })),
  ...others,
];
