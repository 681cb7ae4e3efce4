import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Bad } from "./bad-input.ts";

const tasksYaml = (lines: string) => `tasks:\n${lines}`;

/** Mistakes of people in configurations and lists of tasks. */
export const badFiles: readonly Bad[] = [
  {
    what: "a cycle in a file",
    prepare: (made) =>
      made.write(
        "tasks.yaml",
        tasksYaml(
          "  - id: x\n    title: x\n    depends_on: [y]\n  - id: y\n    title: y\n    depends_on: [x]\n",
        ),
      ),
    type: ["task", "import", "tasks.yaml"],
    code: 2,
    says: ["tasks.yaml:", "x → y → x"],
    hint: "dependencies",
  },
  {
    what: "an unknown key in the configuration",
    prepare: (made) => made.write(".ralph/config.yaml", "agent: command\nmodle: opus\n"),
    type: ["run"],
    code: 2,
    says: [/config\.yaml:2:1/, "modle"],
    hint: /[Dd]id you mean.*model/,
  },
  {
    what: "a value of the wrong type in the configuration",
    prepare: (made) => made.write(".ralph/config.yaml", "limits:\n  maxAttempts: many\n"),
    type: ["status"],
    code: 2,
    says: [/config\.yaml:2:/, "limits.maxAttempts", "many", "non-negative integer"],
    hint: "ralph config show",
  },
  {
    what: "a store that is an address",
    prepare: (made) => made.write(".ralph/config.yaml", "store: postgres://user:secret@localhost/ralph\n"),
    type: ["task", "list"],
    code: 2,
    says: [/config\.yaml:1:1: store must be a file path, got "postgres:…"$/m],
    hint: "RALPH_STORE_URL",
  },
  {
    what: "a configuration that is no YAML",
    prepare: (made) => made.write(".ralph/config.yaml", 'agent: "claude\nverify: [\n'),
    type: ["status"],
    code: 2,
    says: [/config\.yaml:\d+/],
    hint: /\S/,
  },
  {
    what: "a configuration file that is not there",
    type: ["status", "--config", "nowhere.yaml"],
    code: 2,
    says: ["nowhere.yaml"],
    hint: "--config",
  },
  {
    what: "a list of tasks that is no YAML",
    prepare: (made) => made.write("tasks.yaml", 'tasks:\n  - id: "x\n'),
    type: ["task", "import", "tasks.yaml"],
    code: 2,
    says: [/tasks\.yaml:\d+/],
    hint: /\S/,
  },
  {
    what: "an id that a file has twice",
    prepare: (made) =>
      made.write("tasks.yaml", tasksYaml("  - id: x\n    title: x\n  - id: x\n    title: y\n")),
    type: ["task", "import", "tasks.yaml"],
    code: 2,
    says: [/tasks\.yaml:4/, "x", "line 2"],
    hint: /\S/,
  },
  {
    what: "a file of tasks that is a folder",
    prepare: (made) => void mkdirSync(join(made.dir, "tasks.md")),
    type: ["task", "import", "tasks.md"],
    code: 2,
    says: ["tasks.md", "a folder"],
    hint: /\S/,
  },
  {
    what: "a file of tasks that is not there",
    type: ["task", "import", "nowhere.md"],
    code: 2,
    says: ["nowhere.md", "no such file"],
    hint: /\S/,
  },
  {
    what: "a file without tasks",
    prepare: (made) => made.write("tasks.md", "# Nothing to do\n"),
    type: ["task", "import", "tasks.md"],
    code: 2,
    says: ["tasks.md"],
    hint: /\S/,
  },
  {
    what: "a file of a format that nobody knows",
    prepare: (made) => made.write("tasks.xml", "<tasks/>\n"),
    type: ["task", "import", "tasks.xml"],
    code: 2,
    says: ["tasks.xml"],
    hint: "tasks-yaml",
  },
];
