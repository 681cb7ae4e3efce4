import { relative } from "node:path";
import { lookAt } from "../../../base/careful-files.ts";
import { RalphError } from "../../../base/errors.ts";
import { sha256 } from "../../../base/hash.ts";
import { safe } from "../../../base/safe-text.ts";
import { findProject } from "../../../config/find-project.ts";
import { exportedTemplate } from "../../../context/template.ts";
import { writeFileSafely } from "../../../trust/safe-file.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { preparePrivateFolder } from "../../project/private-folder.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { printResult } from "../../shell/io.ts";
import { projectApprovals } from "../../trust/approval.ts";
import { promptFilePath } from "../../trust/prompt-file.ts";

/** `ralph prompt export`: the built-in prompt as an editable `.ralph/prompt.md` (PROMPT-5). */
export const command: CommandSpec = {
  description:
    "Writes .ralph/prompt.md with a slot for each section of the prompt, in order. Write around the slots, move them or remove them; the task, its verification and how to finish stay in every prompt. Preview the result with `ralph context TASK`. Approve your changes with `ralph trust approve` before the next run. Delete the file to return to the built-in prompt.",
  examples: ["ralph prompt export", "ralph prompt export --stdout"],
  options: [
    { flags: "--force", description: "replace an existing template" },
    { flags: "--stdout", description: "print the template instead of writing it" },
  ],
  run: async (session, { options }) => {
    const text = exportedTemplate();
    if (options["stdout"] === true) {
      session.out(storedText(text.trimEnd()));
      return;
    }
    const root = findProject(session.cwd)?.root;
    if (root === undefined) {
      throw new RalphError("RALPH_PROJECT_MISSING", `no project at ${session.cwd}`, {
        hint: "run `ralph init`",
      });
    }
    const path = promptFilePath(root);
    const name = storedText(relative(session.cwd, path));
    if (options["force"] !== true && lookAt(path)) {
      throw new RalphError("RALPH_PROMPT_FILE", `${name} already exists`, {
        hint: "use --force to replace it",
      });
    }
    await preparePrivateFolder(root);
    await writeFileSafely(path, text, { root, mode: 0o644 });
    const approval = { kind: "prompt", sha256: sha256(text), what: path, place: "prompt template" } as const;
    await projectApprovals(root).approve([approval]);
    printResult(session, { path, written: true }, safe`wrote ${name}`);
    session.note("next: edit it, preview with `ralph context TASK`, then run `ralph trust approve`");
  },
};
