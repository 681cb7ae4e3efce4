import { safe } from "../../../base/safe-text.ts";
import { safeJson, safeText } from "../../../trust/safe-text.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { journalOptions, withJournal } from "./with-journal.ts";

/** `ralph journal show`. */
export const show: CommandSpec = {
  description: "Prints the journal, with secrets redacted; of a very long one, its end.",
  examples: ["ralph journal show", "ralph journal show --change add-login"],
  options: journalOptions,
  run: (session, invocation) =>
    withJournal(session, invocation, { writes: false }, async ({ journals, journal }) => {
      const { change, path } = journal;
      const read = journals.read(journal);
      if (session.json) session.out(safeJson({ change, path, text: read?.text ?? null }));
      else if (read) session.out(safeText(read.text.trimEnd()));
      if (read && !read.isWhole)
        session.note(safe`only the end is shown: ${safeText(path)} has ${read.bytes} bytes`);
      if (read || session.json) return;
      session.note(safe`no journal yet: the next run creates ${safeText(path)}`);
    }),
};
