import { join } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { sha256 } from "../../base/hash.ts";
import { joinSafe, safe } from "../../base/safe-text.ts";
import { clip, oneLine } from "../../base/text.ts";
import { directories } from "../../config/directories.ts";
import { listTasks } from "../../tasks/task-store.ts";
import { type Approvals, openApprovals } from "../../trust/approvals.ts";
import { storedText } from "../../trust/stored-text.ts";
import type { Project, Session } from "../shell/command.ts";
import { type PromptFile, readPromptFile } from "./prompt-file.ts";

/** A file or command of the project that ralph executes only when it is approved. */
export interface Approvable {
  readonly kind: "config" | "command";
  readonly sha256: string;
  /** Text for people: the file, or the command and its task. */
  readonly what: string;
  readonly approved: boolean;
}

export function projectApprovals(root: string): Approvals {
  return openApprovals(join(directories().state, "ralph", "approvals.json"), root);
}

/** Returns true when the project's configuration file is approved, or does not exist. */
export function configIsApproved(project: Pick<Project, "root" | "loaded">): boolean {
  const file = project.loaded.projectFile;
  return file === null || projectApprovals(project.root).isApproved("config", file.sha256);
}

/** A project; `promptFile` is set when its template has been read already. */
type ApprovalState = Pick<Project, "root" | "loaded"> & { readonly promptFile?: PromptFile | null };

/** Lists everything that the project's configuration, prompt template and tasks make ralph execute, approved or not
 * (TRUST-5). `db` is null for a project without a store. */
export async function listApprovable(
  project: ApprovalState & { readonly db: Project["db"] | null },
): Promise<readonly Approvable[]> {
  const approvals = projectApprovals(project.root);
  const file = project.loaded.projectFile;
  const config = file ? [{ kind: "config" as const, sha256: file.sha256, what: file.path }] : [];
  const own = project.promptFile === undefined ? await readPromptFile(project.root) : project.promptFile;
  const prompt = own ? [{ kind: "config" as const, sha256: own.sha256, what: own.path }] : [];
  const commands = new Map<string, Omit<Approvable, "approved">>();
  for (const task of project.db ? await listTasks(project.db) : []) {
    if (task.status === "done") continue;
    for (const { run } of task.verification) {
      const hash = sha256(run);
      const what = `verification of ${task.id}: ${clip(oneLine(run), 200)}`;
      if (!commands.has(hash)) commands.set(hash, { kind: "command", sha256: hash, what });
    }
  }
  return [...config, ...prompt, ...commands.values()].map((item) => ({
    ...item,
    approved: approvals.isApproved(item.kind, item.sha256),
  }));
}

/**
 * Checks that everything the run would execute is approved. On a terminal, lists the rest and asks; `--yes` does not
 * approve it.
 *
 * @throws RalphError `RALPH_TRUST_NOT_APPROVED`
 */
export async function requireApproval(session: Session, project: Project & ApprovalState): Promise<void> {
  const open = (await listApprovable(project)).filter((item) => !item.approved);
  if (open.length === 0) return;
  const shown = open.slice(0, 20).map((item) => safe`  ${storedText(item.what)}`);
  const more = open.length > 20 ? [safe`  … and ${open.length - 20} more`] : [];
  if (session.screen.noteIsTerminal && !session.json) {
    session.note(
      joinSafe(
        [safe`This project makes ralph execute items that you have not approved:`, ...shown, ...more],
        "\n",
      ),
    );
    if (await session.confirm("Approve and continue?", false)) {
      await projectApprovals(project.root).approve(open);
      return;
    }
  }
  const what = open[0]?.what ?? "";
  const others = open.length > 1 ? ` (and ${open.length - 1} more)` : "";
  throw new RalphError("RALPH_TRUST_NOT_APPROVED", `not approved to run: ${what}${others}`, {
    hint: "review with `ralph trust show`, then run `ralph trust approve`",
  });
}
