import { rmSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/store/open-store.ts";
import type { Practice } from "./practice.ts";

export interface Bad {
  readonly what: string;
  /** Makes it bad. The project has a worker for an agent, and the tasks `a` and `b`, where `b` waits for `a`. */
  readonly prepare?: (made: Practice) => void | Promise<void>;
  readonly type: readonly string[];
  readonly code: 2 | 5;
  /** In the message: what is wrong, and where. */
  readonly says: readonly (string | RegExp)[];
  readonly hint: string | RegExp;
}

/** Mistakes of people in a project that has tasks, besides its files. */
export const bad: readonly Bad[] = [
  {
    what: "a cycle",
    type: ["task", "depend", "a", "b"],
    code: 2,
    says: ["a", "b", /cycle|each other|wait/],
    hint: /\S/,
  },
  {
    what: "a time limit without a unit",
    type: ["run", "--task-timeout", "30"],
    code: 2,
    says: ["--task-timeout", "30"],
    hint: "add a unit: 30s or 30m",
  },
  {
    what: "a description of 10 MB",
    prepare: (made) => made.write("../long.txt", "too long\n".repeat(1_200_000)),
    type: ["task", "add", "long", "--description-file", "../long.txt"],
    code: 2,
    says: ["description", "10,800,000"],
    hint: /\S/,
  },
  {
    what: "a run with an agent that is not known",
    type: ["run", "--agent", "comand"],
    code: 2,
    says: ["comand"],
    hint: /[Dd]id you mean.*command/,
  },
  {
    what: "a run without a commit",
    prepare: (made) => {
      rmSync(join(made.dir, ".git"), { recursive: true });
      made.git("init", "-q", "-b", "main");
      made.git("config", "user.name", "Practice");
      made.git("config", "user.email", "practice@example.invalid");
    },
    type: ["run"],
    code: 5,
    says: ["no commit"],
    hint: "git commit",
  },
  {
    what: "a run without an identity",
    prepare: (made) => {
      made.git("config", "--unset", "user.email");
      made.git("config", "--unset", "user.name");
      made.git("config", "user.useConfigOnly", "true");
    },
    type: ["run"],
    code: 5,
    says: [/name|identity/],
    hint: "git config --global user.name",
  },
  {
    what: "a run without a repository",
    prepare: (made) => rmSync(join(made.dir, ".git"), { recursive: true }),
    type: ["run"],
    code: 5,
    says: ["not in a git repository"],
    hint: "git init",
  },
  {
    what: "a run with what nobody approved",
    prepare: (made) => {
      made.write(".ralph/config.yaml", 'agent: command\nagents: { command: { argv: ["true"] } }\n');
      made.git("commit", "-qam", "change the configuration");
    },
    type: ["run", "--yes"],
    code: 5,
    says: ["not approved", "config.yaml"],
    hint: "ralph trust approve",
  },
  {
    what: "a store of a newer ralph",
    prepare: async (made) => {
      const db = await openStore({ path: join(made.dir, ".ralph/progress.db") });
      await db.get("PRAGMA user_version = 199");
      await db.get("PRAGMA wal_checkpoint(TRUNCATE)");
      await db.close();
    },
    type: ["status"],
    code: 5,
    says: ["progress.db", "schema 199"],
    hint: "update ralph",
  },
  {
    what: "an unknown command",
    type: ["stats"],
    code: 2,
    says: ["stats"],
    hint: "did you mean: ralph status",
  },
  {
    what: "a missing argument",
    type: ["task", "show"],
    code: 2,
    says: ["id"],
    hint: "ralph task show --help",
  },
  { what: "an empty verification", type: ["init", "--verify", " "], code: 2, says: ['" "'], hint: /\S/ },
  { what: "an unknown task", type: ["task", "show", "a1"], code: 2, says: ["a1"], hint: /[Dd]id you mean/ },
];

/** Mistakes before there is any store. */
export const first: readonly Omit<Bad, "hint">[] = [
  { what: "a run without tasks", type: ["run"], code: 2, says: ["no tasks in"] },
  { what: "an import of nothing", type: ["task", "import", "nowhere.md"], code: 2, says: ["nowhere.md"] },
  {
    what: "an import of a file that is wrong",
    prepare: (made) => made.write("tasks.yaml", "tasks:\n  - id: x\n    title: x\n    depends_on: [z]\n"),
    type: ["task", "import", "tasks.yaml"],
    code: 2,
    says: ["tasks.yaml", "z"],
  },
  {
    what: "a task after one that is not there",
    type: ["task", "add", "x", "--after", "y"],
    code: 2,
    says: ["y"],
  },
];
