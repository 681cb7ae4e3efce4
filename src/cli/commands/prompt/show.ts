import { RalphError } from "../../../base/errors.ts";
import { lastAttempt } from "../../../outcome/outcome-store.ts";
import { requireTask } from "../../../tasks/graph/task-store.ts";
import { redactedText, safeJson } from "../../../trust/safe-text.ts";
import { sentPrompt } from "../../project/sent-prompt.ts";
import { type CommandSpec, inProject } from "../../shell/command.ts";
import { usageError } from "../../shell/io.ts";

/** `ralph prompt show TASK [N]`: a prompt as it was sent (PROMPT-6). */
export const command: CommandSpec = {
  description:
    "Prints the prompt of the task's attempt N as the agent got it, or of the latest attempt. Prompts are kept, redacted, as long as the raw logs: 30 days or 500 MB. `ralph context TASK` shows the next prompt.",
  examples: ["ralph prompt show t-3fa9c1", "ralph prompt show t-3fa9c1 2"],
  arguments: [
    { name: "<task>", description: "the task's id" },
    { name: "[n]", description: "the attempt's number" },
  ],
  run: inProject(async (session, project, { args }) => {
    const { id } = await requireTask(project.db, String(args["task"]));
    const wanted = args["n"] === undefined ? null : numberOf(String(args["n"]));
    const { attempt, prompt, sent } = await sentPrompt(project, id, wanted);
    if (prompt === undefined) {
      const isTried = sent > 0 || (await lastAttempt(project.db, id)) > 0;
      throw missing(id, attempt ?? wanted, isTried);
    }
    if (session.json) session.out(safeJson({ id, attempt, prompt }));
    else session.outFile(redactedText(prompt).trimEnd());
  }),
};

function numberOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw usageError(
    `invalid attempt ${JSON.stringify(text)}: expected a positive integer`,
    "run `ralph log TASK` to list the attempts",
  );
}

function missing(id: string, attempt: number | null, isTried: boolean): RalphError {
  const what = attempt === null ? `no prompt of ${id}` : `no prompt of ${id}, attempt ${attempt}`;
  const why = isTried ? "the attempt does not exist, or its logs were pruned" : "it was never attempted";
  return new RalphError("RALPH_PROMPT_MISSING", `${what}: ${why}`, {
    hint: `run \`ralph log ${id}\` to list the attempts, or \`ralph context ${id}\` to show the next prompt`,
  });
}
