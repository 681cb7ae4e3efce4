import { join } from "node:path";
import { type Practice, practice } from "./practice.ts";

/** A project with an agent, a verification and 40 imported tasks, where `ralph doctor` finds nothing wrong. */
export async function healthyProject(): Promise<Practice> {
  const made = practice();
  await made.useWorker({}, 'verify: ["test -d ."]\n');
  made.write("tasks.md", Array.from({ length: 40 }, (_, n) => `- [ ] task number ${n}\n`).join(""));
  made.git("add", "-A");
  made.git("commit", "-q", "-m", "tasks");
  const { code, stderr } = await made.ralph("task", "import", "tasks.md");
  if (code !== 0) throw new Error(stderr);
  return made;
}

export const storeOf = (made: Practice): string => join(made.dir, ".ralph/progress.db");
