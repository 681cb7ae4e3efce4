import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { messageOf, RalphError } from "../../../base/errors.ts";
import { safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { storedLine } from "../../../trust/stored-text.ts";
import { type CommandSpec, type Session, withProject } from "../../shell/command.ts";
import { optionalText, printResult } from "../../shell/io.ts";
import { learningActions, readInput } from "./with-collection.ts";

/** `ralph memory import`. */
export const command: CommandSpec = {
  description:
    "Imports learnings that `ralph memory export` wrote, with their history, or lines that `swarm` exported (.hive/memories.jsonl). Existing learnings stay unchanged. Imported learnings are quarantined until `ralph memory approve`, because agents follow what they read. --approve skips the quarantine for files that you trust; what they call unproven stays so, until verified successes here or a person prove it.",
  examples: ["ralph memory import memory.jsonl", "zcat memory.jsonl.gz | ralph memory import - --approve"],
  arguments: [{ name: "<file>", description: "input file, or - for standard input" }],
  options: [{ flags: "--approve", description: "trust the file and skip the quarantine" }],
  run: async (session, { args, options }) => {
    const file = optionalText(args["file"]) ?? "-";
    const text = file === "-" ? await readInput(session) : await readText(session, file);
    if (text.trim() === "") {
      throw new RalphError("RALPH_MEMORY_FILE", `${file === "-" ? "standard input" : file} is empty`, {
        hint: "use a file that `ralph memory export` wrote: one JSON object per line",
      });
    }
    const approved = options["approve"] === true;
    return withProject(session, { create: true }, async (project) => {
      const actions = learningActions(session, project);
      const report = await actions.import(text, { approved, origin: file === "-" ? "standard input" : file });
      const { imported, unchanged, renamed, quarantined, redated, problems } = report;
      if (imported + unchanged === 0 && problems[0]) {
        const { line, problem } = problems[0];
        throw new RalphError(
          "RALPH_MEMORY_FILE",
          `${storedLine(file, 200)} contains no learnings: line ${line} ${problem}`,
          { hint: "use a file that `ralph memory export` wrote: one JSON object per line" },
        );
      }
      printResult(
        session,
        { success: true, ...report },
        safe`imported ${count(imported, "learning")}; ${unchanged} already known, ${renamed} renamed`,
      );
      if (redated > 0)
        session.note(
          safe`warning: ${count(redated, "learning")} had dates in the future, which were set to now`,
        );
      for (const { line, problem } of problems)
        session.note(safe`warning: line ${line} ${storedLine(problem, 200)}`);
      if (quarantined > 0)
        session.note(
          safe`hint: ${quarantined} quarantined; run \`ralph memory list --status quarantined\` to review`,
        );
    });
  },
};

async function readText(session: Session, file: string): Promise<string> {
  try {
    return await readFile(resolve(session.cwd, file), "utf8");
  } catch (cause) {
    throw new RalphError("RALPH_MEMORY_FILE", `cannot read ${file}: ${messageOf(cause)}`, {
      hint: "check the path",
      cause,
    });
  }
}
