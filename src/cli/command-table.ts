import { type CommandTable, group, nodes } from "./shell/entry.ts";

const memory = group("memory", "manage learnings: inspect, correct, measure", {
  list: ["list learnings", () => import("./commands/memory/list.ts")],
  find: ["search learnings, failure reports and the hivemind", () => import("./commands/memory/find.ts")],
  get: ["show one learning, failure report or record", () => import("./commands/memory/get.ts")],
  why: ["show a learning's history", () => import("./commands/memory/get.ts")],
  store: ["store a learning", () => import("./commands/memory/store.ts")],
  edit: ["edit a learning", () => import("./commands/memory/edit.ts")],
  when: ["ask a model in which tasks each learning helps", () => import("./commands/memory/when.ts")],
  validate: ["confirm that a learning is still true", () => import("./commands/memory/keep-or-remove.ts")],
  approve: ["release learnings from quarantine, or trust them", () => import("./commands/memory/approve.ts")],
  review: ["decide on what agents stated and nothing confirmed", () => import("./commands/memory/review.ts")],
  share: [
    "store a learning in the hivemind, for your other projects",
    () => import("./commands/memory/share.ts"),
  ],
  unshare: [
    "delete a learning from the hivemind and keep it local",
    () => import("./commands/memory/share.ts"),
  ],
  remove: ["archive a learning (undo: memory restore)", () => import("./commands/memory/keep-or-remove.ts")],
  restore: ["restore an archived learning", () => import("./commands/memory/keep-or-remove.ts")],
  summarize: ["merge similar learnings", () => import("./commands/memory/prune.ts")],
  prune: ["archive old, unused learnings; delete old attempts", () => import("./commands/memory/prune.ts")],
  purge: ["permanently delete learnings", () => import("./commands/memory/purge.ts")],
  lift: ["measure the effect of learnings and skills on outcomes", () => import("./commands/memory/lift.ts")],
  stats: ["count learnings and failure reports", () => import("./commands/memory/stats.ts")],
  export: ["write all learnings to a file", () => import("./commands/memory/export.ts")],
  import: ["import learnings from a file", () => import("./commands/memory/import.ts")],
});

const learnings = group("learnings", "records of attempts: what worked, failed and was missing", {
  show: ["show the records of attempts", () => import("./commands/learnings/show.ts")],
  aggregate: [
    "merge the patterns of all records by topic",
    () => import("./commands/learnings/aggregate.ts"),
  ],
  import: ["import record files", () => import("./commands/learnings/import.ts")],
});

const skills = group("skills", "skills made of learnings, and their benefit", {
  list: ["list skills and proposals", () => import("./commands/skills/show.ts")],
  show: ["show a skill or a proposal", () => import("./commands/skills/show.ts")],
  diff: ["show what accepting a proposal would change", () => import("./commands/skills/decide.ts")],
  accept: ["write proposed skills and commit them", () => import("./commands/skills/decide.ts")],
  reject: ["decline proposed skills", () => import("./commands/skills/decide.ts")],
  retire: ["remove a skill from the project", () => import("./commands/skills/decide.ts")],
  restore: ["write a retired skill again", () => import("./commands/skills/decide.ts")],
  generate: ["propose skills from what tasks taught", () => import("./commands/skills/generate.ts")],
  stats: [
    "count learnings and skills, and measure what skills save",
    () => import("./commands/skills/generate.ts"),
  ],
});

const journal = group("journal", "the page on which the agents of a change write", {
  path: ["print the path of the change's journal", () => import("./commands/journal.ts")],
  show: ["print the change's journal", () => import("./commands/journal.ts")],
});

