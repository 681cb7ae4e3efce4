import { RalphError } from "../../../base/errors.ts";
import { byCommand, type LearningView } from "../../../memory/learning-actions.ts";
import { currentIteration } from "../../project/current-iteration.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { jsonLine } from "../../shell/json-line.ts";
import {
  collectionOption,
  listOption,
  readInput,
  scopeOption,
  textOption,
  withLearningActions,
} from "./input/with-actions.ts";
import { labelOf } from "./view/draw-learning.ts";
import { memoryJson } from "./view/learning-json.ts";

/** `ralph memory store`. */
export const store: CommandSpec = {
  name: "store",
  summary: "keep something worth knowing",
  description:
    "Keeps a lesson: its first 280 characters go into prompts where they fit, the rest is its detail. The same words again strengthen what is there. `-` reads standard input.",
  examples: [
    'ralph memory store "The parser needs UTC, or leap days fail" --tags parser,dates --category pitfall',
    "git log -1 --format=%b | ralph memory store - --tags release",
  ],
  arguments: [{ name: "<text>", description: "the lesson, or - for standard input" }],
  options: [
    { flags: "--tags <tags>", description: "what it is about, separated by commas" },
    { flags: "--category <name>", description: "pitfall, success_pattern, tool_usage, …; default: other" },
    { flags: "--topic <name>", description: "what it is grouped under" },
    { flags: "--detail <text>", description: "more, told where there is room" },
    { flags: "--file <path>", description: "a file that it is about (repeatable)", multiple: true },
    collectionOption,
  ],
  run: async (session, { args, options }) => {
    const given = textOption(args["text"]) ?? "";
    const text = (given === "-" ? await readInput() : given).trim();
    if (text === "")
      throw new RalphError("RALPH_USAGE", "there is nothing to keep: the text is empty", {
        hint: "ralph memory store --help",
      });
    const detail = textOption(options["detail"]);
    const request = {
      text,
      ...(detail === undefined ? {} : { detail }),
      category: textOption(options["category"]) ?? "other",
      topic: textOption(options["topic"]) ?? null,
      tags: listOption(options["tags"]),
      files: listOption(options["file"]),
      scope: scopeOption(options["collection"]) ?? "project",
    };
    return withLearningActions(session, { create: true }, async (desk, { db }) => {
      const iteration = await currentIteration(db);
      const since = iteration?.startedAt;
      const { learning, isNew } = await desk.store({ ...request, provenance: byCommand(iteration), since });
      if (session.json)
        session.out(jsonLine({ success: true, id: learning.id, isNew, memory: memoryJson(learning) }));
      else session.out(`${whatOf(isNew, learning.status)}: ${labelOf(learning)}`);
      const most = learning.lesson.length + learning.detail.length;
      if (text.length + (detail?.length ?? 0) > most && learning.detail.endsWith("…"))
        session.note(`warning: its detail was cut: ${most} characters are kept, the rest is not`);
      session.note(`hint: ralph memory get ${learning.id}`);
      return 0;
    });
  },
};

function whatOf(isNew: boolean, status: LearningView["status"]): string {
  if (isNew) return "kept";
  const stands = status === "active" || status === "stale";
  return stands ? "known already, and stronger now" : `known already, and not in prompts: it is ${status}`;
}
