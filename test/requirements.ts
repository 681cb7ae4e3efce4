/**
 * How much of a requirement the product has. `true`: all of it. `without …`: all but what the text names. `false`: nothing,
 * or nothing that a test proves. The gate (`requirements.test.ts`) demands a citing test for the first two and refuses one
 * for the last.
 */
type Built = true | false | `without ${string}`;

export interface Requirement {
  readonly id: string;
  readonly text: string;
  readonly built: Built;
}

const rows: readonly (readonly [id: string, built: Built, text: string])[] = [
  ["LOOP-1", true, "a run recovers, picks, prompts, runs, judges, records in one go, then commits"],
  ["LOOP-2", true, "what makes a task ready, their order, atomic claims with fencing tokens"],
  ["LOOP-3", true, "a new agent session for each iteration"],
  ["LOOP-4", true, "done is what was verified; no change, or no test run, is no done"],
  ["LOOP-5", true, "verification from task, then config; detected commands are only proposed"],
  ["LOOP-6", true, "the failing part of the output is kept, in 4,000 characters"],
  ["LOOP-7", true, "limits end a run cleanly, each with its own reason"],
  ["LOOP-8", true, "limits of agents burn no attempt: wait, or take the next agent"],
  ["LOOP-9", true, "what is committed, kept, salvaged, rolled back, undone; what is a person's stays"],
  ["LOOP-10", true, "stopping by signal or command; no process of an agent survives"],
  ["LOOP-11", true, "after a kill at any instant the next run goes on by itself"],
  ["LOOP-12", true, "a dry run prints prompt and command and runs nothing"],
  ["LOOP-13", true, "a message reaches the next prompt"],
  ["LOOP-14", true, "exit codes and their precedence"],
  ["LOOP-15", true, "the demo fails, learns and succeeds, offline, in 30 seconds"],
  ["LOOP-16", true, "an agent's own commits and untracked files are its work"],
  ["LOOP-17", true, "the summary at a run's end"],
  ["LOOP-18", true, "a short list is put back, and what weakens verification is read from the diff"],
  ["LOOP-19", true, "the flags of a run"],
  ["LOOP-20", true, "verification runs once on the clean tree before the first attempt"],
  [
    "LOOP-21",
    true,
    "a task is done when its commit exists; a refused commit is a failed attempt; 127 is an environment error",
  ],
  [
    "LOOP-22",
    true,
    "what a person changes after a crash stays theirs; the next attempt is shown what was left",
  ],
  ["LOOP-23", true, "the live line and the status of a running task"],
  ["LOOP-24", true, "a command that cannot fail verifies nothing and is named"],
  [
    "LOOP-25",
    "without new secrets and dependency folders left out of the commit",
    "the commit holds what was verified, on the run's branch",
  ],
  ["LOOP-26", true, "one fault of the agent does not park the list"],

  ["TASK-1", true, "what a task is made of and where it is stored"],
  ["TASK-2", true, "dependencies without cycles; parents and children"],
  ["TASK-3", true, "the task commands, those that read also as JSON"],
  ["TASK-4", true, "import and re-import: tasks.yaml, checklists, prd.json, GitHub issues, beads"],
  ["TASK-5", true, "a finished task is ticked in its source, all other bytes unchanged"],
  ["TASK-6", true, "a database of schema 1 migrates after a backup; a newer one is refused"],
  ["TASK-7", true, "10,000 tasks stay fast and readable"],
  ["TASK-8", true, "titles and texts are data and come back unchanged"],
  ["TASK-9", true, "from pending to blocked or failed, and back by reset"],
  ["TASK-10", true, "the source file is compared at the start and its changes are adopted"],
  ["TASK-11", true, "Markdown headings are groups; malformed checkboxes are named"],

  ["SIG-1", true, "done, failed, promise and next model"],
  ["SIG-2", true, "the failure report's grammar"],
  ["SIG-3", true, "learnings with category, tags and topic"],
  ["SIG-4", true, "the difficulty estimate's five values"],
  ["SIG-5", true, "the retry suggestion"],
  ["SIG-6", true, "notes, verdicts on memory, subtasks, what was missing"],
  ["SIG-7", true, "first valid one wins; linear, never throwing; final message and own id only"],
  ["SIG-8", true, "an agent without sigils still works"],
  ["SIG-9", true, "the prompt documents the active sigils and no others"],
  ["SIG-10", true, "a sigil stands on lines of its own; a mention is no signal"],

  ["FAIL-1", true, "tables of outcomes, reports and interruptions"],
  ["FAIL-2", true, "every attempt that is not done has a report, if need be from facts"],
  ["FAIL-3", true, "categories of errors, their order and triggers"],
  ["FAIL-4", true, "previous attempts in the prompt, the last suggestion at their end"],
  ["FAIL-5", true, "error signatures: repeated ones are told, known fixes rank first"],

  ["LEARN-1", true, "what a learning is made of"],
  ["LEARN-2", true, "captured after every iteration"],
  ["LEARN-3", true, "a record file for each task, and their import"],
  ["LEARN-4", true, "ranking by relevance, with near-duplicates and weak matches dropped"],
  ["LEARN-5", true, "how learnings stand in the prompt"],
  ["LEARN-6", true, "injections recorded, usefulness learnt, hold-outs, measured lift"],
  ["LEARN-7", true, "staleness by cited files"],
  ["LEARN-8", true, "summarising without a model"],
  ["LEARN-9", true, "pruning by age, sums that stay, restoring"],
  ["LEARN-10", true, "what is never captured"],
  [
    "LEARN-11",
    true,
    "each lesson is shown by a calibrated probability that it fits; shown, helpful and harmful are three counts",
  ],
  ["LEARN-12", true, "what an agent states is unproven until a verified success or a person confirms it"],
  ["LEARN-13", true, "a learning may state when it applies"],
  ["LEARN-14", true, "restatements and contradictions; citations follow renames"],
  ["LEARN-15", true, "a project gets its own successes back"],
  ["LEARN-16", true, "a model may choose from the one-line lessons"],

  ["SKILL-1", true, "aggregation of records by category"],
  ["SKILL-2", true, "when a category is worth a skill, and what the skill holds"],
  [
    "SKILL-3",
    "without the skills themselves, only their store",
    "where skills are written; a person's edits stay",
  ],
  ["SKILL-4", true, "which skills a prompt loads"],
  ["SKILL-5", true, "use and success with each skill"],
  ["SKILL-6", true, "the old flags for skills and learnings"],

  ["NOTE-1", true, "agents add and list notes"],
  ["NOTE-2", true, "notes are append-only"],
  ["NOTE-3", true, "notes in the prompt, grouped and numbered"],
  ["NOTE-4", true, "notes shown at start-up and by command"],
  ["NOTE-5", true, "notes belong to a named session"],

  ["JOURNAL-1", true, "one free-form file for each change"],
  ["JOURNAL-2", true, "where it lies, and that the agent may write there"],
  ["JOURNAL-3", true, "verbatim in the prompt, its end when it is long"],
  ["JOURNAL-4", true, "the prompt tells its path from the first iteration on"],

  ["HIVE-1", true, "shared memory is looked up before each iteration"],
  ["HIVE-2", true, "what is stored there after success and failure"],
  ["HIVE-3", "without PostgreSQL", "its stores"],
  ["HIVE-4", true, "its failures never break the loop"],
  ["HIVE-5", true, "memory commands with the flags and shapes of the swarm tool"],
  ["HIVE-6", true, "what comes from elsewhere is marked and ranked last"],

  ["CTX-1", true, "the structured context file and its summary"],
  [
    "CTX-2",
    "without delivery to hooks and event files after a kill",
    "events are rows of one table; the log, event files and listeners read from it",
  ],
  [
    "CTX-3",
    true,
    "an event is written with what it reports; the log is appended beside, and written again if removed",
  ],
  ["CTX-4", true, "hooks on events"],

  ["STRAT-1", true, "strategy metrics and their update rules"],
  ["STRAT-2", true, "the strategies that pick a model"],
  ["STRAT-3", true, "the next-model override and the rationale"],
  ["STRAT-4", true, "escalation up to a person"],
  ["STRAT-5", true, "the adaptive strategy"],
  ["STRAT-6", true, "the loop status block"],

  ["PROMPT-1", true, "one builder, sections in order, none without content"],
  ["PROMPT-2", true, "one shared budget, never exceeded"],
  [
    "PROMPT-3",
    true,
    "memory text stands in a fence that it cannot close, with a code that is not predictable",
  ],
  ["PROMPT-4", true, "the exact prompt by command, with why"],
  ["PROMPT-5", true, "templates exported and overridden"],
  ["PROMPT-6", true, "errors show what failed; short finishing instructions; prompts are kept as sent"],

  ["AGENT-1", true, "the adapters, one contract, one conformance suite"],
  ["AGENT-2", true, "what each adapter reports"],
  ["AGENT-3", true, "the prompt never on the command line, arguments never by a shell"],
  ["AGENT-4", true, "least permission by default"],
  ["AGENT-5", true, "the raw stream is logged, capped and redacted"],
  ["AGENT-6", "without note_add and note_list", "the tools for agents"],
  ["AGENT-7", true, "the agent port is two-way: stderr, ending, steering; message --now"],
  ["AGENT-8", true, "connect gives an interactive session the memory; disconnect undoes it"],
  ["AGENT-9", true, "models, prices and who pays; a budget needs a price"],

  ["UX-1", true, "init and doctor"],
  [
    "UX-2",
    "without memory injected and captured, and the queue, in the live view",
    "the live view, plain lines, streamed events",
  ],
  ["UX-3", "without the dashboard", "status, log and dashboard"],
  ["UX-4", true, "clear errors with hints"],
  ["UX-5", true, "configuration: precedence, unknown keys, origins"],
  ["UX-6", "without doctor's statement on Windows", "platforms, no telemetry, install and uninstall"],
  ["UX-7", true, "a plan from a goal"],
  ["UX-8", true, "a pull request at the end"],
  ["UX-9", true, "a second agent reviews before the commit"],

  ["FLEET-1", "without the memory that projects share", "tasks and memory in PostgreSQL for many machines"],
  ["FLEET-2", true, "several iterations at once in worktrees"],
  ["FLEET-3", "without what opens a store through commands", "one behaviour suite on both stores"],

  ["TRUST-1", true, "secrets are redacted wherever text is kept or shown"],
  ["TRUST-2", true, "the redact command"],
  ["TRUST-3", true, "no stored text chooses what is executed"],
  ["TRUST-4", true, "where each row comes from; purge by run"],
  ["TRUST-5", true, "what a repository makes ralph execute needs approval of exactly that"],
  ["TRUST-6", true, "safe names, private files, no link followed"],
  ["TRUST-7", true, "no control characters on the screen"],
  [
    "TRUST-8",
    true,
    "faults of disk and database: a clear error, nothing half-written; backups, and their restoration",
  ],
  [
    "TRUST-9",
    true,
    "while an agent works, the run executes what it asks for and is the only writer of the store",
  ],
  [
    "TRUST-10",
    true,
    "agents, verification and hooks cannot change ralph's files where a sandbox binds; its level is named",
  ],
  ["TRUST-11", true, "redaction keeps code, ids, URLs and hashes intact"],
  ["TRUST-12", true, "nothing that an agent writes stops or hangs the loop"],

  ["IF-1", true, "the command agent's interface"],
  ["IF-2", true, "the JSON lines of a run and their last one"],
  ["IF-3", true, "the JSON of tasks, status and context"],
  ["IF-4", true, "the retrieval benchmark"],
  ["IF-5", true, "the strategy benchmark"],
  ["IF-6", true, "the overhead benchmark"],
  ["IF-7", true, "checks over corpora in a data folder"],
];

/** Every requirement, in its section's order. */
export const requirements: readonly Requirement[] = rows.map(([id, built, text]) => ({ id, built, text }));
