import { joinSafe, safe } from "../../../base/safe-text.ts";
import { type LearningView, memoryJson } from "../../../memory/learning-actions.ts";
import { getReport } from "../../../memory/read-failures.ts";
import { storedText } from "../../../trust/stored-text.ts";
import type { CommandSpec, Session } from "../../shell/command.ts";
import { printResult } from "../../shell/print-result.ts";
import { showRecord } from "./hivemind-records.ts";
import { isArchived, labelOf, renderLearningLines } from "./render-memory.ts";
import { collectionOption, inCollection, inScope, learningActions } from "./with-collection.ts";

/** `ralph memory get`. */
export const command: CommandSpec = {
  description:
    "Shows a learning's text, origin, status and how useful it has been; a failure report (t-1#2); or a record of the hivemind (h-…) with its origin, age and what this project decided on it.",
  examples: ["ralph memory get l-3fa9c1", "ralph memory get h-3fa9c1d2e4b5"],
  arguments: [{ name: "<id>", description: "id of the learning, failure report or record" }],
  options: [collectionOption],
  run: inCollection({
    hivemind: showRecord,
    project: async (session, project, id, options) => {
      const report = await getReport(project.db, id);
      if (report)
        return printResult(
          session,
          { success: true, memory: report.json },
          storedText(report.lines.join("\n")),
        );
      const actions = learningActions(session, project);
      const learning = await inScope(actions, id, options);
      return showLearning(session, learning, await actions.replacement(learning.id));
    },
  }),
};

function showLearning(session: Session, learning: LearningView, newer: LearningView | null): void {
  printResult(
    session,
    { success: true, memory: { ...memoryJson(learning), replacedBy: newer?.id ?? null } },
    joinSafe(renderLearningLines(learning), "\n"),
  );
  if (newer) session.note(safe`no prompt shows it: replaced by ${labelOf(newer)}`);
  if (isArchived(learning))
    session.note(safe`hint: run \`ralph memory restore ${storedText(learning.id)}\` to restore it`);
  session.note(safe`hint: run \`ralph memory why ${storedText(learning.id)}\` for its history`);
}
