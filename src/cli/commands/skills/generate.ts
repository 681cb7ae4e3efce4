import { type SafeText, safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { skillStats } from "../../../memory/skill-actions.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { learnedJson, noteProposals } from "../../project/render-learned.ts";
import { withSkillWriter } from "../../project/skills-of.ts";
import { type CommandSpec, inProject } from "../../shell/command.ts";
import { printResult } from "../../shell/io.ts";

const nothingNew = safe`hint: the topics lack patterns or verified tasks, or their skills state all of it already; run \`ralph learnings show\` to see what attempts reported`;

/** A topic whose proposal waits has no new one. */
function waitingText(waiting: number): SafeText {
  if (waiting === 0) return nothingNew;
  return safe`hint: ${count(waiting, "earlier proposal")} ${waiting === 1 ? "waits" : "wait"} for your decision: run \`ralph skills list\``;
}

/** `ralph skills generate` (SKILL-2). */
export const command: CommandSpec = {
  description:
    "Proposes a skill for each topic with three patterns, or one that was seen three times, from two verified tasks. Unlike a run, it also proposes a change of a skill where only the counts differ, and a skill that was retired. What you rejected is not proposed again with the same evidence.",
  examples: ["ralph skills generate", "ralph --generate-skills --json"],
  run: async (session) => {
    return withSkillWriter(session, async (actions) => {
      const learned = await actions.generate();
      const { proposals, topics } = learned;
      printResult(
        session,
        learnedJson(learned),
        safe`${count(proposals.length, "proposal")} from ${count(topics, "topic")}`,
      );
      noteProposals(session, learned);
      if (proposals.length === 0) session.note(waitingText((await actions.overview()).proposals.length));
    });
  },
};

export const stats: CommandSpec = {
  description:
    "Prints a JSON object. avgTokensSaved compares the tokens per verified success of attempts with and without skills; it is null until `ralph run --holdout 0.1` has measured enough of both.",
  examples: ["ralph skills stats"],
  run: inProject(async (session, project) => {
    const measured = await skillStats(project.db);
    printResult(session, measured, storedText(JSON.stringify(measured, null, 2)));
  }),
};
