import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { type LearningHistory, type LearningView, memoryJson } from "../../../memory/learning-actions.ts";
import { getReport } from "../../../memory/read-failures.ts";
import { storedJson, storedLine, storedText } from "../../../trust/stored-text.ts";
import type { CommandSpec, Session } from "../../shell/command.ts";
import { printResult } from "../../shell/io.ts";
import { explainRecord, showRecord } from "./hivemind-records.ts";
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

export const why: CommandSpec = {
  description:
    "Shows a learning's origin, each change and its author, and each prompt that showed it with the outcome. For a record of the hivemind (h-…): its origin, and what came of it in this project.",
  examples: ["ralph memory why l-3fa9c1", "ralph memory why h-3fa9c1d2e4b5"],
  arguments: [{ name: "<id>", description: "id of the learning or record" }],
  run: inCollection({
    hivemind: explainRecord,
    project: async (session, project, id) =>
      explain(session, await learningActions(session, project).history(id)),
  }),
};

function explain(session: Session, view: LearningHistory): void {
  if (session.json) {
    const { learning, history, showings } = view;
    session.out(storedJson({ success: true, memory: memoryJson(learning), history, showings }));
  } else session.out(joinSafe(draw(view), "\n"));
  if (isArchived(view.learning))
    session.note(safe`hint: run \`ralph memory restore ${storedText(view.learning.id)}\` to restore it`);
}

function draw({ learning, history, showings }: LearningHistory): readonly SafeText[] {
  const events = [
    ...history.map(({ at, change, by, runId, detail }) => {
      const where = runId === null ? "" : ` in ${storedLine(runId, 40)}`;
      const more = Object.keys(detail).length > 0 ? `: ${storedLine(detailText(detail), 400)}` : "";
      return { at, text: `${change} by ${by}${where}${more}` };
    }),
    ...showings.map(({ at, taskId, attempt, rank, heldOut, verdict, outcome, verification }) => {
      const what = heldOut ? "held out of" : `shown at rank ${rank} to`;
      const end =
        outcome === null ? "" : `; outcome ${outcome}${verification === null ? "" : ` (${verification})`}`;
      const feedback = verdict === null ? "" : `; reported ${verdict} by the agent`;
      return { at, text: `${what} attempt ${attempt} of ${storedLine(taskId, 80)}${end}${feedback}` };
    }),
  ].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return [
    ...renderLearningLines(learning),
    safe``,
    safe`History (${count(events.length, "event")}):`,
    ...events.map(({ at, text }) => safe`  ${storedLine(at, 40)}  ${storedLine(text, 600)}`),
  ];
}

/** `into l-3fa9c1; was active`. */
function detailText(detail: JsonObject): string {
  const present = Object.entries(detail).filter(([, value]) => value !== null && value !== false);
  const text = (value: JsonValue | undefined): string => {
    if (Array.isArray(value)) return value.map(text).join(", ");
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  };
  return present.map(([name, value]) => `${changeName(name)} ${text(value)}`).join("; ");
}

const changeNames: Readonly<Record<string, string>> = { before: "was", fresh: "now" };

/** Splits camel-case names: `supersededBy` is `superseded by`. */
function changeName(name: string): string {
  return changeNames[name] ?? name.replace(/(?=[A-Z])/g, " ").toLowerCase();
}
