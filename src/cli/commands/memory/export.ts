import { access } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { RalphError } from "../../../base/errors.ts";
import { safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { optionalText } from "../../shell/option-values.ts";
import { withMemoryActions } from "./open-memory.ts";

/** `ralph memory export`. */
export const exportCommand: CommandSpec = {
  description:
    "Writes every learning, whatever its status, with its history, as one JSON object per line. `ralph memory import` reads it back without loss. Without a file, prints to standard output.",
  examples: ["ralph memory export memory.jsonl", "ralph memory export | gzip > memory.jsonl.gz"],
  arguments: [{ name: "[file]", description: "output file, or - for standard output" }],
  options: [{ flags: "--force", description: "replace an existing file" }],
  run: (session, { args, options }) =>
    withMemoryActions(session, async (actions) => {
      const named = optionalText(args["file"]);
      const file = named === "-" ? undefined : named;
      const lines: string[] = [];
      const learnings = await actions.export((line) => {
        if (file === undefined) session.outFile(line);
        else lines.push(line);
      });
      if (file === undefined) return;
      const path = resolve(session.cwd, file);
      if (options["force"] !== true) await refuseExisting(path, file);
      const { writeFileSafely } = await import("../../../trust/safe-file.ts");
      await writeFileSafely(path, `${lines.join("\n")}\n`, { root: dirname(path) });
      if (session.json) session.out(storedJson({ success: true, file, learnings }));
      session.note(safe`wrote ${count(learnings, "learning")} to ${storedText(file)}`);
    }),
};

async function refuseExisting(path: string, file: string): Promise<void> {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (!exists) return;
  throw new RalphError("RALPH_MEMORY_FILE", `${file} already exists`, { hint: "use --force to replace it" });
}
