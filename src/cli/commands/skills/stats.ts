import { skillStats } from "../../../memory/skill-actions.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { type CommandSpec, inProject } from "../../shell/command.ts";
import { printResult } from "../../shell/print-result.ts";

/** `ralph skills stats` (SKILL-5). */
export const command: CommandSpec = {
  description:
    "Prints a JSON object. avgTokensSaved compares the tokens per verified success of attempts with and without skills; it is null until `ralph run --holdout 0.1` has measured enough of both.",
  examples: ["ralph skills stats"],
  run: inProject(async (session, project) => {
    const measured = await skillStats(project.db);
    printResult(session, measured, storedText(JSON.stringify(measured, null, 2)));
  }),
};
