import { join, relative } from "node:path";
import { RalphError } from "../../base/errors.ts";
import type { SafeText } from "../../base/safe-text.ts";
import { settingsOf } from "../../base/shared-settings.ts";
import { count } from "../../base/text.ts";
import { directories } from "../../config/directories.ts";
import type { Reader } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { listTasks } from "../../tasks/graph/task-store.ts";
import { type Approvals, openApprovals } from "../../trust/approvals.ts";
import { redactedText } from "../../trust/safe-text.ts";
import { storedText } from "../../trust/stored-text.ts";
import type { Project, Session } from "../shell/command.ts";
import {
  type AgentScope,
  type Approvable,
  type ApprovalList,
  commandItem,
  droppedItems,
  type ExecutedItem,
  executedItems,
  firmItems,
  keyOf,
} from "./executed-items.ts";
import { type PromptFile, readPromptFile } from "./prompt-file.ts";

export function projectApprovals(root: string): Approvals {
  return openApprovals(join(directories().state, "ralph", "approvals.json"), root);
}

/** Records approvals of all in the list. */
export async function approveList(root: string, { items, firm }: ApprovalList): Promise<void> {
  await projectApprovals(root).approve([...items, ...firm]);
}

/** A project; `promptFile` is set when its template has been read already. */
type ApprovalState = Pick<Project, "root" | "loaded"> & { readonly promptFile?: PromptFile | null };

/** Returns true when everything that this setting (`verify`, `agents.claude`) of the project's file makes ralph execute is
 * approved. */
export function isApproved(project: Pick<Project, "root" | "loaded">, place: string): boolean {
  const items = executedItems(project.loaded).filter((item) => item.place.replace(/\[\d+\]$/, "") === place);
  if (items.length === 0) return true;
  const approved = new Set(projectApprovals(project.root).list().map(keyOf));
  return items.every((item) => approved.has(keyOf(item)));
}

/** Returns false for an agent whose program an unapproved setting names. */
export function mayStart(project: Pick<Project, "root" | "loaded">, agent: string): boolean {
  const { program = null, argv = null } = settingsOf(project.loaded.settings.agents, agent) ?? {};
  return (program === null && argv === null) || isApproved(project, `agents.${agent}`);
}

/**
 * Lists everything that the project's configuration, prompt template and tasks make ralph execute, approved or not
 * (TRUST-5). `db` is null for a project without a store.
 */
export async function listApprovable(
  project: ApprovalState & { readonly db: Project["db"] | null },
  scope: AgentScope = "all",
): Promise<ApprovalList> {
  const known = projectApprovals(project.root).list();
  const own = project.promptFile === undefined ? await readPromptFile(project.root) : project.promptFile;
  const executed = executedItems(project.loaded, scope);
  const items = [
    ...executed,
    ...droppedItems(project.loaded, executed, known),
    ...(own ? [promptItem(own)] : []),
    ...(project.db ? await taskItems(project.db) : []),
  ];
  const current = new Set(items.map(({ sha256 }) => sha256));
  const approvedKeys = new Set(known.map(keyOf));
  const listed = items.map((item): Approvable => {
    const approved = approvedKeys.has(keyOf(item));
    const last = known.findLast(({ kind, place }) => kind === item.kind && place === item.place);
    const was = approved || !last || current.has(last.sha256) ? null : last.what.replace(/^.*?: /, "");
    return { ...item, what: renderItem(item), approved, was };
  });
  return {
    items: listed,
    firm: firmItems(project.loaded).map((item) => ({ ...item, what: renderItem(item) })),
  };
}

function promptItem({ name, text, sha256 }: PromptFile): ExecutedItem {
  const lines = count(text.split("\n").length, "line");
  return {
    kind: "prompt",
    sha256,
    place: "prompt template",
    text: `${name} (${lines}, SHA-256 ${sha256.slice(0, 12)})`,
  };
}

/**
 * Checks that everything the run would execute is approved. On a terminal, shows the rest and asks; `--yes` does not
 * approve it. `withTasks: false` is for what never executes a task's own verification.
 *
 * @throws RalphError `RALPH_TRUST_NOT_APPROVED`
 */
export async function requireApproval(
  session: Session,
  project: Project & ApprovalState,
  { withTasks = true }: { readonly withTasks?: boolean } = {},
): Promise<void> {
  const list = await listApprovable(withTasks ? project : { ...project, db: null }, "selected");
  const open = list.items.filter((item) => !item.approved);
  if (open.length === 0) return await recordFirm(project.root, list);
  if (session.screen.noteIsTerminal && !session.json) {
    session.note(renderItems(list));
    if (await session.confirm("Approve and continue?", false)) {
      await approveList(project.root, list);
      return;
    }
  }
  throw notApproved(session, project, open);
}

