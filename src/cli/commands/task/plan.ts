import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { text as readText } from "node:stream/consumers";
import type { Agent } from "../../../agents/port/agent.ts";
import type { Confinement } from "../../../agents/port/confinement.ts";
import { usualPrices } from "../../../agents/usual-price.ts";
import { lookThrough } from "../../../base/careful-files.ts";
import { RalphError } from "../../../base/errors.ts";
import { decimal, joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { childEnvironment } from "../../../config/environment.ts";
import type { DraftTask } from "../../../tasks/check-list.ts";
import { writeFileSafely } from "../../../trust/safe-file.ts";
import { safeJson, safeLine, safeText } from "../../../trust/safe-text.ts";
import { openWorkspace } from "../../../workspace/open-workspace.ts";
import { projectFiles } from "../../../workspace/project-files.ts";
import { readOnlyAgent } from "../../project/choose-agents.ts";
import { settingFlags } from "../../run/run-flags.ts";
import {
  type CommandSpec,
  type Invocation,
  type Project,
  type Session,
  withProject,
} from "../../shell/command.ts";
import { textOption, usageError } from "../../shell/io.ts";
import { askingModel } from "../../trust/confinement.ts";
import { painterOf, statusMark } from "./describe-task.ts";
import { draftList } from "./draft-list.ts";
import { taskTree } from "./task-tree.ts";

export const command: CommandSpec = {
  description:
    "Asks the agent, which may only read, for a list of tasks with acceptance criteria, and writes it to tasks.md. The list is checked by the importer, shown as a tree, and neither imported nor committed. `--format yaml` writes tasks.yaml, which also holds a task's own verification.",
  examples: [
    'ralph plan "export the orders as CSV"',
    "ralph plan docs/spec.md --format yaml",
    "gh issue view 12 | ralph plan -",
    'ralph plan --add "cover the edge cases of the export"',
  ],
  arguments: [{ name: "<goal>", description: "the goal, a file that states it, or - for standard input" }],
  options: [
    { flags: "--add", description: "extend the existing list" },
    { flags: "--force", description: "replace the existing list" },
    { flags: "--format <format>", description: "format of the list", choices: ["md", "yaml"] },
    { flags: "--agent <name>", description: "ask this agent" },
    { flags: "--model <name>", description: "ask this model instead of the agent's strongest" },
  ],
  run: async (session, { args, options }) => {
    const goal = await readGoal(session, textOption(args["goal"]));
    return withProject(
      session,
      { create: true, own: true, flags: settingFlags(options) },
      async (project) => {
        const target = await targetOf(project.root, options);
        const { draft, agent } = await ask(session, project, { goal, target });
        await writeFileSafely(join(project.root, target.path), draft.text, {
          root: project.root,
          mode: 0o644,
        });
        const estimate = await estimateOf(agent, draft.tasks, {
          now: session.clock.now(),
          own: project.loaded.settings.prices,
        });
        const { tasks, warnings, rounds, costUsd } = draft;
        if (session.json)
          session.out(safeJson({ file: target.path, tasks, warnings, rounds, costUsd, estimate }));
        else {
          session.out(renderTree(session, tasks));
          session.out(summaryOf(tasks, { path: target.path, estimate, costUsd }));
          for (const warning of warnings) session.note(safe`warning: ${safeLine(warning, 500)}`);
        }
        session.note(
          safe`hint: read and edit it, then run: ralph task import ${safeText(target.path)} && ralph run`,
        );
      },
    );
  },
};

const maxGoalBytes = 1024 * 1024;

async function readGoal(session: Session, given: string): Promise<string> {
  const goal = given === "-" ? await readText(process.stdin) : await goalIn(session, given);
  if (Buffer.byteLength(goal) > maxGoalBytes)
    throw usageError("the goal is larger than 1 MiB", "state the goal in a shorter text");
  if (goal.trim() === "") throw usageError("the goal is empty", 'run `ralph plan "what to reach"`');
  return goal.trim();
}

async function goalIn({ cwd }: Session, given: string): Promise<string> {
  const path = resolve(cwd, given);
  if (lookThrough(path)?.isFile()) return readFile(path, "utf8");
  if (/^\S+\.(?:md|txt|rst|adoc)$/.test(given))
    throw usageError(`no such file: ${given}`, "check the path, or state the goal in words");
  return given;
}

interface Target {
  readonly path: string;
  readonly format: "markdown" | "tasks-yaml";
  readonly existing: string | null;
}

/** @throws RalphError `RALPH_FILE_EXISTS` for a list that is neither to be extended nor replaced */
async function targetOf(root: string, options: Invocation["options"]): Promise<Target> {
  const [add, force] = [options["add"] === true, options["force"] === true];
  const given = options["format"];
  const isThere = (name: string): boolean => existsSync(join(root, name));
  const onlyYaml = add && isThere("tasks.yaml") && !isThere("tasks.md");
  const isYaml = given === "yaml" || (given === undefined && onlyYaml);
  const path = isYaml ? "tasks.yaml" : "tasks.md";
  if (isThere(path) && !add && !force) {
    throw new RalphError("RALPH_FILE_EXISTS", `${path} already exists`, {
      hint: "use --add to extend it, or --force to replace it",
    });
  }
  const existing = add && isThere(path) ? await readFile(join(root, path), "utf8") : null;
  return { path, format: isYaml ? "tasks-yaml" : "markdown", existing };
}

interface Asked {
  readonly goal: string;
  readonly target: Target;
}

async function ask(
  session: Session,
  project: Project,
  { goal, target }: Asked,
): Promise<{ readonly draft: Awaited<ReturnType<typeof draftList>>; readonly agent: Agent }> {
  const { settings } = project.loaded;
  const agent = readOnlyAgent(settings, settings.agent[0] ?? "claude", { mayRead: true });
  const missing = agent.missing(project.root);
  if (missing)
    throw new RalphError("RALPH_AGENT_MISSING", missing.message, {
      hint: missing.hint ?? "run `ralph doctor`",
    });
  const model = settings.model ?? agent.tiers.at(-1) ?? agent.defaultModel;
  const asking = async (place: Confinement, signal: AbortSignal): ReturnType<typeof draftList> => {
    const workspace = await openWorkspace(project.root, childEnvironment(), { needCommit: false });
    return draftList({
      ...{ project, agent, model, goal, ...target, signal, ...place },
      files: await projectFiles(workspace),
      verify: (settings.verify ?? []).map(({ run }) => run),
      timeoutMs: settings.limits.taskTimeoutMs || 30 * 60_000,
      onRound: (round, problem) =>
        session.note(
          problem === null
            ? safe`${safeLine(agent.name)} (${safeLine(model)}) reads the repository and plans`
            : safe`round ${round}: ${problem}`,
        ),
    });
  };
  return { draft: await askingModel(session, project, asking, false), agent };
}

function renderTree(session: Session, tasks: readonly DraftTask[]): SafeText {
  const paint = painterOf(session);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const status = { open: "pending", done: "done", blocked: "blocked" } as const;
  const lines = taskTree(
    tasks.map(({ id, parentId, title, state }) => ({
      ...{ id, parentId, title, status: status[state], statusReason: null, blockCause: null, priority: 2 },
    })),
  );
  return joinSafe(
    lines.map(({ task, branch }) => {
      const waits = byId.get(task.id)?.dependsOn ?? [];
      const after = waits.length === 0 ? "" : paint("dim", safe` ← ${safeLine(waits.join(", "), 60)}`);
      const title = safeLine(task.title, 100);
      return safe`${safeText(branch)}${statusMark(paint, task.status)} ${safeText(task.id)} ${title}${after}`;
    }),
    "\n",
  );
}

/** Dollars if each open task passes at its first attempt, by the list prices of a usual session. */
interface Estimate {
  readonly tasks: number;
  readonly models: readonly { readonly model: string; readonly usd: number }[];
}

/** Counts the tasks that get an attempt: those without sub-tasks. */
async function estimateOf(
  agent: Agent,
  tasks: readonly DraftTask[],
  at: Parameters<typeof usualPrices>[1],
): Promise<Estimate> {
  const parents = new Set(tasks.map(({ parentId }) => parentId));
  const open = tasks.filter(({ id, state }) => state === "open" && !parents.has(id)).length;
  const prices = [...(await usualPrices(agent, at))];
  return { tasks: open, models: prices.map(([model, usd]) => ({ model, usd: usd * open })) };
}

function summaryOf(
  tasks: readonly DraftTask[],
  {
    path,
    estimate,
    costUsd,
  }: { readonly path: string; readonly estimate: Estimate; readonly costUsd: number | null },
): SafeText {
  const prices = estimate.models.map(({ model, usd }) => safe`$${decimal(usd, 2)} with ${safeLine(model)}`);
  const price = prices.length === 0 ? "" : safe`; one attempt at each: about ${joinSafe(prices, ", ")}`;
  const cost = costUsd === null ? "" : safe` The plan cost $${decimal(costUsd, 2)}.`;
  return safe`wrote ${safeText(path)}: ${count(tasks.length, "task")}${price}.${cost}`;
}
