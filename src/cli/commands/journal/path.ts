import { safeJson, safeText } from "../../../trust/safe-text.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { journalOptions, withJournal } from "./with-journal.ts";

/** `ralph journal path`. */
export const path: CommandSpec = {
  description:
    "Prints the path of the journal that the agents of a change write. It is the journal of the OpenSpec change of the current or next task; without OpenSpec, there is one journal for all tasks.",
  examples: ["ralph journal path", "ralph journal path --change add-login"],
  options: journalOptions,
  run: (session, invocation) =>
    withJournal(session, invocation, { writes: false }, async ({ journals, journal }) => {
      if (!session.json) {
        session.out(safeText(journal.path));
        return;
      }
      const { change, path: file } = journal;
      session.out(safeJson({ change, path: file, bytes: journals.read(journal, 0)?.bytes ?? null }));
    }),
};
