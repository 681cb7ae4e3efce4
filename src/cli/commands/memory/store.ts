import { present } from "../../../base/json.ts";
import { type SafeText, safe } from "../../../base/safe-text.ts";
import {
  byCommand,
  type LearningActions,
  type LearningView,
  memoryJson,
} from "../../../memory/learning-actions.ts";
import { storedText } from "../../../trust/stored-text.ts";
import type { CommandSpec, Project, Session } from "../../shell/command.ts";
import { optionalText, printResult, textOption, usageError } from "../../shell/io.ts";
import { storeRecord } from "./hivemind-records.ts";
import { labelOf } from "./render-memory.ts";
import {
  collectionOption,
  learningActions,
  listOption,
  readInput,
  refuseLearningOptions,
  scopeOption,
  tagsOption,
  withCollection,
} from "./with-collection.ts";

/** `ralph memory store`. */
export const command: CommandSpec = {
  description:
    "Stores a lesson. Its first 280 characters are shown in relevant prompts; the rest becomes its detail. Storing the same lesson again strengthens it. The hivemind keeps up to 1,000 characters, without secrets, hosts and absolute paths. `-` reads standard input.",
  examples: [
    'ralph memory store "The parser needs UTC, or leap days fail" --tags parser,dates --category pitfall',
    'ralph memory store "Amounts are integer cents" --when "adding a currency or a price"',
    "git log -1 --format=%b | ralph memory store - --tags release",
    'ralph memory store "Retry uploads after 429" --collection hivemind',
  ],
  arguments: [{ name: "<text>", description: "the lesson, or - for standard input" }],
  options: [
    { flags: "--tags <tags>", description: "tags, separated by commas" },
    {
      flags: "--category <name>",
      description: "such as pitfall, success_pattern or tool_usage (default: other)",
    },
    { flags: "--topic <name>", description: "topic to group it under" },
    {
      flags: "--when <text>",
      description: "when it applies, in the words of a later task: `adding a currency or a price`",
    },
    { flags: "--detail <text>", description: "further detail, shown if there is room" },
    { flags: "--file <path>", description: "a file that it concerns (repeatable)", multiple: true },
    collectionOption,
  ],
  run: async (session, invocation) => {
    const { args, options } = invocation;
    const given = textOption(args["text"]);
    const text = (given === "-" ? await readInput(session) : given).trim();
    if (text === "") throw usageError("the text is empty", "run `ralph memory store --help` for examples");
    const request = {
      text,
      ...present({ detail: optionalText(options["detail"]) }),
      when: optionalText(options["when"]),
      category: optionalText(options["category"]) ?? "other",
      topic: optionalText(options["topic"]) ?? null,
      tags: tagsOption(options["tags"]),
      files: listOption(options["file"]),
      scope: scopeOption(options["collection"]) ?? "project",
    };
    const work: Parameters<typeof withCollection>[2] = {
      hivemind: async (_, records) => {
        refuseLearningOptions(options, ["category", "topic", "file", "when"]);
        const whole = request.detail === undefined ? text : `${text}\n${request.detail}`;
        return storeRecord(session, records, { ...request, text: whole });
      },
      project: (_, project) => storeLearning(session, project, request),
    };
    return withCollection(session, invocation, work, true);
  },
};

type Stored = Omit<Parameters<LearningActions["store"]>[0], "provenance" | "since">;

async function storeLearning(session: Session, project: Project, request: Stored): Promise<void> {
  const { text, detail } = request;
  const { iteration } = session;
  const by = { provenance: byCommand(iteration), since: iteration?.startedAt };
  const { learning, isNew } = await learningActions(session, project).store({ ...request, ...by });
  printResult(
    session,
    { success: true, id: learning.id, isNew, memory: memoryJson(learning) },
    safe`${resultOf(isNew, learning.status)}: ${labelOf(learning)}`,
  );
  const keptChars = learning.lesson.length + learning.detail.length;
  if (text.length + (detail?.length ?? 0) > keptChars && learning.detail.endsWith("…"))
    session.note(safe`warning: the detail was truncated to ${keptChars} characters`);
  session.note(safe`hint: run \`ralph memory get ${storedText(learning.id)}\` to see it`);
}

function resultOf(isNew: boolean, status: LearningView["status"]): SafeText {
  if (isNew) return safe`stored`;
  const isShown = status === "active" || status === "stale";
  return isShown ? safe`already known, strengthened` : safe`already known, not shown in prompts (${status})`;
}
