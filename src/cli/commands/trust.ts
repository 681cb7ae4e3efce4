import { RalphError } from "../../base/errors.ts";
import { safe } from "../../base/safe-text.ts";
import { count } from "../../base/text.ts";
import { findProject } from "../../config/find-project.ts";
import { storedJson } from "../../trust/stored-text.ts";
import type { CommandSpec, Project, Session } from "../shell/command.ts";
import { usageError } from "../shell/io.ts";
import { approveList, listApprovable, renderAllItems, renderItems } from "../trust/approval.ts";
import type { ApprovalList } from "../trust/executed-items.ts";

/** `ralph trust show|approve`: what this project's own files make ralph execute (TRUST-5). */
export const command: CommandSpec = {
  description:
    "A project's configuration, prompt template and tasks name agents, commands, hooks and text that ralph uses. It uses them only after you approved exactly these; other changes, such as a comment or the strategy, need no approval. After a change, only the difference is shown. Approvals are stored outside the project.",
  examples: ["ralph trust show", "ralph trust approve"],
  arguments: [{ name: "[action]", description: "show (default) or approve", choices: ["show", "approve"] }],
  options: [
    { flags: "--yes", description: "approve without asking" },
    { flags: "--all", description: "also show what is approved, after a change" },
  ],
  run: async (session, { args, options }) => {
    const project = await openForTrust(session);
    try {
      const list = await listApprovable(project);
      if (args["action"] === "approve")
        await approve(session, project, { list, yes: options["yes"] === true });
      else show(session, { list, all: options["all"] === true });
    } finally {
      await project.close();
    }
  },
};

/** Opens the project without creating a store: a project without one has only its files to approve. */
async function openForTrust(session: Session): Promise<TrustSession> {
  try {
    return await session.openProject({ own: true });
  } catch (error) {
    const found = findProject(session.cwd);
    const isWithout = error instanceof RalphError && error.code === "RALPH_STORE_MISSING";
    if (!found || !isWithout) throw error;
    const loaded = await session.loadSettings();
    return { root: found.root, loaded, db: null, close: async () => undefined };
  }
}

type TrustSession = Pick<Project, "root" | "loaded" | "close"> & { readonly db: Project["db"] | null };

function show(session: Session, { list, all }: { readonly list: ApprovalList; readonly all: boolean }): void {
  const { items } = list;
  // `what` is the text as it may be shown.
  if (session.json) session.out(storedJson(items.map(({ text: _, ...item }) => item)));
  else if (items.length === 0) session.note("nothing needs approval in this project");
  else if (all || items.every(({ approved }) => approved)) session.out(renderAllItems(items));
  else session.out(renderItems(list));
}

async function approve(
  session: Session,
  project: TrustSession,
  { list, yes }: { readonly list: ApprovalList; readonly yes: boolean },
): Promise<void> {
  const open = list.items.filter((item) => !item.approved);
  if (open.length === 0) {
    if (list.firm.length > 0) await approveList(project.root, list);
    return session.note("everything is already approved");
  }
  if (!session.json) session.out(renderItems(list));
  if (!yes && !(await confirmed(session, open.length))) return;
  await approveList(project.root, list);
  session.note(safe`approved ${count(open.length, "item")}; next: run \`ralph run\``);
}

/** @throws RalphError `RALPH_USAGE` where nobody can answer */
async function confirmed(session: Session, number: number): Promise<boolean> {
  if (session.canAsk) return session.confirm(safe`Approve ${count(number, "item")}?`, true);
  throw usageError(
    "nothing was approved: not confirmed",
    "review with `ralph trust show`, then use --yes, or run it on a terminal",
  );
}
