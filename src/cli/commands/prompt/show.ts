import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { RalphError } from "../../../base/errors.ts";
import { iterationsOf } from "../../../loop/rows/iteration-store.ts";
import { sessionPrompt } from "../../../loop/rows/loop.ts";
import { lastAttempt } from "../../../outcome/outcome-store.ts";
import { requireTask } from "../../../tasks/graph/task-store.ts";
import { redactedText, safeJson } from "../../../trust/safe-text.ts";
import { type CommandSpec, withProject } from "../../shell/command.ts";
import { usageError } from "../../shell/usage-error.ts";

/** `ralph prompt show TASK [N]`: a prompt as it was sent (PROMPT-6). */
export const command: CommandSpec = {
  description:
    "Prints the prompt of the task's attempt N as the agent got it, or of the latest attempt. Prompts are kept, redacted, as long as the raw logs: 30 days or 500 MB. `ralph context TASK` shows the next prompt.",
  examples: ["ralph prompt show t-3fa9c1", "ralph prompt show t-3fa9c1 2"],
  arguments: [
    { name: "<task>", description: "the task's id" },
    { name: "[n]", description: "the attempt's number" },
  ],
  run: async (session, { args }) => {
    return withProject(session, {}, async (project) => {
      const { id } = await requireTask(project.db, String(args["task"]));
      const wanted = args["n"] === undefined ? null : numberOf(String(args["n"]));
      const sent = await iterationsOf(project.db, id);
      const last = sent.findLast(({ attempt }) => wanted === null || attempt === wanted);
      const folder = join(project.root, ".ralph");
      const prompt = last && (await read(sessionPrompt({ folder, runId: last.runId }, last)));
      if (prompt === undefined) {
        const isTried = sent.length > 0 || (await lastAttempt(project.db, id)) > 0;
        throw missing(id, last?.attempt ?? wanted, isTried);
      }
      if (session.json) session.out(safeJson({ id, attempt: last?.attempt ?? null, prompt }));
      else session.outFile(redactedText(prompt).trimEnd());
    });
  },
};

function numberOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw usageError(
    `invalid attempt ${JSON.stringify(text)}: expected a positive integer`,
    "run `ralph log TASK` to list the attempts",
  );
}

/** An agent may have put something else in its place. */
async function read(path: string): Promise<string | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() ? readFile(path, "utf8") : undefined;
}

function missing(id: string, attempt: number | null, isTried: boolean): RalphError {
  const what = attempt === null ? `no prompt of ${id}` : `no prompt of ${id}, attempt ${attempt}`;
  const why = isTried ? "the attempt does not exist, or its logs were pruned" : "it was never attempted";
  return new RalphError("RALPH_PROMPT_MISSING", `${what}: ${why}`, {
    hint: `run \`ralph log ${id}\` to list the attempts, or \`ralph context ${id}\` to show the next prompt`,
  });
}
