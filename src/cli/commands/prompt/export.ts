import { lstatSync } from "node:fs";
import { relative } from "node:path";
import { RalphError } from "../../../base/errors.ts";
import { sha256 } from "../../../base/hash.ts";
import { findProject } from "../../../config/find-project.ts";
import { exportedTemplate } from "../../../context/template.ts";
import { writeFileSafely } from "../../../trust/safe-file.ts";
import { projectApprovals } from "../../project/approval.ts";
import { preparePrivateFolder } from "../../project/private-folder.ts";
import { promptFilePath } from "../../project/prompt-file.ts";
import { refuseInsideRun } from "../../project/refuse-inside-run.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { jsonLine } from "../../shell/json-line.ts";

/** `ralph prompt export`: the built-in prompt as `.ralph/prompt.md`, for a person to change (PROMPT-5). */
export const exportCommand: CommandSpec = {
  name: "export",
  summary: "write the built-in prompt as a template to change",
  description:
    "Writes .ralph/prompt.md: a slot for each section of the prompt, in order. Write around the slots, move them, take them out; the task, how it is verified and how to finish stay in every prompt. ralph context TASK shows what comes of it. Remove the file to have the built-in prompt back. What you change needs your approval before the next run: ralph trust approve.",
  examples: ["ralph prompt export", "ralph prompt export --stdout"],
  options: [
    { flags: "--force", description: "replace the template that is there" },
    { flags: "--stdout", description: "print it, write nothing" },
  ],
  run: async (session, { options }) => {
    const text = exportedTemplate();
    if (options["stdout"] === true) {
      session.out(text.trimEnd());
      return 0;
    }
    refuseInsideRun("prompt export");
    const root = findProject(session.cwd)?.root;
    if (root === undefined) {
      throw new RalphError("RALPH_PROJECT_MISSING", `${session.cwd} is in no project`, {
        hint: "ralph init",
      });
    }
    const path = promptFilePath(root);
    const name = relative(session.cwd, path);
    if (options["force"] !== true && lstatSync(path, { throwIfNoEntry: false })) {
      throw new RalphError("RALPH_PROMPT_FILE", `${name} is there already`, { hint: "--force replaces it" });
    }
    await preparePrivateFolder(root);
    await writeFileSafely(path, text, { root, mode: 0o644 });
    await projectApprovals(root).approve([{ kind: "config", sha256: sha256(text), what: path }]);
    if (session.json) session.out(jsonLine({ path, written: true }));
    else session.out(`wrote ${name}`);
    session.note(
      "next: change it, look at what comes of it with ralph context TASK, then ralph trust approve",
    );
    return 0;
  },
};
