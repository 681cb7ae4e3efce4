import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { messageOf, RalphError } from "../../../../base/errors.ts";
import { count } from "../../../../base/text.ts";
import type { CommandSpec, Session } from "../../../shell/command.ts";
import { jsonLine } from "../../../shell/json-line.ts";
import { readInput, refuseInsideIteration, textOption, withLearningActions } from "../input/with-actions.ts";
import { plain } from "../view/draw-learning.ts";

/** `ralph memory import`. */
export const importCommand: CommandSpec = {
  name: "import",
  summary: "take learnings from a file",
  description:
    "Takes over what `ralph memory export` wrote, with its history; what is there already stays. It waits in quarantine until `ralph memory approve`, for agents follow what they are told. --approve skips that, for a file of your own.",
  examples: ["ralph memory import memory.jsonl", "zcat memory.jsonl.gz | ralph memory import - --approve"],
  arguments: [{ name: "<file>", description: "the file, or - for standard input" }],
  options: [{ flags: "--approve", description: "trust it: no quarantine" }],
  run: async (session, { args, options }) => {
    refuseInsideIteration("import");
    const file = textOption(args["file"]) ?? "-";
    const text = file === "-" ? await readInput() : await readText(session, file);
    if (text.trim() === "") {
      throw new RalphError("RALPH_MEMORY_FILE", `${file === "-" ? "standard input" : file} is empty`, {
        hint: "it takes what `ralph memory export` writes: a JSON object a line",
      });
    }
    const approved = options["approve"] === true;
    return withLearningActions(session, { create: true }, async (desk) => {
      const report = await desk.import(text, { approved, origin: file === "-" ? "standard input" : file });
      const { imported, unchanged, renamed, quarantined, redated, problems } = report;
      if (imported + unchanged === 0 && problems[0]) {
        const { line, problem } = problems[0];
        throw new RalphError(
          "RALPH_MEMORY_FILE",
          `${plain(file, 200)} holds no learnings: line ${line} ${problem}`,
          {
            hint: "it takes what `ralph memory export` writes: a JSON object a line",
          },
        );
      }
      if (session.json) session.out(jsonLine({ success: true, ...report }));
      else
        session.out(
          `imported ${count(imported, "learning")}; ${unchanged} were there already, ${renamed} got a new id`,
        );
      if (redated > 0)
        session.note(
          `warning: ${count(redated, "learning")} said to be made or used in the future; taken as of now`,
        );
      for (const { line, problem } of problems) session.note(`warning: line ${line} ${plain(problem, 200)}`);
      if (quarantined > 0)
        session.note(`hint: ${quarantined} wait in quarantine: ralph memory list --status quarantined`);
      return 0;
    });
  },
};

async function readText(session: Session, file: string): Promise<string> {
  try {
    return await readFile(resolve(session.cwd, file), "utf8");
  } catch (cause) {
    throw new RalphError("RALPH_MEMORY_FILE", `${file} cannot be read (${messageOf(cause)})`, {
      hint: "look at the path",
      cause,
    });
  }
}
