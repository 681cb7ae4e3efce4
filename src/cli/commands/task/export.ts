import { safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { blockersByTask } from "../../../tasks/graph/task-graph.ts";
import { listTasks } from "../../../tasks/graph/task-store.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { type CommandSpec, withProject } from "../../shell/command.ts";
import { optionalText } from "../../shell/io.ts";
import { writeExport } from "../../shell/write-export.ts";
import { type ExportFormat, exportFormats, renderExport } from "./render-export.ts";

/** `ralph task export`. */
export const command: CommandSpec = {
  description:
    "YAML keeps fields and dependencies; Markdown keeps only the tree of titles and what is done. Both can be imported again. JSON contains everything. Without a file, prints to standard output.",
  examples: ["ralph task export tasks.yaml", "ralph task export --format markdown"],
  arguments: [{ name: "[file]", description: "output file; its extension selects the format" }],
  options: [
    { flags: "--format <format>", description: exportFormats.join(", "), choices: exportFormats },
    { flags: "--force", description: "replace an existing file" },
  ],
  run: async (session, { args, options }) => {
    const file = optionalText(args["file"]);
    const named = exportFormats.find((one) => one === options["format"]);
    const format = session.json ? "json" : (named ?? formatOf(file));
    return withProject(session, {}, async ({ db }) => {
      const tasks = (await listTasks(db)).toSorted((a, b) => a.position - b.position);
      const text = renderExport(format, { tasks, blockersOf: await blockersByTask(db) });
      if (file === undefined) {
        session.outFile(text.trimEnd());
        return;
      }
      await writeExport(session, { options }, { file, text, code: "RALPH_TASK_FILE" });
      session.out(safe`wrote ${count(tasks.length, "task")} to ${storedText(file)}`);
    });
  },
};

function formatOf(file: string | undefined): ExportFormat {
  if (file?.endsWith(".md")) return "markdown";
  return file?.endsWith(".json") ? "json" : "yaml";
}
