import { sensitiveValues } from "../../config/environment.ts";
import type { Prompt } from "../../context/prompt.ts";
import { parseTemplate } from "../../context/template.ts";
import { preparePrompt } from "../../loop/prepare-prompt.ts";
import { selectModel } from "../../memory/select-model.ts";
import { lastAttempt } from "../../tasks/attempt-counts.ts";
import { requireTask } from "../../tasks/task-store.ts";
import { registerSecrets } from "../../trust/redact.ts";
import { stripControls } from "../../trust/terminal.ts";
import { chooseAgents } from "../choose-agents.ts";
import type { CommandSpec, Project, Session } from "../command.ts";
import { memoryOf } from "../memory-of.ts";
import { readPromptFile } from "../prompt-file.ts";

/** `ralph context TASK`: what the task's next attempt would be told, and why. Changes nothing. */
export const context: CommandSpec = {
  name: "context",
  summary: "the exact prompt of a task",
  description:
    "Prints the prompt that the task's next attempt would get. With --explain also why each memory is in it, and what was left out for want of room. Nothing is changed.",
  examples: ["ralph context t-3fa9c1", "ralph context t-3fa9c1 --explain", "ralph context t-3fa9c1 --json"],
  arguments: [{ name: "<task>", description: "the task's id" }],
  options: [{ flags: "--explain", description: "why each memory is in it, and what was left out" }],
  run: async (session, { args, options }) => {
    const project = await session.openProject();
    try {
      const prompt = await promptOf(session, project, String(args["task"]));
      if (session.json) {
        session.out(JSON.stringify(prompt));
        return undefined;
      }
      session.out(stripControls(prompt.prompt.trimEnd()));
      if (options["explain"] === true) session.out(stripControls(explain(prompt)));
      return undefined;
    } finally {
      await project.close();
    }
  },
};

async function promptOf(session: Session, project: Project, taskId: string): Promise<Prompt> {
  const { db } = project;
  const { settings } = project.loaded;
  registerSecrets(sensitiveValues());
  const file = await readPromptFile(project.root);
  const task = await requireTask(db, taskId);
  const [agent] = chooseAgents(settings);
  const { maxIterations, maxAttempts, stuckAfter } = settings.limits;
  const { model, rationale } = await selectModel(db, {
    strategy: settings.strategy,
    tiers: agent.tiers,
    defaultModel: agent.defaultModel,
    flagModel: settings.model,
    task,
    iteration: 1,
  });
  return preparePrompt({
    db,
    memory: memoryOf(session, project, settings, { holdout: false }),
    task,
    attempt: (await lastAttempt(db, task.id)) + 1,
    runId: "preview",
    iteration: 1,
    model,
    rationale,
    tiers: agent.tiers,
    root: project.root,
    options: {
      maxIterations,
      maxAttempts,
      stuckAfter,
      onFailure: settings.onFailure,
      verify: settings.verify ?? [],
      memory: settings.memory,
      spec: null,
      template: file && parseTemplate(file.text, file.name),
    },
  });
}

/** Of what was left out of one section, this much is told one by one. */
const toldLeftOut = 10;

function explain({ prompt, sections, dropped }: Prompt): string {
  const shown = sections.flatMap(({ name, chars, items }) => [
    `  ${name.padEnd(20)} ${String(chars).padStart(6)} characters`,
    ...items.flatMap(explainItem),
  ]);
  const names = [...new Set(dropped.map(({ section }) => section))];
  const left = names.flatMap((name) => {
    const own = dropped.filter(({ section }) => section === name);
    const more = own.length - toldLeftOut;
    const told = own.slice(0, toldLeftOut).map(({ id, reason }) => `    ${id}: ${reason}`);
    return [`  ${name}:`, ...told, ...(more > 0 ? [`    and ${more} more`] : [])];
  });
  return [
    "",
    `--- why this prompt: ${prompt.length} characters`,
    ...shown,
    left.length > 0 ? "left out:" : "left out: nothing",
    ...left,
  ].join("\n");
}

function explainItem({
  id,
  score,
  reason,
  label,
  parts,
}: Prompt["sections"][0]["items"][0]): readonly string[] {
  const told = Object.entries(parts ?? {}).filter(([, value]) => Math.abs(value) >= 0.005);
  const sum = told
    .map(([name, value]) => `${name} ${value.toFixed(2)}`)
    .join(" + ")
    .replaceAll("+ -", "- ");
  return [
    `    ${id}  score ${score.toFixed(2)}: ${reason}`,
    ...(label === undefined ? [] : [`      "${label}"`]),
    ...(sum === "" ? [] : [`      = ${sum}`]),
  ];
}
