import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { iterationsOf } from "../../loop/rows/iteration-store.ts";
import { sessionPrompt } from "../../loop/rows/loop.ts";
import type { Project } from "../shell/command.ts";

interface SentPrompt {
  readonly attempt: number | null;
  /** Undefined: it is not kept, or never was. */
  readonly prompt: string | undefined;
  /** The number of the task's iterations. */
  readonly sent: number;
}

/** Returns the prompt of a task's attempt as its agent got it; null: of the latest attempt. */
export async function sentPrompt(
  { db, root }: Pick<Project, "db" | "root">,
  taskId: string,
  attempt: number | null,
): Promise<SentPrompt> {
  const sent = await iterationsOf(db, taskId);
  const last = sent.findLast((one) => attempt === null || one.attempt === attempt);
  const folder = join(root, ".ralph");
  const prompt = last && (await read(sessionPrompt({ folder, runId: last.runId }, last)));
  return { attempt: last?.attempt ?? null, prompt, sent: sent.length };
}

/** An agent may have put something else in its place. */
async function read(path: string): Promise<string | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() ? readFile(path, "utf8") : undefined;
}
