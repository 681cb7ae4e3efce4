import { noteConfirmation, noteTypeNames } from "../../../memory/note-actions.ts";
import { storedText } from "../../../trust/stored-text.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { printResult } from "../../shell/print-result.ts";
import { sessionOptions, typeOption } from "./options.ts";
import { withNotes } from "./with-notes.ts";

/** `ralph note add`. */
export const add: CommandSpec = {
  description:
    "Adds a note to the session; the prompts of its later iterations show it. Notes cannot be edited; `ralph memory purge --run` deletes those of a run.",
  examples: ['ralph note add "The API allows 100 requests per minute" --type stuck'],
  arguments: [{ name: "<text>", description: "the note" }],
  options: [
    {
      flags: "--type <type>",
      description: `${noteTypeNames.join(", ")} (default: tip)`,
      choices: noteTypeNames,
    },
    ...sessionOptions,
  ],
  run: async (session, invocation) => {
    const type = typeOption(invocation.options["type"]) ?? "tip";
    const text = String(invocation.args["text"] ?? "");
    return withNotes(session, invocation, async (notes) => {
      const note = await notes.add(type, text);
      printResult(session, { success: true, note }, storedText(noteConfirmation(note)));
    });
  },
};
