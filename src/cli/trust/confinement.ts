import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Confinement, SandboxPlaces } from "../../agents/port/confinement.ts";
import { openSandbox } from "../../agents/sandbox.ts";
import { makeFolders } from "../../base/careful-files.ts";
import { sha256 } from "../../base/hash.ts";
import { directories } from "../../config/directories.ts";
import { childEnvironment, readEnv } from "../../config/environment.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import { gitHookFolders, openWorkspace } from "../../workspace/open-workspace.ts";
import type { Project, Session } from "../shell/command.ts";
import { listenForStop } from "../shell/stop-signals.ts";
import { requireApproval } from "./approval.ts";

/**
 * Determines how agents and verification of a project run, by its setting `sandbox`; `ofWorker`: in the work tree of a worker.
 *
 * @throws RalphError `RALPH_ISOLATION_MISSING`, `RALPH_SANDBOX_HOME`, `RALPH_GIT_*`
 */
export async function confinementOf(
  { root, loaded }: Pick<Project, "root" | "loaded">,
  workspace?: Workspace,
  ofWorker: Workspace | null = null,
): Promise<Confinement> {
  return await openSandbox(loaded.settings.sandbox, async () =>
    placesOf(workspace ?? (await openWorkspace(root, childEnvironment(), { needCommit: false })), ofWorker),
  );
}

/** Returns the folder of the separate work tree of `verifyGuard: clean`. */
export function cleanFolder(root: string): string {
  return join(directories().state, "ralph", "clean", sha256(root).slice(0, 16));
}

/** Returns the folder of the work trees of workers. */
export function treesFolder(root: string): string {
  return join(directories().cache, "ralph", "trees", sha256(root).slice(0, 16));
}

/** Also makes the folders that do not exist yet, so that no agent makes its own. */
async function placesOf(workspace: Workspace, ofWorker: Workspace | null): Promise<SandboxPlaces> {
  const { root } = workspace;
  const { topLevel, gitDir, commonDir } = ofWorker ?? workspace;
  const { config, state, data } = directories();
  const home = readEnv("HOME") || homedir();
  const store = join(root, ".ralph");
  const hidden = [config, state, data].map((folder) => join(folder, "ralph"));
  const hooks = await gitHookFolders(workspace);
  for (const folder of [join(store, "tmp"), ...hidden, ...hooks]) makeFolders(folder);
  return {
    project: [topLevel, gitDir, commonDir],
    besides: ofWorker ? [workspace.topLevel, treesFolder(root)] : [],
    clean: cleanFolder(root),
    store,
    hooks,
    home,
    hidden: hidden.map((folder) => realpathSync(folder)),
    read: [
      join(home, ".gitconfig"),
      ...["git/config", "git/ignore", "git/attributes", "ralph/config.yaml"].map((file) =>
        join(config, file),
      ),
    ],
    ...ownProgram(),
  };
}

/** Returns the places of this ralph and of what it loads. In the product, this file is in `dist/`. */
function ownProgram(): Pick<SandboxPlaces, "ralph" | "locked"> {
  const place = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  const { resolve } = createRequire(import.meta.url);
  return {
    ralph: [process.execPath, realpathSync(place("../bin/ralph.js"))],
    locked: [
      ...["../dist", "../bin", "../package.json"].map(place),
      ...[resolve("@photostructure/sqlite"), process.execPath],
    ],
  };
}

/** Runs `work`, in which a command asks a model. A signal ends the agent. Throws `RALPH_TRUST_NOT_APPROVED`. */
export async function askingModel<T>(
  session: Session,
  project: Project,
  work: (place: Confinement & { readonly root: string }, signal: AbortSignal) => Promise<T>,
  withTasks = true,
): Promise<T> {
  await requireApproval(session, project, { withTasks });
  const confinement = await confinementOf(project);
  const signals = listenForStop({ notify: () => session.note("stopping the agent"), leave: () => undefined });
  try {
    return await work({ root: project.root, ...confinement }, signals.stop);
  } finally {
    signals.reraise();
    signals.dispose();
  }
}
