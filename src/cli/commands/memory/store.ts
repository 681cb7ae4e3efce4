import { RalphError } from "../../../base/errors.ts";
import { type LearningView, typedBy } from "../../../memory/manage-learnings.ts";
import type { CommandSpec } from "../../command.ts";
import { iterationHere } from "../../iteration-here.ts";
import { jsonLine } from "../../json-line.ts";
import { named } from "./draw-learning.ts";
import { memoryJson } from "./learning-json.ts";
import { collectionOption, listOf, readInput, scopeOf, withDesk, wordOf } from "./with-desk.ts";

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
    const given = wordOf(args["text"]) ?? "";
    const text = (given === "-" ? await readInput() : given).trim();
    if (text === "")
      throw new RalphError("RALPH_USAGE", "there is nothing to keep: the text is empty", {
        hint: "ralph memory store --help",
      });
    const detail = wordOf(options["detail"]);
    const request = {
      text,
      ...(detail === undefined ? {} : { detail }),
      category: wordOf(options["category"]) ?? "other",
      topic: wordOf(options["topic"]) ?? null,
      tags: listOf(options["tags"]),
      files: listOf(options["file"]),
      scope: scopeOf(options["collection"]) ?? "project",
    };
    return withDesk(session, { create: true }, async (desk, { db }) => {
      const iteration = await iterationHere(db);
      const since = iteration?.startedAt;
      const { learning, isNew } = await desk.store({ ...request, provenance: typedBy(iteration), since });
      if (session.json)
        session.out(jsonLine({ success: true, id: learning.id, isNew, memory: memoryJson(learning) }));
      else session.out(`${whatOf(isNew, learning.status)}: ${named(learning)}`);
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