const task = group("task", "manage tasks: add, import, inspect, change", {
  add: ["add a task", () => import("./commands/task/edit.ts")],
  import: ["import tasks from a file", () => import("./commands/task/import.ts")],
  sync: ["adopt the changes of imported task lists", () => import("./commands/task/import.ts")],
  list: ["list tasks", () => import("./commands/task/list.ts")],
  tree: ["show tasks as a tree", () => import("./commands/task/tree.ts")],
  show: ["show one task", () => import("./commands/task/show.ts")],
  next: ["show the task that runs next", () => import("./commands/task/next.ts")],
  edit: ["change a task", () => import("./commands/task/edit.ts")],
  depend: ["make a task wait for others", () => import("./commands/task/arrange.ts")],
  done: ["mark a task done", () => import("./commands/task/close.ts")],
  fail: ["mark a task failed", () => import("./commands/task/close.ts")],
  reset: ["reopen a task", () => import("./commands/task/reset.ts")],
  retry: ["reopen a task and put it first", () => import("./commands/task/reset.ts")],
  skip: ["block a task that should not run", () => import("./commands/task/close.ts")],
  remove: ["delete tasks that were never worked on", () => import("./commands/task/arrange.ts")],
  split: ["split a task into smaller ones", () => import("./commands/task/arrange.ts")],
  export: ["write tasks to a file", () => import("./commands/task/export.ts")],
});

const note = group("note", "notes for later iterations of a session", {
  add: ["add a note for later iterations", () => import("./commands/note.ts")],
  list: ["list the notes of the session", () => import("./commands/note.ts")],
});

const prompt = group("prompt", "show sent prompts, customize the template", {
  show: ["show a prompt as it was sent", () => import("./commands/prompt/show.ts")],
  export: ["write the built-in prompt as an editable template", () => import("./commands/prompt/export.ts")],
});

const store = group("store", "move the project between a file and a server", {
  copy: ["copy the project's store to a server, or back", () => import("./commands/store.ts")],
});

const everyday = nodes({
  init: ["set up ralph in this project", () => import("./commands/init/init.ts")],
  plan: ["write a list of tasks for a goal", () => import("./commands/task/plan.ts")],
  run: ["work through the tasks", () => import("./commands/run.ts")],
  task,
  status: [
    "show task counts, the current run and the next task",
    () => import("./commands/status/status.ts"),
  ],
  message: [
    "send a message to the next iteration or the working agent",
    () => import("./commands/message.ts"),
  ],
  stop: ["stop the active run", () => import("./commands/stop.ts")],
  watch: ["show the run live, in another terminal", () => import("./commands/view/watch.ts")],
  log: ["show runs and attempts with their results", () => import("./commands/log/log.ts")],
  undo: ["revert a task's commits and reopen it", () => import("./commands/undo.ts")],
  memory,
  skills,
  verify: ["run the project's verification once", () => import("./commands/verify.ts")],
  trust: ["show or approve what this project makes ralph execute", () => import("./commands/trust.ts")],
  doctor: ["check this machine and project", () => import("./commands/doctor/doctor.ts")],
});

const others = nodes({
  demo: ["run the whole loop on a practice project", () => import("./commands/demo/demo.ts")],
  pause: ["pause the active run after its current iteration", () => import("./commands/stop.ts")],
  resume: ["continue a paused run", () => import("./commands/stop.ts")],
  note,
  journal,
  learnings,
  prompt,
  context: ["show the exact prompt of a task", () => import("./commands/prompt/context.ts")],
  diff: ["show what a task changed", () => import("./commands/diff.ts")],
  dashboard: ["show the run and the memory in the browser", () => import("./commands/view/dashboard.ts")],
  report: ["write what a run did, to share", () => import("./commands/view/report.ts")],
  config: ["show every setting and where it comes from", () => import("./commands/config.ts")],
  store,
  events: ["show the event log, and follow it", () => import("./commands/log/events.ts")],
  models: ["show the models that an agent offers", () => import("./commands/models.ts")],
  mcp: ["serve memory and tasks to agents over MCP", () => import("./commands/mcp.ts")],
  strategy: [
    "show what verified tasks cost by model, and why one was chosen",
    () => import("./commands/strategy.ts"),
  ],
  connect: [
    "give your own sessions of an agent ralph's memory",
    () => import("./commands/connect/connect.ts"),
  ],
  disconnect: ["undo `ralph connect`", () => import("./commands/connect/connect.ts")],
  redact: ["replace the secrets in standard input", () => import("./commands/redact.ts")],
  completions: ["print a shell completion script", () => import("./commands/completions.ts")],
});

/** Every command. */
export const commands: CommandTable = [
  ...everyday.map((node) => ({ ...node, listed: "first" as const })),
  ...others,
  ...nodes({
    "agent-hook": [
      "answer a hook of an interactive session",
      () => import("./commands/connect/agent-hook.ts"),
    ],
  }).map((node) => ({ ...node, listed: "never" as const })),
];
