import { signsCommits } from "../../workspace/try-commit.ts";
import type { Loop } from "./loop.ts";

/** A commit without hooks and signing takes a tenth of it. */
const quietMs = 2000;

/** Returns the result of a commit, and says that it waits: a program that signs may ask for a passphrase in another window. */
export async function sayingThatItWaits<T>(
  { log, runId, workspace }: Pick<Loop, "log" | "runId" | "workspace">,
  taskId: string | null,
  commit: () => Promise<T>,
): Promise<T> {
  const say = async (): Promise<void> => {
    const signing = await signsCommits(workspace).catch(() => false);
    if (!isOver) log.publish({ type: "commit.waiting", runId, data: { taskId, signing } });
  };
  let isOver = false;
  const timer = setTimeout(say, quietMs);
  try {
    return await commit();
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}
