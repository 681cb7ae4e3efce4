import { runEditor } from "../../../agents/run-program.ts";
import { childEnvironment, readEnv } from "../../../config/environment.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { usageError } from "../../shell/usage-error.ts";
import { journalOptions, withJournal } from "./with-journal.ts";

/** `ralph journal edit`. */
export const edit: CommandSpec = {
  description:
    "Opens the journal in the editor that VISUAL or EDITOR names, and creates the journal if it is missing. Prompts of later iterations show what you write.",
  examples: ["ralph journal edit", 'EDITOR="code --wait" ralph journal edit'],
  options: journalOptions,
  run: (session, invocation) => {
    return withJournal(session, invocation, { writes: true }, async ({ journals, journal }) => {
      const [program, ...args] = (readEnv("VISUAL") || readEnv("EDITOR") || "").split(/\s+/).filter(Boolean);
      if (program === undefined) {
        throw usageError(
          "no editor: neither VISUAL nor EDITOR is set",
          `set EDITOR, or open ${journal.path}`,
        );
      }
      await journals.create(journal);
      const failure = await runEditor({
        argv: [program, ...args, journal.path],
        cwd: session.cwd,
        env: childEnvironment(),
      });
      if (failure !== null) {
        throw usageError(
          `the editor ${JSON.stringify(program)} failed: ${failure}`,
          `correct VISUAL or EDITOR, or open ${journal.path}`,
        );
      }
    });
  },
};
