/** Which piece of work a requirement is owed by; an id owed by a finished one must be cited by a test. */
type Owed = "ground" | "night" | "memory" | "later";

export interface Requirement {
  readonly id: string;
  readonly text: string;
  readonly owed: Owed;
}

const rows: readonly (readonly [id: string, owed: Owed, text: string])[] = [
  ["LOOP-1", "ground", "a run recovers, picks, prompts, runs, judges, records in one go, then commits"],
  ["LOOP-2", "ground", "what makes a task ready, their order, atomic claims with fencing tokens"],
  ["LOOP-3", "ground", "a new agent session for each iteration"],
  ["LOOP-4", "ground", "done is what was verified; no change, or no test run, is no done"],
  ["LOOP-5", "ground", "verification from task, then config; detected commands are only proposed"],
  ["LOOP-6", "ground", "the failing part of the output is kept, in 4,000 characters"],
  ["LOOP-7", "ground", "limits end a run cleanly, each with its own reason"],
  ["LOOP-8", "ground", "limits of agents burn no attempt: wait, or take the next agent"],
  ["LOOP-9", "ground", "what is committed, kept, salvaged, rolled back, undone; what is a person's stays"],
  ["LOOP-10", "ground", "stopping by signal or command; no process of an agent survives"],
  ["LOOP-11", "ground", "after a kill at any instant the next run goes on by itself"],
  ["LOOP-12", "ground", "a dry run prints prompt and command and runs nothing"],
  ["LOOP-13", "ground", "a message reaches the next prompt"],
  ["LOOP-14", "ground", "exit codes and their precedence"],
  ["LOOP-15", "ground", "the demo fails, learns and succeeds, offline, in 30 seconds"],
  ["LOOP-16", "ground", "an agent's own commits and untracked files are its work"],
  ["LOOP-17", "ground", "the summary at a run's end"],
  ["LOOP-18", "ground", "the agent cannot rewrite what judges it"],
  ["LOOP-19", "ground", "the flags of a run"],

  ["TASK-1", "ground", "what a task is made of and where it is stored"],
  ["TASK-2", "ground", "dependencies without cycles; parents and children"],
  ["TASK-3", "ground", "the task commands, those that read also as JSON"],
  ["TASK-4", "ground", "import and re-import: tasks.yaml, checklists, prd.json, GitHub issues, beads"],
  ["TASK-5", "ground", "a finished task is ticked in its source, all other bytes unchanged"],
  ["TASK-6", "ground", "a database of schema 1 migrates after a backup; a newer one is refused"],
  ["TASK-7", "ground", "10,000 tasks stay fast and readable"],
  ["TASK-8", "ground", "titles and texts are data and come back unchanged"],
  ["TASK-9", "ground", "from pending to blocked or failed, and back by reset"],

  ["SIG-1", "ground", "done, failed, promise and next model"],
  ["SIG-2", "ground", "the failure report's grammar"],
  ["SIG-3", "ground", "learnings with category, tags and topic"],
  ["SIG-4", "ground", "the difficulty estimate's five values"],
  ["SIG-5", "ground", "the retry suggestion"],
  ["SIG-6", "ground", "notes, verdicts on memory, subtasks, what was missing"],
  ["SIG-7", "ground", "first valid one wins; linear, never throwing; final message and own id only"],
  ["SIG-8", "ground", "an agent without sigils still works"],
  ["SIG-9", "ground", "the prompt documents the active sigils and no others"],
  ["SIG-10", "ground", "a sigil stands on lines of its own; a mention is no signal"],

  ["FAIL-1", "ground", "tables of outcomes, reports and interruptions"],
  ["FAIL-2", "ground", "every attempt that is not done has a report, if need be from facts"],
  ["FAIL-3", "ground", "categories of errors, their order and triggers"],
  ["FAIL-4", "ground", "previous attempts in the prompt, the last suggestion at their end"],
  ["FAIL-5", "ground", "error signatures: repeated ones are told, known fixes rank first"],

  ["LEARN-1", "ground", "what a learning is made of"],
  ["LEARN-2", "ground", "captured after every iteration"],
  ["LEARN-3", "memory", "a record file for each task, and their import"],
  ["LEARN-4", "ground", "ranking by relevance, with near-duplicates and weak matches dropped"],
  ["LEARN-5", "ground", "how learnings stand in the prompt"],
  ["LEARN-6", "ground", "injections recorded, usefulness learnt, hold-outs, measured lift"],
  ["LEARN-7", "ground", "staleness by cited files"],
  ["LEARN-8", "ground", "summarising without a model"],
  ["LEARN-9", "ground", "pruning to an archive, and restoring"],
  ["LEARN-10", "ground", "what is never captured"],

  ["SKILL-1", "later", "aggregation of records by category"],
  ["SKILL-2", "later", "when a category is worth a skill, and what the skill holds"],
  ["SKILL-3", "later", "where skills are written; a person's edits stay"],
  ["SKILL-4", "later", "which skills a prompt loads"],
  ["SKILL-5", "later", "use and success with each skill"],
  ["SKILL-6", "later", "the old flags for skills and learnings"],

  ["NOTE-1", "memory", "agents add and list notes"],
  ["NOTE-2", "memory", "notes are append-only"],
  ["NOTE-3", "memory", "notes in the prompt, grouped and numbered"],
  ["NOTE-4", "memory", "notes shown at start-up and by command"],
  ["NOTE-5", "memory", "notes belong to a named session"],

  ["JOURNAL-1", "later", "one free-form file for each change"],
  ["JOURNAL-2", "later", "where it lies, and that the agent may write there"],
  ["JOURNAL-3", "later", "verbatim in the prompt, its end when it is long"],
  ["JOURNAL-4", "later", "the prompt tells its path from the first iteration on"],

  ["HIVE-1", "later", "shared memory is looked up before each iteration"],
  ["HIVE-2", "later", "what is stored there after success and failure"],
  ["HIVE-3", "later", "its stores"],
  ["HIVE-4", "later", "its failures never break the loop"],
  ["HIVE-5", "later", "memory commands with the flags and shapes of the swarm tool"],
  ["HIVE-6", "later", "what comes from elsewhere is marked and ranked last"],

  ["CTX-1", "later", "the structured context file and its summary"],
  ["CTX-2", "ground", "the event log and event files"],
  ["CTX-3", "ground", "every write has its event in the same transaction; the log rebuilds the rest"],
  ["CTX-4", "ground", "hooks on events"],

  ["STRAT-1", "ground", "strategy metrics and their update rules"],
  ["STRAT-2", "ground", "the strategies that pick a model"],
  ["STRAT-3", "ground", "the next-model override and the rationale"],
  ["STRAT-4", "ground", "escalation up to a person"],
  ["STRAT-5", "later", "the adaptive strategy"],
  ["STRAT-6", "ground", "the loop status block"],

  ["PROMPT-1", "ground", "one builder, sections in order, none without content"],
  ["PROMPT-2", "ground", "one shared budget, never exceeded"],
  ["PROMPT-3", "ground", "memory text stands in a fence that it cannot close"],
  ["PROMPT-4", "ground", "the exact prompt by command, with why"],
  ["PROMPT-5", "ground", "templates exported and overridden"],

  ["AGENT-1", "later", "the adapters, one contract, one conformance suite"],
  ["AGENT-2", "later", "what each adapter reports"],
  ["AGENT-3", "later", "the prompt never on the command line, arguments never by a shell"],
  ["AGENT-4", "later", "least permission by default"],
  ["AGENT-5", "later", "the raw stream is logged, capped and redacted"],
  ["AGENT-6", "later", "the tools for agents"],

  ["UX-1", "ground", "init and doctor"],
  ["UX-2", "later", "the live view, plain lines, streamed events"],
  ["UX-3", "later", "status, log and dashboard"],
  ["UX-4", "ground", "clear errors with hints"],
  ["UX-5", "ground", "configuration: precedence, unknown keys, origins"],
  ["UX-6", "later", "platforms, no telemetry, install and uninstall"],

  ["FLEET-1", "later", "tasks and memory in PostgreSQL for many machines"],
  ["FLEET-2", "later", "several iterations at once in worktrees"],
  ["FLEET-3", "later", "one behaviour suite on both stores"],

  ["TRUST-1", "ground", "secrets are redacted wherever text is kept or shown"],
  ["TRUST-2", "later", "the redact command"],
  ["TRUST-3", "ground", "no stored text chooses what is executed"],
  ["TRUST-4", "ground", "where each row comes from; purge by run"],
  ["TRUST-5", "ground", "what a repository makes ralph execute needs approval by content"],
  ["TRUST-6", "ground", "safe names, private files, no link followed"],
  ["TRUST-7", "ground", "no control characters on the screen"],
  ["TRUST-8", "ground", "faults of disk and database: a clear error, nothing half-written"],

  ["IF-1", "ground", "the command agent's interface"],
  ["IF-2", "ground", "the JSON lines of a run and their last one"],
  ["IF-3", "ground", "the JSON of tasks, status and context"],
  ["IF-4", "ground", "the retrieval benchmark"],
  ["IF-5", "later", "the strategy benchmark"],
  ["IF-6", "ground", "the overhead benchmark"],
  ["IF-7", "later", "checks over corpora in a data folder"],
];

/** Every requirement, in its section's order. */
export const requirements: readonly Requirement[] = rows.map(([id, owed, text]) => ({ id, owed, text }));
