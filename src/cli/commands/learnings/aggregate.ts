import { safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { learnedJson, noteProposals } from "../../project/render-learned.ts";
import { withSkillWriter } from "../../project/skills-of.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { printResult } from "../../shell/io.ts";

/** `ralph learnings aggregate` (SKILL-1). */
export const command: CommandSpec = {
  description:
    "Merges what the records state about each topic: wordings of one pattern become one, with the number of attempts and tasks. Writes one file per topic to the folder `aggregated` of `learnings.dir`, and proposes a skill where a topic has three patterns, or one that was seen three times, from two verified tasks. A run does this by itself.",
  examples: ["ralph learnings aggregate", "ralph --aggregate --json"],
  run: async (session) => {
    return withSkillWriter(session, async (actions, project) => {
      const learned = await actions.aggregate();
      const { topics, patterns, entries, changed } = learned;
      printResult(
        session,
        learnedJson(learned),
        safe`${count(patterns, "pattern")} of ${count(topics, "topic")} from ${count(entries, "entry", "entries")}; ${count(changed, "topic")} changed`,
      );
      noteProposals(session, learned);
      const { dir } = project.loaded.settings.learnings;
      if (topics > 0) session.note(safe`files: ${storedText(dir)}/aggregated`);
    });
  },
};
