import { filePath } from "../load/value-type.ts";
import type { SettingKey } from "./setting-key.ts";

export const hivemind: readonly SettingKey[] = [
  {
    key: "hivemind.store",
    type: filePath,
    defaultValue: "auto",
    description:
      "Memory that your projects share: auto, off, swarm, or a SQLite file; relative to your data folder.",
    details: `\`auto\` is \`ralph/hivemind.db\` in your data folder (\`$XDG_DATA_HOME\`, or \`~/.local/share\`); a relative path begins in the
folder \`ralph\` there. A project's own file that names a file elsewhere needs your approval (\`ralph trust approve\`); until then the hivemind is
not used. \`swarm\` keeps the records with the program of that name, which has to be on \`PATH\`; it is started in the folder \`ralph/swarm\` of your
data folder, because it has a database for each folder. It too needs your approval in a project's own file. See [memory](memory.md).`,
  },
];
