import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { byCommand, openLearningActions } from "../../src/memory/learning-actions.ts";
import { openStore } from "../../src/store/open-store.ts";
import { openConnection } from "../../src/store/sqlite/connection.ts";
import { type Practice, practice, ralphBin } from "../e2e/practice.ts";
import { storeRecords } from "../sample-records.ts";
import { glassRecords } from "../skill-project.ts";

const tasksFile = 'tasks:\n  - id: "prices"\n    title: "Add prices"\n';
const write = { write: { "src/{id}.txt": "x" } };

/** A project with the tasks `t-1` to `t-3` and a file of tasks. Its agents use ralph, and one removes the store. */
export async function smokeProject(): Promise<Practice> {
  const project = practice({
    "src/base.txt": "x\n",
    ".agents/skills/one/SKILL.md": "---\nname: one\ndescription: One\n---\n",
  });
  const ralph = `"${process.execPath}" "${ralphBin}"`;
  const typed = ["status", "note list", "task done {id}", "task reset {id}", "mcp < ../mcp-talk"];
  const ask = [
    ...typed.map((words) => `${ralph} ${words}`),
    `env -u RALPH_SOCKET ${ralph} task reset {id}`,
    "true",
  ];
  await project.useWorker(
    {
      "t-1": [{ ...write, run: [["sh", "-c", ask.join("; ")]] }],
      "t-3": [{ ...write, run: [["rm", ".ralph/progress.db"]] }],
      "*": [write],
    },
    // In the view, an agent could not remove the store.
    'sandbox: "off"\nverify: ["true"]\n',
  );
  project.write("../mcp-talk", mcpTalk);
  // Untracked, so that the undone task's commit is the only change.
  project.write("tasks.yaml", tasksFile);
  return project;
}

/**
 * A project with one task, whose agent states tokens and no cost. As if ralph had been killed while an agent worked that had removed
 * the store.
 */
export async function pricedProject(): Promise<Practice> {
  const project = practice();
  const words = "<task-done>t-1</task-done>";
  const events = [
    {
      type: "message_end",
      message: {
        role: "assistant",
        content: [{ type: "text", text: words }],
        usage: { input: 1000, output: 100 },
        stopReason: "stop",
      },
    },
    { type: "agent_end" },
  ];
  const lines = events.map((event) => `echo '${JSON.stringify(event)}'`).join("; ");
  const argv = JSON.stringify(["sh", "-c", `cat > /dev/null; echo x > made.txt; ${lines}`]);
  project.write(
    ".ralph/config.yaml",
    `agent: command\nverifyBaseline: off\nagents:\n  command: { argv: ${argv}, format: pi-json, tiers: [gpt-5.5] }\n`,
  );
  project.git("add", "-A");
  project.git("commit", "-q", "-m", "configure ralph");
  await project.approveConfig();
  await project.addTasks(["Make it"]);
  return project;
}

/** Stores the records of three verified tasks, which are worth a skill, and a learning, whose id it returns. */
export async function learn({ dir }: Practice): Promise<string> {
  const db = await openStore({ path: join(dir, ".ralph/progress.db") });
  await storeRecords(db, glassRecords);
  const text = "Prices are integers in cents: round them with Math.round";
  const { learning } = await openLearningActions({ db, root: dir, now: () => new Date() }).store({
    ...{ text, files: [], category: "pitfall", tags: [], scope: "project", topic: null },
    provenance: byCommand(null),
  });
  await db.close();
  return learning.id;
}

/** A folder below `base` whose store is one of schema 1. */
export async function oldProject(base: string): Promise<string> {
  const folder = join(base, "old");
  mkdirSync(join(folder, ".ralph"), { recursive: true });
  const file = join(folder, ".ralph/progress.db");
  writeFileSync(file, "");
  const connection = await openConnection(file, { readOnly: false });
  connection.exec(oldStore);
  connection.close();
  return folder;
}

const oldStore = `
  CREATE TABLE tasks (id TEXT PRIMARY KEY, parent_id TEXT, title TEXT NOT NULL, description TEXT,
    status TEXT NOT NULL DEFAULT 'pending', priority INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL, claimed_by TEXT);
  CREATE TABLE dependencies (blocker_id TEXT NOT NULL, blocked_id TEXT NOT NULL, PRIMARY KEY (blocker_id, blocked_id));
  CREATE TABLE task_logs (id INTEGER PRIMARY KEY AUTOINCREMENT, task_id TEXT NOT NULL, message TEXT NOT NULL,
    timestamp TEXT NOT NULL);
  INSERT INTO tasks VALUES ('t-000001', NULL, 'old', NULL, 'done', 1, '2025-11-02 10:00:00', '1762077600', NULL);
  PRAGMA user_version = 1;`;

/** The messages of a client to `ralph mcp`: two calls of tools. */
export const mcpTalk: string = [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/call", params: { name: "task_list", arguments: {} } },
  {
    id: 3,
    method: "tools/call",
    params: {
      name: "memory_store",
      arguments: { lesson: "The glass needs water before the straw.", tags: [] },
    },
  },
]
  .map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  .join("");
