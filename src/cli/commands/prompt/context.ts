import { joinSafe, type SafeText } from "../../../base/safe-text.ts";
import type { Prompt } from "../../../context/prompt.ts";
import { previewAttempt } from "../../../loop/preview-attempt.ts";
import { countMemory } from "../../../memory/kinds.ts";
import { completeIndex } from "../../../memory/repair-index.ts";
import { requireTask } from "../../../tasks/graph/task-store.ts";
import { storedJson } from "../../../trust/stored-text.ts";
import { painter } from "../../../ui/paint.ts";
import { chooseAgents, strategyOf } from "../../project/choose-agents.ts";
import { memoryOf } from "../../project/memory-of.ts";
import { currentSession } from "../../project/session-name.ts";
import { type CommandSpec, inProject, type Project, type Session } from "../../shell/command.ts";
import { parsePromptFile, readPromptFile } from "../../trust/prompt-file.ts";
import { explainPrompt } from "./explain-prompt.ts";

/** `ralph context TASK`: the prompt of the task's next attempt, and why. Changes nothing. */
export const command: CommandSpec = {
  description:
    "Prints the prompt of the task's next attempt. With --explain, also shows why each memory is included, the parts of its score, and the best entries that were left out. Changes nothing.",
  examples: ["ralph context t-3fa9c1", "ralph context t-3fa9c1 --explain", "ralph context t-3fa9c1 --json"],
  arguments: [{ name: "<task>", description: "the task's id" }],
  options: [{ flags: "--explain", description: "show why each memory is included and what was left out" }],
  run: inProject(async (session, project, { args, options }) => {
    await completeIndex(project.db);
    const prompt = await promptOf(session, project, String(args["task"]));
    if (session.json) {
      session.out(storedJson(prompt));
      return undefined;
    }
    session.outFile(prompt.prompt.trimEnd());
    if (options["explain"] === true) session.out(joinSafe(await explained(session, project, prompt), "\n"));
    return undefined;
  }),
};

async function explained(
  { screen }: Session,
  { db, loaded }: Project,
  prompt: Prompt,
): Promise<readonly SafeText[]> {
  const columns = screen.outIsTerminal ? Math.min(120, Math.max(40, screen.columns)) : 100;
  const { budgetChars: budget, enabled } = loaded.settings.memory;
  const learnings = enabled ? ((await countMemory(db))["learnings"] ?? 0) : 0;
  return explainPrompt(prompt, { columns, paint: painter(screen.colour), budget, learnings });
}

async function promptOf(session: Session, project: Project, taskId: string): Promise<Prompt> {
  const { db } = project;
  const { settings } = project.loaded;
  const file = await readPromptFile(project.root);
  const task = await requireTask(db, taskId);
  const { onFailure, limits, memory } = settings;
  const agents = chooseAgents(settings);
  const { prompt } = await previewAttempt(
    {
      db,
      memory: memoryOf(session, project, {
        holdout: 0,
        noteSession: await currentSession(db, project.root, {}),
      }),
      runId: "preview",
      root: project.root,
      workspace: null,
      options: {
        ...{ onFailure, limits, memory },
        ...(await strategyOf(settings, agents, session.clock.now())),
        verify: settings.verify ?? [],
        spec: null,
        template: parsePromptFile(file),
      },
    },
    { task, agent: agents[0], number: 1 },
  );
  return prompt;
}