function notApproved(
  { configFlag }: Session,
  { root, loaded: { projectFile } }: ApprovalState,
  open: readonly Approvable[],
): RalphError {
  const [first] = open;
  const others = open.length > 1 ? ` (and ${open.length - 1} more)` : "";
  // A task or a template names itself.
  const isOfFile =
    projectFile !== null && first && !first.place.startsWith(taskPlace) && first.kind !== "prompt";
  const place = isOfFile ? ` in ${relative(root, projectFile.path)}` : "";
  return new RalphError(
    "RALPH_TRUST_NOT_APPROVED",
    `not approved to run${place}: ${first?.what}${others}`,
    // Another configuration names other commands.
    { hint: `review with \`ralph ${configFlag}trust show\`, then run \`ralph ${configFlag}trust approve\`` },
  );
}

/** Records what the project sets strictly, without a question, so that its absence is noticed. */
async function recordFirm(root: string, { firm }: Pick<ApprovalList, "firm">): Promise<void> {
  const approvals = projectApprovals(root);
  const added = firm.filter(({ kind, sha256 }) => !approvals.isApproved(kind, sha256));
  if (added.length === 0) return;
  // The run does not need the record.
  await approvals.approve(added).catch(() => undefined);
}

const taskPlace = "verification of ";

/** Lists the commands of the unfinished tasks' own verification, each once. */
async function taskItems(q: Reader): Promise<readonly ExecutedItem[]> {
  const commands = new Map<string, ExecutedItem>();
  for (const task of await listTasks(q)) {
    if (task.status === "done") continue;
    for (const item of itemsOf(task)) if (!commands.has(item.sha256)) commands.set(item.sha256, item);
  }
  return [...commands.values()];
}

/** Returns true when a run would refuse a command of this task's own verification because no person approved it. */
export function needsApproval(task: Task, approvals: Approvals): boolean {
  if (task.status === "done") return false;
  try {
    return itemsOf(task).some(({ kind, sha256 }) => !approvals.isApproved(kind, sha256));
  } catch (error) {
    // `ralph trust approve` says what is wrong with the approvals.
    if (error instanceof RalphError) return true;
    throw error;
  }
}

/** Returns the ids of the tasks for which `needsApproval` is true, reading the approvals once. */
export function unapprovedTasks(tasks: readonly Task[], approvals: Approvals): readonly string[] {
  const own = tasks.filter(({ verification }) => verification.length > 0);
  if (own.length === 0) return [];
  const list = readOnce(approvals);
  return own.filter((task) => needsApproval(task, list)).map(({ id }) => id);
}

function readOnce(approvals: Approvals): Approvals {
  let known: ReadonlySet<string> | undefined;
  const isApproved: Approvals["isApproved"] = (kind, sha256) => {
    known ??= new Set(approvals.list().map(keyOf));
    return known.has(keyOf({ kind, sha256 }));
  };
  return { ...approvals, isApproved };
}

function itemsOf({ id, verification }: Task): readonly ExecutedItem[] {
  return verification.map(({ run }) => commandItem(`${taskPlace}${id}`, { run }));
}

/** Returns `verify: npm test` for an item, on one line and safe to print. */
function renderItem({ place, text }: Pick<ExecutedItem, "place" | "text">): string {
  return `${labelOf(place)}: ${visible(text)}`;
}

/**
 * Returns the items that are not approved, for people. When something of the project was approved before, only the
 * difference: `-` for what was approved in the same place, `+` for what replaces it.
 */
export function renderItems({ items }: Pick<ApprovalList, "items">): SafeText {
  const open = items.filter(({ approved }) => !approved);
  const unchanged = items.length - open.length;
  const isChange = unchanged > 0 || open.some(({ was }) => was !== null);
  const title = isChange
    ? "What this project makes ralph execute has changed since you approved it:"
    : "This project makes ralph execute what you have not approved:";
  const width = labelWidth(open);
  const lines = open.flatMap(({ place, text, was }) => {
    const row = (mark: string, what: string): string =>
      `  ${mark} ${labelOf(place).padEnd(width)}  ${visible(what)}`;
    return [...(was === null ? [] : [row("-", was)]), row("+", text)];
  });
  const rest = isChange && unchanged > 0 ? [`  ${count(unchanged, "other item")}: approved, unchanged`] : [];
  return storedText([title, ...lines, ...rest].join("\n"));
}

/** Returns one line for each item, with its state. */
export function renderAllItems(items: readonly Approvable[]): SafeText {
  const width = labelWidth(items);
  const lines = items.map(({ approved, place, text }) => {
    const state = approved ? "✓ approved    " : "! not approved";
    return `${state}  ${labelOf(place).padEnd(width)}  ${visible(text)}`;
  });
  return storedText(lines.join("\n"));
}

function labelWidth(items: readonly Pick<Approvable, "place">[]): number {
  return Math.max(0, ...items.map(({ place }) => labelOf(place).length));
}

function labelOf(place: string): string {
  return storedText(place.replace(/\[\d+\]$/, ""));
}

/** Redacts secrets and shows each character that a terminal would hide or obey, so that a command reads as it runs. */
function visible(text: string): string {
  return redactedText(text).replace(/[^ -~]/gu, (char) => {
    const isPlain = char !== "\n" && char !== "\t" && storedText(`a${char}a`) === `a${char}a`;
    return isPlain ? char : `\\u{${char.codePointAt(0)?.toString(16)}}`;
  });
}
