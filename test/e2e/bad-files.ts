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
    what: "a store that is an address",
    prepare: (made) => made.write(".ralph/config.yaml", "store: postgres://user:secret@localhost/ralph\n"),
    type: ["task", "list"],
    code: 2,
    says: [/config\.yaml:1:1: store must be a file path, got "postgres:…"$/m],
    hint: "RALPH_STORE_URL",
  },
  {
    what: "a configuration file that is not there",
    type: ["status", "--config", "nowhere.yaml"],
    code: 2,
    says: ["nowhere.yaml"],
    hint: "--config",
  },
  {
    what: "a file of tasks that is a folder",
    prepare: (made) => void mkdirSync(join(made.dir, "tasks.md")),
    type: ["task", "import", "tasks.md"],
    code: 2,
    says: ["tasks.md", "a folder"],
    hint: /\S/,
  },
];
