import { safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import { type CommandSpec, inProject } from "../../shell/command.ts";
import { optionalText } from "../../shell/io.ts";
import { writeExport } from "../../shell/write-export.ts";
import { memoryActions } from "./with-collection.ts";

/** `ralph memory export`. */
export const command: CommandSpec = {
  description:
    "Writes every learning, whatever its status, with its history, as one JSON object per line. `ralph memory import` reads it back without loss. Without a file, prints to standard output.",
  examples: ["ralph memory export memory.jsonl", "ralph memory export | gzip > memory.jsonl.gz"],
  arguments: [{ name: "[file]", description: "output file, or - for standard output" }],
  options: [{ flags: "--force", description: "replace an existing file" }],
  run: inProject(async (session, project, { args, options }) => {
    const actions = memoryActions(session, project);
    const named = optionalText(args["file"]);
    const file = named === "-" ? undefined : named;
    const lines: string[] = [];
    const learnings = await actions.export((line) => {
      if (file === undefined) session.outFile(line);
      else lines.push(line);
    });
    if (file === undefined) return;
    const text = `${lines.join("\n")}\n`;
    await writeExport(session, { options }, { file, text, code: "RALPH_MEMORY_FILE" });
    if (session.json) session.out(storedJson({ success: true, file, learnings }));
    session.note(safe`wrote ${count(learnings, "learning")} to ${storedText(file)}`);
  }),
};
