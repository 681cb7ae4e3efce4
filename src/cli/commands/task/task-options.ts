import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { RalphError, systemCode } from "../../../base/errors.ts";
import { present } from "../../../base/json.ts";
import { typedCommand } from "../../../base/verify-command.ts";
import { priorityNames } from "../../../tasks/graph/task.ts";
import type { TaskChanges } from "../../../tasks/graph/task-fields.ts";
import type { Invocation, OptionSpec, Session } from "../../shell/command.ts";
import { optionalText, textOptions, usageError } from "../../shell/io.ts";
import { parsePriority } from "./describe-task.ts";

/** The options that `add` and `edit` share. */
export const taskOptions: readonly OptionSpec[] = [
  { flags: "-d, --description <text>", description: "instructions for the agent" },
  { flags: "--description-file <file>", description: "read the description from a file" },
  {
    flags: "-p, --priority <level>",
    description: "critical, high, medium, low or a number (0 runs first)",
    choices: priorityNames,
    isOpen: true,
  },
  { flags: "--parent <id>", description: "parent task" },
  {
    flags: "--tag <tag>",
    description: "a tag (repeatable)",
    multiple: true,
    whenBlank: "give a tag, or leave out --tag",
  },
  {
    flags: "--file <path>",
    description: "a file that the task concerns (repeatable)",
    multiple: true,
    whenBlank: "give a path, or leave out --file",
  },
  {
    flags: "--accept <criterion>",
    description: "an acceptance criterion (repeatable)",
    multiple: true,
    whenBlank: "give a criterion, or leave out --accept",
  },
  { flags: "--verify <command>", description: "command that must exit 0 (repeatable)", multiple: true },
  { flags: "--allow-no-change", description: "accept the task as done without any changes" },
  { flags: "--allow-red", description: "let the task begin while the verification fails" },
];

/** Returns the changes that these options describe.
 *
 * `withoutVerify` says how to have the project's verification instead of a command of the task's own.
 *
 * @throws RalphError `RALPH_USAGE`; `RALPH_TASK_FILE` when the description's file cannot be read */
export async function readTaskOptions(
  session: Session,
  options: Invocation["options"],
  withoutVerify: string,
): Promise<TaskChanges> {
  const priority = optionalText(options["priority"]);
  const list = (name: string): readonly string[] | undefined =>
    options[name] === undefined ? undefined : textOptions(options[name]);
  return present({
    description: await readDescription(session, options),
    priority: priority === undefined ? undefined : parsePriority(priority),
    parentId: optionalText(options["parent"]),
    tags: list("tag"),
    files: list("file"),
    acceptance: list("accept"),
    verification: list("verify")?.map((run) => typedCommand(run, withoutVerify)),
    allowNoChange: options["allowNoChange"] === true || undefined,
    allowRed: options["allowRed"] === true || undefined,
  });
}

async function readDescription(
  session: Session,
  options: Invocation["options"],
): Promise<string | undefined> {
  const text = optionalText(options["description"]);
  const file = optionalText(options["descriptionFile"]);
  if (file === undefined) return text;
  if (text !== undefined) {
    throw usageError("--description and --description-file cannot be combined", "use one of them");
  }
  return readFile(resolve(session.cwd, file), "utf8").catch((error: unknown) => {
    throw new RalphError(
      "RALPH_TASK_FILE",
      `cannot read --description-file ${file}: ${systemCode(error) ?? "unreadable"}`,
      { hint: "give a path relative to the current folder", cause: error },
    );
  });
}
