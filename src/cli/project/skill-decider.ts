import { thisOwner } from "../../agents/supervision.ts";
import { RalphError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { childEnvironment } from "../../config/environment.ts";
import type { decideSkills } from "../../loop/decide-skills.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import { openWorkspace } from "../../workspace/open-workspace.ts";
import type { Project, Session } from "../shell/command.ts";

/** Returns what carries out a person's decisions on skills. */
export async function skillDecider(
  { clock }: Pick<Session, "clock">,
  { root, db, log, loaded }: Project,
): Promise<Parameters<typeof decideSkills>[0]> {
  const { commit, learnings } = loaded.settings;
  const workspace = commit.enabled ? await workspaceOf(root, learnings.dir) : null;
  return { db, log, clock, workspace, runId: null, owner: thisOwner(), holdId: newId("run", 5) };
}

/** Returns null outside a git repository. */
async function workspaceOf(root: string, recordsDir: string): Promise<Workspace | null> {
  try {
    return await openWorkspace(root, childEnvironment(), { recordsDir });
  } catch (error) {
    if (error instanceof RalphError && error.code === "RALPH_GIT_NO_REPOSITORY") return null;
    throw error;
  }
}
