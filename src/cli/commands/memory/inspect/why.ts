import type { JsonObject, JsonValue } from "../../../../base/json.ts";
import { joinSafe, type SafeText, safe } from "../../../../base/safe-text.ts";
import { count } from "../../../../base/text.ts";
import { type LearningHistory, memoryJson } from "../../../../memory/learning-actions.ts";
import { storedJson, storedText } from "../../../../trust/stored-text.ts";
import type { CommandSpec } from "../../../shell/command.ts";
import { textOption, withLearningActions } from "../input/with-actions.ts";
import { isArchived, plain, renderLearningLines } from "../view/render-memory.ts";

/** `ralph memory why`. */
export const why: CommandSpec = {
  name: "why",
  summary: "show a learning's history",
  description:
    "Shows a learning's origin, each change and its author, and each prompt that showed it with the outcome.",
  examples: ["ralph memory why l-3fa9c1"],
  arguments: [{ name: "<id>", description: "id of the learning" }],
  run: (session, { args }) =>
    withLearningActions(session, {}, async (actions) => {
      const view = await actions.history(textOption(args["id"]) ?? "");
      if (session.json) {
        const { learning, history, showings } = view;
        session.out(storedJson({ success: true, memory: memoryJson(learning), history, showings }));
      } else session.out(joinSafe(draw(view), "\n"));
      if (isArchived(view.learning))
        session.note(safe`hint: run \`ralph memory restore ${storedText(view.learning.id)}\` to restore it`);
      return 0;
    }),
};

function draw({ learning, history, showings }: LearningHistory): readonly SafeText[] {
  const events = [
    ...history.map(({ at, change, by, runId, detail }) => {
      const where = runId === null ? "" : ` in ${plain(runId, 40)}`;
      const more = Object.keys(detail).length > 0 ? `: ${plain(detailText(detail), 400)}` : "";
      return { at, text: `${change} by ${by}${where}${more}` };
    }),
    ...showings.map(({ at, taskId, attempt, rank, heldOut, verdict, outcome, verification }) => {
      const what = heldOut ? "held out of" : `shown at rank ${rank} to`;
      const end =
        outcome === null ? "" : `; outcome ${outcome}${verification === null ? "" : ` (${verification})`}`;
      const feedback = verdict === null ? "" : `; reported ${verdict} by the agent`;
      return { at, text: `${what} attempt ${attempt} of ${plain(taskId, 80)}${end}${feedback}` };
    }),
  ].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return [
    ...renderLearningLines(learning),
    safe``,
    safe`History (${count(events.length, "event")}):`,
    ...events.map(({ at, text }) => safe`  ${plain(at, 40)}  ${plain(text, 600)}`),
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
