import { RalphError } from "../../base/errors.ts";
import { safe } from "../../base/safe-text.ts";
import { count } from "../../base/text.ts";
import { findProject } from "../../config/find-project.ts";
import { storedJson, storedText } from "../../trust/stored-text.ts";
import { type Approvable, listApprovable, projectApprovals } from "../project/approval.ts";
import type { CommandSpec, Project, Session } from "../shell/command.ts";

/** `ralph trust show|approve`: what this project's own files make ralph execute (TRUST-5). */
export const trust: CommandSpec = {
  name: "trust",
  summary: "show or approve what this project makes ralph execute",
  description:
    "A project's configuration, prompt template and tasks name commands and text that ralph uses. It uses them only after you approved their exact content. Approvals are stored outside the project.",
  examples: ["ralph trust show", "ralph trust approve"],
  arguments: [{ name: "[action]", description: "show (default) or approve" }],
  options: [{ flags: "--yes", description: "approve without asking" }],
  run: async (session, { args, options }) => {
    const action = args["action"] ?? "show";
    if (action !== "show" && action !== "approve") {
      throw new RalphError("RALPH_USAGE", `unknown action: ralph trust ${action}`, {
        hint: "use show or approve",
      });
    }
    const project = await openForTrust(session);
    try {
      const items = await listApprovable(project);
      if (action === "show") show(session, items);
      else await approve(session, project, { items, yes: options["yes"] === true });
    } finally {
      await project.close();
    }
    return 0;
  },
};

/** Opens the project without creating a store: a project without one has only its files to approve. */
async function openForTrust(session: Session): Promise<TrustSession> {
  try {
    return await session.openProject();
  } catch (error) {
    const found = findProject(session.cwd);
    if (!found || !(error instanceof RalphError) || error.code !== "RALPH_STORE_MISSING") throw error;
    return { root: found.root, loaded: await session.loadSettings(), db: null, close: async () => undefined };
  }
}

type TrustSession = Pick<Project, "root" | "loaded" | "close"> & { readonly db: Project["db"] | null };

function show(session: Session, items: readonly Approvable[]): void {
  if (session.json) {
    session.out(storedJson(items));
    return;
  }
  if (items.length === 0) session.note("nothing needs approval in this project");
  for (const { approved, what, sha256 } of items) {
    session.out(
      safe`${approved ? "✓ approved    " : "! not approved"}  ${storedText(sha256.slice(0, 12))}  ${storedText(what)}`,
    );
  }
}

async function approve(
  session: Session,
  project: TrustSession,
  { items, yes }: { readonly items: readonly Approvable[]; readonly yes: boolean },
): Promise<void> {
  const open = items.filter((item) => !item.approved);
  if (open.length === 0) return session.note("everything is already approved");
  if (!session.json) show(session, open);
  if (!yes && !(await session.confirm(safe`Approve ${count(open.length, "item")}?`, true))) return;
  await projectApprovals(project.root).approve(open);
  session.note(safe`approved ${count(open.length, "item")}; next: run \`ralph run\``);
}
