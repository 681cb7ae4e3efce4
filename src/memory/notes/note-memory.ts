import { safe } from "../../base/safe-text.ts";
import type { Reader } from "../../store/port/db.ts";
import { safeText } from "../../trust/safe-text.ts";
import { counted } from "../port/kind-commands.ts";
import type { KindSetup, MemoryKind, OpenedKind, Recalled, RecallRequest } from "../port/memory-kind.ts";
import { countNotes } from "./count-notes.ts";
import instructions from "./instructions.md";
import {
  countNotesOfRun,
  eraseNotes,
  insertNote,
  newestNotes,
  numberIteration,
  sessionIteration,
} from "./note-store.ts";
import { notesLeftOut, renderNotes } from "./render-notes.ts";

/** More than any budget shows. */
const readAtMost = 300;
const maxPerAttempt = 20;
/** So many notes of a person stay in the prompt, however many agents add. */
const keptOfPerson = 3;

/** Notes that one iteration leaves for later iterations of its named session (NOTE-1 to NOTE-5). */
export const noteKind: MemoryKind = {
  name: "notes",
  open: openNotes,
  purge: {
    label: "note",
    toJson: ({ count }) => ({ notes: count }),
    plan: async (q, { runId }) => counted(runId === null ? 0 : await countNotesOfRun(q, runId)),
    erase: async (tx, _, { runId }) => counted(runId === null ? 0 : await eraseNotes(tx, runId)),
  },
  report: async (q, runId) => {
    const count = await countNotesOfRun(q, runId);
    return { captured: count > 0 ? [{ what: "note", count }] : [], helped: [] };
  },
};

function openNotes({ session }: KindSetup): OpenedKind {
  return {
    name: "notes",
    instructions,
    capture: async (tx, { outcome }, now) => {
      const { runId, iterationId } = outcome;
      const notes = outcome.claims.memory.notes.slice(0, maxPerAttempt);
      if (notes.length === 0) return;
      const place = await sessionIteration(tx, iterationId);
      for (const { type, text } of notes) {
        const where = { session: place?.session ?? session, iteration: place?.number ?? 0 };
        await insertNote(tx, { ...where, type, text: safeText(text), runId, iterationId }, now);
      }
    },
    recall: (db, request) => recallNotes(db, request, session),
    recordShown: (tx, { iterationId }) => numberIteration(tx, { iterationId, session }),
  };
}

/** A prompt is built before its iteration has a number, so every stored note is from an earlier iteration. */
async function recallNotes(db: Reader, _: RecallRequest, session: string): Promise<readonly Recalled[]> {
  const newest = await newestNotes(db, { session, limit: readAtMost });
  if (newest.length === 0) return [];
  const kept = await newestNotes(db, { session, byPerson: true, limit: keptOfPerson });
  const ids = new Set(kept.map(({ id }) => id));
  const notes = [...newest.filter(({ id }) => !ids.has(id)), ...kept];
  const all = { notes, total: await countNotes(db, session) };
  const text = renderNotes(all, Number.POSITIVE_INFINITY);
  const item = {
    ...{ id: "notes", text, short: safe``, score: 1, reason: `notes of session ${session}` },
    fit: (room: number) => renderNotes(all, room),
    leftOut: (room: number) => notesLeftOut(all, room),
  };
  const heading = safe`## Notes from Previous Iterations`;
  return [
    { section: "notes", heading, lead: safe``, items: [item], isFenced: true, tail: safe``, drop: "last" },
  ];
}
