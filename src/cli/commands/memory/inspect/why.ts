import type { JsonObject, JsonValue } from "../../../../base/json.ts";
import { count } from "../../../../base/text.ts";
import type { LearningHistory } from "../../../../memory/learning-actions.ts";
import type { CommandSpec } from "../../../shell/command.ts";
import { jsonLine } from "../../../shell/json-line.ts";
import { textOption, withLearningActions } from "../input/with-actions.ts";
import { drawLearning, isArchived, plain } from "../view/draw-learning.ts";
import { memoryJson } from "../view/learning-json.ts";

/** `ralph memory why`. */
export const why: CommandSpec = {
  name: "why",
  summary: "the whole life of a memory",
  description:
    "Where it came from, each change with who made it, each prompt that showed it and what came of that.",
  examples: ["ralph memory why l-3fa9c1"],
  arguments: [{ name: "<id>", description: "its id" }],
  run: (session, { args }) =>
    withLearningActions(session, {}, async (desk) => {
      const life = await desk.history(textOption(args["id"]) ?? "");
      if (session.json) {
        const { learning, history, showings } = life;
        session.out(jsonLine({ success: true, memory: memoryJson(learning), history, showings }));
      } else session.out(draw(life).join("\n"));
      if (isArchived(life.learning))
        session.note(`hint: ralph memory restore ${life.learning.id} brings it back`);
      return 0;
    }),
};

function draw({ learning, history, showings }: LearningHistory): readonly string[] {
  const events = [
    ...history.map(({ at, change, by, runId, detail }) => {
      const where = runId === null ? "" : ` in ${plain(runId, 40)}`;
      const more = Object.keys(detail).length > 0 ? `: ${plain(detailText(detail), 400)}` : "";
      return { at, text: `${change} by ${by}${where}${more}` };
    }),
    ...showings.map(({ at, taskId, attempt, rank, heldOut, verdict, outcome, verification }) => {
      const what = heldOut ? "held out of" : `shown as number ${rank} to`;
      const end =
        outcome === null ? "" : `; it ended ${outcome}${verification === null ? "" : ` (${verification})`}`;
      const said = verdict === null ? "" : `; the agent called it ${verdict}`;
      return { at, text: `${what} attempt ${attempt} of ${plain(taskId, 80)}${end}${said}` };
    }),
  ].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return [
    ...drawLearning(learning),
    "",
    `Its life, ${count(events.length, "event")}:`,
    ...events.map(({ at, text }) => `  ${plain(at, 40)}  ${plain(text, 600)}`),
  ];
}

/** `into l-3fa9c1; was active`. */
function detailText(detail: JsonObject): string {
  const told = Object.entries(detail).filter(([, value]) => value !== null && value !== false);
  const text = (value: JsonValue | undefined): string => {
    if (Array.isArray(value)) return value.map(text).join(", ");
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  };
  return told.map(([name, value]) => `${changeName(name)} ${text(value)}`).join("; ");
}

const changeNames: Readonly<Record<string, string>> = { before: "was", fresh: "now" };

/** Names that are no words are split: `supersededBy` is `superseded by`. */
function changeName(name: string): string {
  return changeNames[name] ?? name.replace(/(?=[A-Z])/g, " ").toLowerCase();
}
