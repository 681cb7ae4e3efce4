import type { Agent, AgentResult } from "../../../agents/port/agent.ts";
import type { Confinement } from "../../../agents/port/confinement.ts";
import { fixable, RalphError } from "../../../base/errors.ts";
import { newId } from "../../../base/ids.ts";
import { replaceSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { checkList, type DraftTask, type ListDraft } from "../../../tasks/check-list.ts";
import { fence } from "../../../trust/fence.ts";
import { safeLine, safeText } from "../../../trust/safe-text.ts";
import { askAgent } from "../../project/choose-agents.ts";
import type { Project } from "../../shell/command.ts";
import prompt from "./plan.md";

/** How often the agent is asked: again with the importer's errors. */
const maxRounds = 3;

interface Planning extends Confinement {
  readonly project: Pick<Project, "root" | "db">;
  readonly agent: Agent;
  readonly model: string;
  readonly goal: string;
  readonly format: "markdown" | "tasks-yaml";
  readonly path: string;
  /** The file that the new tasks extend; null: a new one. */
  readonly existing: string | null;
  readonly files: readonly string[];
  readonly verify: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called before each round with the reason of a further one. */
  readonly onRound: (round: number, problem: SafeText | null) => void;
}

interface Draft {
  readonly text: string;
  readonly tasks: readonly DraftTask[];
  readonly warnings: readonly string[];
  readonly rounds: number;
  readonly costUsd: number | null;
}

/**
 * Asks the agent for a list until it imports without a warning, at most three times.
 *
 * @throws RalphError `RALPH_PLAN_FAILED` when the agent fails or no answer imports
 */
export async function draftList(plan: Planning): Promise<Draft> {
  let costUsd: number | null = null;
  let mistake: Mistake | null = null;
  for (let round = 1; round <= maxRounds; round++) {
    plan.onRound(round, mistake && safeLine(mistake.problem, 300));
    const result = await answerTo(plan, mistake);
    costUsd = result.costUsd === null ? costUsd : (costUsd ?? 0) + result.costUsd;
    const answer = listIn(safeText(result.finalMessage));
    const text = plan.existing === null ? `${answer}\n` : joined(plan.existing, answer, plan.format);
    const checked = await check(plan, text);
    const problem = "problem" in checked ? checked.problem : checked.warnings.join("; ");
    if ("tasks" in checked && (problem === "" || round === maxRounds))
      return { text, ...checked, rounds: round, costUsd };
    mistake = { answer, problem };
  }
  throw new RalphError(
    "RALPH_PLAN_FAILED",
    `no answer of ${maxRounds} can be imported: ${mistake?.problem}`,
    { hint: "state the goal more precisely, or choose a stronger model with --model" },
  );
}

/** @throws RalphError `RALPH_PLAN_FAILED` when the agent fails */
async function answerTo(plan: Planning, mistake: Mistake | null): Promise<AgentResult> {
  const { project, agent, model, signal, isolation, sandbox, timeoutMs } = plan;
  const result = await askAgent(agent, {
    ...{ root: project.root, cwd: project.root, taskId: "plan", model, prompt: promptOf(plan, mistake) },
    ...{ signal, isolation, sandbox, timeoutMs },
  });
  if (!result.error) return result;
  const hint = result.error.hint ?? "run `ralph doctor`";
  throw new RalphError("RALPH_PLAN_FAILED", `no plan: ${result.error.message}`, { hint });
}

interface Mistake {
  readonly answer: SafeText;
  readonly problem: string;
}

async function check(
  { project, path, format }: Planning,
  text: string,
): Promise<Awaited<ReturnType<typeof checkList>> | { readonly problem: string }> {
  const draft: ListDraft = { projectRoot: project.root, path, format, text };
  try {
    return await checkList(project.db, draft);
  } catch (error) {
    const { message, hint } = fixable(error);
    return { problem: [message, hint].filter(Boolean).join(". ") };
  }
}

function promptOf({ goal, format, files, verify, existing }: Planning, mistake: Mistake | null): SafeText {
  const seed = newId("seed", 16);
  const before =
    existing === null
      ? safe``
      : safe`The project has this list already. Answer with further tasks only, with ids that it does not have:\n\n${fence(safeText(existing), seed)}\n\n`;
  const again = mistake
    ? safe`Your last answer could not be imported: ${safeText(mistake.problem)}. Correct that. It was:\n\n${fence(mistake.answer, seed)}\n\n`
    : safe``;
  const values: Readonly<Record<string, SafeText>> = {
    count: safe`Most goals need 3 to 15 tasks.`,
    verify: verify.length === 0 ? safe`none is configured` : safeLine(verify.join("; "), 1000),
    format: format === "markdown" ? markdownFormat : yamlFormat,
    existing: before,
    mistake: again,
    files: fence(safeText(outline(files)), seed),
    goal: fence(safeText(goal), seed),
  };
  return replaceSafe(prompt, /\{\{(\w+)\}\}/g, (slot, name = slot) => values[name] ?? slot);
}

const maxFiles = 400;

/** Returns the paths; of a large repository, the folders with their numbers of files. */
function outline(files: readonly string[]): string {
  if (files.length <= maxFiles) return files.join("\n");
  const folders = new Map<string, number>();
  for (const file of files) {
    const folder = file.split("/").slice(0, -1).slice(0, 3).join("/") || ".";
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  const lines = [...folders].map(([folder, n]) => `${folder}/ (${n} files)`);
  return [...lines.slice(0, maxFiles), ...(lines.length > maxFiles ? ["…"] : [])].join("\n");
}

/** Returns the list in an answer: what is between the tags, or in its only code block, or all of it. */
function listIn(message: SafeText): SafeText {
  const lines = message.trim().split("\n");
  const open = lines.findIndex((line) => line.trim() === "<tasks>");
  const close = lines.findLastIndex((line) => line.trim() === "</tasks>");
  const inner = open >= 0 ? lines.slice(open + 1, close > open ? close : undefined) : lines;
  const fences = inner.flatMap((line, at) => (/^(?:```|~~~)/.test(line) ? [at] : []));
  const [first = -1] = fences;
  const last = fences.at(-1) ?? -1;
  const isOnly = fences.length === 2 && (open < 0 || first === 0);
  const list = isOnly ? inner.slice(first + 1, last) : inner;
  return list.reduce<SafeText>((text, line, at) => (at === 0 ? line : safe`${text}\n${line}`), safe``);
}

/** Returns the list with further tasks at its end, its own text unchanged. */
function joined(existing: string, more: string, format: Planning["format"]): string {
  const added = format === "markdown" ? more : more.replace(/^tasks:[ \t]*\n/, "");
  const blank = format === "markdown" ? "\n" : "";
  return `${existing.trimEnd()}\n${blank}${added}\n`;
}

// Not in .md files: the build joins the lines of those.

export const markdownFormat: SafeText = safe`# A short name for the work

- [ ] T001 Title in the imperative
      What to do, in one to three sentences. Files: src/a.ts, test/a.test.ts
  - an acceptance criterion
  - another one
- [ ] T002 Title of the next task (depends on T001)
      What to do. Files: src/b.ts
  - an acceptance criterion`;

export const yamlFormat: SafeText = safe`tasks:
  - id: T001
    title: Title in the imperative
    description: |
      What to do, in one to three sentences.
    acceptance_criteria:
      - an acceptance criterion
    files: [src/a.ts, test/a.test.ts]
  - id: T002
    title: Title of the next task
    description: |
      What to do.
    acceptance_criteria:
      - an acceptance criterion
    files: [src/b.ts]
    depends_on: [T001]
    # Only where another command judges this task better; it replaces the verification above.
    verification: npm test -- b`;
