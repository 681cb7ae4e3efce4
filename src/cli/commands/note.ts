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
  inProject,
  type OptionSpec,
  type Project,
  type Session,
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
  run: withNotes(async (notes, session, { args, options }) => {
    const note = await notes.add(typeOf(options) ?? "tip", String(args["text"] ?? ""));
    printResult(session, { success: true, note }, storedText(noteConfirmation(note)));
  }),
};

export const list: CommandSpec = {
  examples: ["ralph note list --type stuck", "ralph note list --name dates --json"],
  options: [
    { flags: "--type <type>", description: "only notes of this type", choices: noteTypeNames },
    ...sessionOptions,
  ],
  run: withNotes(async (actions, session, { options }) => {
    const notes = await actions.list(typeOf(options));
    if (session.json) session.out(storedJson({ session: actions.session, notes }));
    else if (notes.length === 0) session.out("No notes yet");
    else session.out(joinSafe(renderSessionNotes(notes, session.screen), "\n"));
  }),
};

function typeOf(options: Invocation["options"]): (typeof noteTypeNames)[number] | undefined {
  return noteTypeNames.find((name) => name === options["type"]);
}

function withNotes(
  work: (notes: NoteActions, session: Session, invocation: Invocation) => Promise<void>,
): CommandSpec["run"] {
  const opened = async (session: Session, { db, root }: Project, invocation: Invocation): Promise<void> => {
    const { iteration, clock } = session;
    const name = await currentSession(db, root, invocation.options);
    const notes = await openNoteActions({ db, session: name, iteration, now: () => clock.now() });
    await work(notes, session, invocation);
  };
  return inProject(opened, { create: true });
}
