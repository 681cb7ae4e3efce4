import { safe } from "../../../base/safe-text.ts";
import { safeJson, safeText } from "../../../trust/safe-text.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { usageError } from "../../shell/usage-error.ts";
import { journalOptions, withJournal } from "./with-journal.ts";

/** `ralph journal clear`. */
export const clear: CommandSpec = {
  description: "Permanently deletes what the journal of a change contains, except the guiding comment.",
  examples: ["ralph journal clear", "ralph journal clear --change add-login --yes"],
  options: [...journalOptions, { flags: "--yes", description: "do not ask for confirmation" }],
  run: (session, invocation) => {
    return withJournal(session, invocation, { writes: true }, async ({ journals, journal }) => {
      const { change, path } = journal;
      const read = journals.read(journal, 0);
      if (read === null) {
        if (session.json) session.out(safeJson({ success: true, change, path, cleared: false }));
        else session.out(safe`nothing to clear: ${safeText(path)} does not exist`);
        return;
      }
      const question = safe`Permanently delete the journal of ${safeText(change)} (${read.bytes} bytes)?`;
      if (invocation.options["yes"] !== true && !(await session.confirm(question, false))) {
        throw usageError(
          "the journal was not cleared: not confirmed",
          "use --yes to clear it without confirmation",
        );
      }
      await journals.reset(journal);
      if (session.json) session.out(safeJson({ success: true, change, path, cleared: true }));
      else session.out(safe`cleared ${safeText(path)}`);
    });
  },
};
