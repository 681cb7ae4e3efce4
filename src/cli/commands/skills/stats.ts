import { skillStats } from "../../../memory/skill-actions.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import type { CommandSpec } from "../../shell/command.ts";

/** `ralph skills stats` (SKILL-5). */
export const stats: CommandSpec = {
  description:
    "Prints a JSON object. avgTokensSaved compares the tokens per verified success of attempts with and without skills; it is null until `ralph run --holdout 0.1` has measured enough of both.",
  examples: ["ralph skills stats"],
  run: async (session) => {
    const project = await session.openProject();
    try {
      const measured = await skillStats(project.db);
      if (session.json) session.out(storedJson(measured));
      else session.out(storedText(JSON.stringify(measured, null, 2)));
      return 0;
    } finally {
      await project.close();
    }
  },
};
