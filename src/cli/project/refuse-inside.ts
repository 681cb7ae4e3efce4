import { existsSync } from "node:fs";
import { join } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { defaultStore } from "../../config/default-store.ts";
import { findProject } from "../../config/find-project.ts";
import type { IterationHere } from "../../memory/learning-actions.ts";
import { openStore } from "../../store/open-store.ts";
import type { Session } from "../shell/command.ts";
import { currentIteration, iterationElsewhere } from "./current-iteration.ts";
import { storePath } from "./store-path.ts";

/**
 * Rejects a command that only a person may use, when an iteration started this process, of this project or of another.
 *
 * @throws RalphError `RALPH_TASK_INSIDE_ITERATION`, `RALPH_MEMORY_INSIDE_ITERATION`
 */
export async function refuseInside(session: Session, path: string): Promise<void> {
  const iteration = await iterationAround(session);
  if (!iteration) return;
  const [group = ""] = path.split(" ");
  const isMemory = ["memory", "learnings", "skills"].includes(group);
  throw new RalphError(
    isMemory ? "RALPH_MEMORY_INSIDE_ITERATION" : "RALPH_TASK_INSIDE_ITERATION",
    `\`ralph ${path}\` is not available to the agent working on ${iteration.taskId}`,
    { hint: hints[group] ?? "end your session with a sigil; only a person may do this, outside the run" },
  );
}

const hints: Readonly<Record<string, string>> = {
  task: "propose smaller tasks with a <subtasks> checklist in your final message, or add one with `ralph task add`",
  memory: 'report a wrong memory with <memory-used id="l-…" verdict="harmful"/> in your final message',
  learnings: "state what you learned in your final message",
  skills: "state what you learned in your final message",
};

async function iterationAround(session: Session): Promise<IterationHere | null> {
  for (const path of await stores(session)) {
    const found = await iterationIn(path);
    if (found) return found;
  }
  return iterationElsewhere();
}

/** Returns the existing stores of the project: also the default one, as a variable or a flag can name another. */
async function stores(session: Session): Promise<readonly string[]> {
  const root = findProject(session.cwd)?.root;
  if (root === undefined) return [];
  const usual = join(root, defaultStore);
  // The command itself reports settings that cannot be read.
  const loaded = await session.loadSettings().catch(() => null);
  const configured = loaded && storePathOf(root, loaded);
  return [...new Set([usual, configured ?? usual])].filter((path) => existsSync(path));
}

function storePathOf(root: string, loaded: Parameters<typeof storePath>[1]): string | null {
  try {
    return storePath(root, loaded);
  } catch {
    return null;
  }
}

/** Returns null for a store that cannot be read: the list of active runs then decides. */
async function iterationIn(path: string): Promise<IterationHere | null> {
  try {
    const db = await openStore({ path, history: null, create: false });
    return await currentIteration(db).finally(() => db.close());
  } catch (error) {
    if (error instanceof RalphError) return null;
    throw error;
  }
}
