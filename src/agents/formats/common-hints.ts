import type { StreamReader } from "../port/session-stream.ts";

export const contextFullHint = "Split the task: the work did not fit into the model's context.";

/** The person's next step where it is the same for every program of the agent `command`. */
export const commonHints: StreamReader["hints"] = {
  credit: "Add credit or raise the spend limit at the agent's provider, then run ralph again.",
  unusable: "Check agents.command.argv: run the same command in a terminal to see what it rejects.",
  not_found: "Check the name of the model in agents.command.argv.",
  permission: "Allow it in the agent's own settings, or with an argument in agents.command.argv.",
  prompt_too_long:
    "Split the task, or shorten its description and --spec; name files instead of quoting them.",
  context_full: contextFullHint,
};
