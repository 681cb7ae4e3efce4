import { joinSafe } from "../../base/safe-text.ts";
import {
  type NoteActions,
  noteConfirmation,
  noteTypeNames,
  openNoteActions,
} from "../../memory/note-actions.ts";
import { storedJson, storedText } from "../../trust/stored-text.ts";
import { currentSession } from "../project/session-name.ts";
import { renderSessionNotes } from "../run/session-notes.ts";
import {
  type CommandSpec,
  type Invocation,
  type OptionSpec,
  type Session,
  withProject,
} from "../shell/command.ts";
import { printResult } from "../shell/io.ts";

const sessionOptions: readonly OptionSpec[] = [
  {
    flags: "--name <session>",
    description: "the session (default: that of the active run, else the current branch)",
    whenBlank: "give a name, or leave out --name",
  },
  { flags: "--spec <file>", description: "the session of `ralph run --spec <file>`" },
];

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
    const type = noteTypeNames.find((name) => name === invocation.options["type"]) ?? "tip";
    const text = String(invocation.args["text"] ?? "");
    return withNotes(session, invocation, async (notes) => {
      const note = await notes.add(type, text);
      printResult(session, { success: true, note }, storedText(noteConfirmation(note)));
    });
  },
};

export const list: CommandSpec = {
  examples: ["ralph note list --type stuck", "ralph note list --name dates --json"],
  options: [
    { flags: "--type <type>", description: "only notes of this type", choices: noteTypeNames },
    ...sessionOptions,
  ],
  run: async (session, invocation) => {
    const type = noteTypeNames.find((name) => name === invocation.options["type"]);
    return withNotes(session, invocation, async (actions) => {
      const notes = await actions.list(type);
      if (session.json) session.out(storedJson({ session: actions.session, notes }));
      else if (notes.length === 0) session.out("No notes yet");
      else session.out(joinSafe(renderSessionNotes(notes, session.screen), "\n"));
    });
  },
};

/** Opens the project and the notes of its session for `work`, and closes it afterwards. */
async function withNotes(
  session: Session,
  { options }: Pick<Invocation, "options">,
  work: (notes: NoteActions) => Promise<void>,
): Promise<void> {
  return withProject(session, { create: true }, async (project) => {
    const { db, root } = project;
    const name = await currentSession(db, root, options);
    const { iteration } = session;
    await work(await openNoteActions({ db, session: name, iteration, now: () => session.clock.now() }));
  });
}
