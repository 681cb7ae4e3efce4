import { join, relative } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { count } from "../../base/text.ts";
import { directories } from "../../config/directories.ts";
import type { LoadedSettings } from "../../config/settings.ts";
import { type Approval, type Approvals, openApprovals } from "../../trust/approvals.ts";
import type { Project, Session } from "../shell/command.ts";
import { droppedItems, firmItems, keyOf } from "./dropped-items.ts";
import {
  type AgentScope,
  type Approvable,
  type ApprovalList,
  type ExecutedItem,
  executedItems,
} from "./executed-items.ts";
import { type PromptFile, readPromptFile } from "./prompt-file.ts";
import { renderItem, renderItems } from "./render-items.ts";
import { isOfTask, taskItems } from "./task-commands.ts";

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
  return items.length === 0 || items.every(approvedBy(projectApprovals(project.root).list(), project.loaded));
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
  const { projectFile } = project.loaded;
  const own = project.promptFile === undefined ? await readPromptFile(project.root) : project.promptFile;
  const executed = executedItems(project.loaded, scope);
  const items = [
    ...executed,
    ...droppedItems(project.loaded, executed, known),
    ...(own ? [promptItem(own)] : []),
    ...(project.db ? await taskItems(project.db) : []),
  ];
  const current = new Set(items.map(({ sha256 }) => sha256));
  const isApprovedItem = approvedBy(known, project.loaded);
  const listed = items.map((item): Approvable => {
    const approved = isApprovedItem(item);
    const last = known.findLast(({ kind, place }) => kind === item.kind && place === item.place);
    const was = approved || !last || current.has(last.sha256) ? null : last.what.replace(/^.*?: /, "");
    return { ...item, what: renderItem(item), approved, was };
  });
  const hasWholeFile =
    projectFile !== null && known.some(({ kind, what }) => kind === "config" && what === projectFile.path);
  const isOld = hasWholeFile && known.every(({ place }) => place === undefined);
  const open = listed.some((item) => !item.approved && !isOfTask(item));
  const reason = isOld && open ? changedFile(relative(project.root, projectFile?.path ?? "")) : null;
  return {
    items: listed,
    firm: firmItems(project.loaded).map((item) => ({ ...item, what: renderItem(item) })),
    reason,
  };
}

function changedFile(name: string): string {
  return `An earlier version of ralph approved ${name} as a whole, and the file has changed since. Now each command is approved on its own.`;
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

/** Accepts an item by its own approval, or by one of the whole file that names it, which earlier versions recorded. */
function approvedBy(
  known: readonly Approval[],
  { projectFile }: LoadedSettings,
): (item: ExecutedItem) => boolean {
  const approved = new Set(known.map(keyOf));
  const wholeFile =
    projectFile !== null && approved.has(keyOf({ kind: "config", sha256: projectFile.sha256 }));
  return (item) =>
    approved.has(keyOf(item)) ||
    (item.kind === "prompt" && approved.has(keyOf({ kind: "config", sha256: item.sha256 }))) ||
    (wholeFile && item.kind !== "prompt" && !isOfTask(item));
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
  if (open.length === 0) return await splitWholeFile(project.root, list);
  if (session.screen.noteIsTerminal && !session.json) {
    session.note(renderItems(list));
    if (await session.confirm("Approve and continue?", false)) {
      await approveList(project.root, list);
      return;
    }
  }
  throw notApproved(session, project, { open, reason: list.reason });
}

function notApproved(
  { configFlag }: Session,
  { root, loaded: { projectFile } }: ApprovalState,
  { open, reason }: { readonly open: readonly Approvable[]; readonly reason: string | null },
): RalphError {
  const [first] = open;
  const others = open.length > 1 ? ` (and ${open.length - 1} more)` : "";
  // A task or a template names itself.
  const isOfFile = projectFile !== null && first && !isOfTask(first) && first.kind !== "prompt";
  const place = isOfFile ? ` in ${relative(root, projectFile.path)}` : "";
  return new RalphError(
    "RALPH_TRUST_NOT_APPROVED",
    `not approved to run${place}: ${first?.what}${others}${reason === null ? "" : `. ${reason}`}`,
    // Another configuration names other commands.
    {
      hint: `review with \`ralph ${configFlag}trust show\`, then run \`ralph ${configFlag}trust approve\``,
    },
  );
}

/**
 * Records each item that an approval of the whole file covers, so that another change of the file needs no approval; and what is set
 * strictly.
 */
async function splitWholeFile(root: string, { items, firm }: ApprovalList): Promise<void> {
  const approvals = projectApprovals(root);
  const known = new Set(approvals.list().map(keyOf));
  const covered = [...items, ...firm].filter((item) => !known.has(keyOf(item)));
  if (covered.length === 0) return;
  // The approval of the whole file still applies if this one cannot be written.
  await approvals.approve(covered).catch(() => undefined);
}
