import type { Sigil } from "../sigils/find-sigils.ts";
import type { MemorySigils, MemoryVerdict, NoteType, StatedLearning, StatedNote } from "./outcome.ts";

const noteTypes: ReadonlySet<string> = new Set<NoteType>(["learning", "stuck", "tip", "decision"]);
const checklistItem = /^[ \t]*[-*+] \[[ xX]\] +\S/;

/** Extracts the sigils for memory. A malformed sigil is skipped and does not affect the others. */
export function readMemorySigils(sigils: readonly Sigil[]): MemorySigils {
  const each = <T>(name: Sigil["name"], read: (sigil: Sigil) => T | null): readonly T[] =>
    sigils
      .filter((sigil) => sigil.name === name)
      .map(read)
      .filter((value) => value !== null);
  return {
    learnings: each("learning", readLearning),
    notes: each("note", readNote),
    verdicts: firstPerId(each("memory-used", readVerdict)),
    subtasks: each("subtasks", readChecklist)[0] ?? null,
    missingContext: each("missing-context", readText),
    wishedSkills: each("wished-skill", readText),
  };
}

/** Tags may be missing; a missing category is `other`, an unknown one is kept unchanged. */
function readLearning(sigil: Sigil): StatedLearning | null {
  const { category, tags = "", topic } = sigil.attributes;
  const text = readText(sigil);
  if (!text) return null;
  const tagList = tags.split(",").flatMap((tag) => tag.trim() || []);
  return {
    category: category?.trim() || "other",
    tags: [...new Set(tagList)],
    topic: topic?.trim() || tagList[0] || null,
    text,
  };
}

function readNote(sigil: Sigil): StatedNote | null {
  const { type } = sigil.attributes;
  const text = readText(sigil);
  return text && isNoteType(type) ? { type, text } : null;
}

function isNoteType(type: string | undefined): type is NoteType {
  return type !== undefined && noteTypes.has(type);
}

function readVerdict({ attributes }: Sigil): MemoryVerdict | null {
  const id = attributes["id"]?.trim();
  const verdict = attributes["verdict"];
  if (!id || (verdict !== "helpful" && verdict !== "harmful")) return null;
  return { id, helpful: verdict === "helpful" };
}

function firstPerId(verdicts: readonly MemoryVerdict[]): readonly MemoryVerdict[] {
  const first = new Map<string, MemoryVerdict>();
  for (const verdict of verdicts) if (!first.has(verdict.id)) first.set(verdict.id, verdict);
  return [...first.values()];
}

function readChecklist(sigil: Sigil): string | null {
  const text = sigil.body.replace(/^(?:[ \t\r]*\n)+/, "").trimEnd();
  return text.split("\n").some((line) => checklistItem.test(line)) ? text : null;
}

function readText(sigil: Sigil): string | null {
  return sigil.body.trim() || null;
}
