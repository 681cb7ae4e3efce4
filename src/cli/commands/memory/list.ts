import { present } from "../../../base/json.ts";
import { nearest } from "../../../base/nearest.ts";
import { safe } from "../../../base/safe-text.ts";
import {
  type LearningActions,
  type LearningView,
  learningStatusNames,
  memoryJson,
} from "../../../memory/learning-actions.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import { requireKnown } from "../../project/require-run.ts";
import type { CommandSpec, OptionValue, Session } from "../../shell/command.ts";
import { noteCount, optionalText, positiveInteger } from "../../shell/io.ts";
import { listRecords } from "./hivemind-records.ts";
import { listLine } from "./render-memory.ts";
import {
  collectionOption,
  learningActions,
  refuseLearningOptions,
  scopeOption,
  withCollection,
} from "./with-collection.ts";

/** `ralph memory list`. */
export const command: CommandSpec = {
  description:
    "Lists active and stale learnings, or those with the given status, the newest first; with --collection hivemind its records.",
  examples: [
    "ralph memory list",
    "ralph memory list --status quarantined",
    "ralph memory list --task t-3fa9c1 --json",
  ],
  options: [
    {
      flags: "--status <status>",
      description: `${learningStatusNames.join(", ")} or all`,
      choices: [...learningStatusNames, "all"],
    },
    { flags: "--category <name>", description: "only learnings of this category" },
    { flags: "--tag <tag>", description: "only learnings with this tag" },
    { flags: "--task <id>", description: "only learnings from this task" },
    { flags: "--run <id>", description: "only learnings from this run" },
    { flags: "--limit <n>", description: "maximum number of learnings (default: 50)" },
    collectionOption,
  ],
  run: async (session, invocation) => {
    const { options } = invocation;
    const [category, tag, task, runId] = ["category", "tag", "task", "run"].map((name) =>
      optionalText(options[name]),
    );
    const filter = { ...present({ category, tag, task, runId }), status: statusesOf(options["status"]) };
    const limit = positiveInteger(options["limit"], "--limit") ?? 50;
    const scope = scopeOption(options["collection"]);
    return withCollection(session, invocation, {
      hivemind: async (_, records) => {
        refuseLearningOptions(options, ["status", "category", "task", "run"]);
        return listRecords(session, records, { tags: tag === undefined ? [] : [tag], limit });
      },
      project: async (_, project) => {
        const actions = learningActions(session, project);
        const scoped = scope === null ? filter : { ...filter, scope };
        if ((await actions.count(scoped)) === 0) await requireKnown(project.db, { task, runId });
        return listLearnings(session, actions, { filter: scoped, limit });
      },
    });
  },
};

async function listLearnings(
  session: Session,
  actions: LearningActions,
  { filter, limit }: { readonly filter: Parameters<LearningActions["count"]>[0]; readonly limit: number },
): Promise<void> {
  const { category } = filter;
  const learnings = await actions.list({ ...filter, limit });
  if (session.json) {
    session.out(storedJson(learnings.map(memoryJson)));
    return;
  }
  const idWidth = learnings.reduce((width, { id }) => Math.max(width, id.length), 0);
  for (const learning of learnings) session.out(listLine(session, learning, idWidth));
  const total = await actions.count(filter);
  if (total === 0 && category !== undefined) {
    const near = nearest(category, await actions.categories());
    if (near && near !== category) session.note(safe`hint: did you mean ${storedText(near)}?`);
  }
  noteCount(session, { shown: learnings.length, total, what: safe`learning` });
}

function statusesOf(value: OptionValue): readonly LearningView["status"][] {
  const text = optionalText(value);
  if (text === undefined) return ["active", "stale"];
  if (text === "all") return learningStatusNames;
  return learningStatusNames.filter((name) => name === text);
}
