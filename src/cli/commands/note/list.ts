import { joinSafe } from "../../../base/safe-text.ts";
import { noteTypeNames } from "../../../memory/note-actions.ts";
import { storedJson } from "../../../trust/stored-text.ts";
import { renderSessionNotes } from "../../run/render-session.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { sessionOptions, typeOption } from "./options.ts";
import { withNotes } from "./with-notes.ts";

/** `ralph note list`. */
export const list: CommandSpec = {
  examples: ["ralph note list --type stuck", "ralph note list --name dates --json"],
  options: [
    { flags: "--type <type>", description: "only notes of this type", choices: noteTypeNames },
    ...sessionOptions,
  ],
  run: async (session, invocation) => {
    const type = typeOption(invocation.options["type"]);
    return withNotes(session, invocation, async (actions) => {
      const notes = await actions.list(type);
      if (session.json) session.out(storedJson({ session: actions.session, notes }));
      else if (notes.length === 0) session.out("No notes yet");
      else session.out(joinSafe(renderSessionNotes(notes, session.screen), "\n"));
    });
  },
};
