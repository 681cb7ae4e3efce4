import { existsSync } from "node:fs";
import { join } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { defaultStore } from "../../config/default-store.ts";
import { findProject } from "../../config/find-project.ts";
import type { IterationHere } from "../../memory/learning-actions.ts";
import { openStore } from "../../store/open-store.ts";
import type { Project, Session } from "../shell/command.ts";
import { refuseForeign } from "../trust/refuse-foreign.ts";
import { currentIteration, isWithoutAgent, iterationElsewhere } from "./current-iteration.ts";
import { storePath } from "./store-path.ts";

/**
 * Rejects a command that only a person may use, when an iteration started this process, of this project or of another.
 * With `opens`, returns the open project for the command, so that it is opened once; undefined if there is none, or it cannot
 * be opened. Without, only reads: `ralph doctor --repair` has to find the store as it was.
 *
 * @throws RalphError `RALPH_TASK_INSIDE_ITERATION`, `RALPH_MEMORY_INSIDE_ITERATION`
 */
export async function refuseInside(
  session: Session,
  path: string,
  { opens }: { readonly opens: boolean },
): Promise<Project | undefined> {
  const project = opens ? await projectOf(session) : undefined;
  const iteration = await iterationAround(session, project);
  if (!iteration) return project;
  await project?.close();
  const [group = ""] = path.split(" ");
  const withoutAgent = isWithoutAgent(iteration);
  const isMemory = ["memory", "learnings", "skills"].includes(group);
  throw new RalphError(
    isMemory ? "RALPH_MEMORY_INSIDE_ITERATION" : "RALPH_TASK_INSIDE_ITERATION",
    withoutAgent
      ? `\`ralph ${path}\` cannot be run by what ralph itself runs, such as a hook of events, or the verification before the first attempt`
      : `\`ralph ${path}\` is not available to the agent working on ${iteration.taskId}`,
    { hint: withoutAgent ? hintWithoutAgent : (hints[path] ?? hints[group] ?? hintForAgent) },
  );
}

const hintForAgent = "end your session with a sigil; only a person may do this, outside the run";
/** The hint for a command that a person has to run. */
export const hintWithoutAgent =
  "leave it out of verify, of hooks, and of what their commands start; run it yourself, outside the run";

/** By command or group. A command of its own is refused only with an option. */
const hints: Readonly<Record<string, string>> = {
  "task add": "add it without --verify: a person decides what verifies a task",
  doctor: "run it without --repair; only a person may repair, outside the run",
  task: "propose smaller tasks with a <subtasks> checklist in your final message, or add one with `ralph task add`",
  memory: 'report a wrong memory with <memory-used id="l-…" verdict="harmful"/> in your final message',
  learnings: "state what you learned in your final message",
  skills: "state what you learned in your final message",
};

/** The command itself reports a project that cannot be opened. */
async function projectOf(session: Session): Promise<Project | undefined> {
  const root = findProject(session.cwd)?.root;
  if (root === undefined || !existsSync(join(root, ".ralph"))) return undefined;
  try {
    return await session.openProject();
  } catch (error) {
    if (error instanceof RalphError) return undefined;
    throw error;
  }
}

async function iterationAround(
  session: Session,
  project: Project | undefined,
): Promise<IterationHere | null> {
  const found = project && (await currentIteration(project.db));
  if (found) return found;
  for (const path of await storesBeside(session, project)) {
    const known = await iterationIn(path);
    if (known) return known;
  }
  return project ? null : iterationElsewhere();
}

/** Returns the other stores that may know the iteration: a variable or a flag can name another than the usual one. */
async function storesBeside(session: Session, project: Project | undefined): Promise<readonly string[]> {
  const root = findProject(session.cwd)?.root;
  if (root === undefined) return [];
  const usual = join(root, defaultStore);
  const paths = project ? [usual] : [...new Set([await configuredStore(session, root), usual])];
  return paths.filter((path) => path !== project?.db.location && existsSync(path));
}

/** The command itself reports settings that cannot be read. */
async function configuredStore(session: Session, root: string): Promise<string> {
  try {
    await refuseForeign(root);
    return storePath(root, await session.loadSettings());
  } catch (error) {
    if (error instanceof RalphError) return storePath(root, null);
    throw error;
  }
}

/** Returns null for a store that cannot be read: the list of active runs then decides. */
async function iterationIn(path: string): Promise<IterationHere | null> {
  try {
    const db = await openStore({ path, readOnly: true, create: false, migrate: false });
    return await currentIteration(db).finally(() => db.close());
  } catch (error) {
    if (error instanceof RalphError) return null;
    throw error;
  }
}
