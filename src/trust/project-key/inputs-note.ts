import { randomBytes } from "node:crypto";
import { isObject, type JsonObject, parseJson } from "../../base/json.ts";

/** The changes to what verification reads that nobody accepted, as a file outside the project notes them. */
export interface InputsNote {
  readonly changes: readonly JsonObject[];
  /** Its seal; null: it has none of ralph's. */
  readonly mark: string | null;
  /** The way in which another program than ralph dealt with the file; null: it is as ralph left it. */
  readonly fault: "changed" | "removed" | null;
}

type SealText = (text: string) => string | null;

/**
 * Returns the text of a note with its seal. `follows` is the seal of the note before it: a store that still names that one, as after
 * a kill, fits this one too.
 */
export function sealedNote(
  changes: readonly JsonObject[],
  follows: string | null,
  seal: SealText,
): { readonly note: JsonObject; readonly mark: string | null } {
  // Two equal notes differ, so that an earlier one cannot take the place of a later one.
  const note = { changes, follows, nonce: randomBytes(9).toString("base64url") };
  const mark = seal(textToSeal(note));
  return { note: { ...note, seal: mark }, mark };
}

/** Reads the text of a file; null: there is none. `mark` is the seal of the note that the store names; null: none. */
export function readNote(text: string | null, mark: string | null, seal: SealText): InputsNote {
  if (text === null) return { changes: [], mark: null, fault: mark === null ? null : "removed" };
  const value = parseJson(text);
  const { changes, follows = null, nonce = null, seal: code } = isObject(value) ? value : {};
  const stated = Array.isArray(changes) ? changes.filter(isObject) : [];
  const isSealed = typeof code === "string" && code === seal(textToSeal({ changes: stated, follows, nonce }));
  // Versions before seals wrote the changes alone, and the store named no note.
  const isOlder = mark === null && isObject(value) && Object.keys(value).join() === "changes";
  if (isOlder) return { changes: stated, mark: null, fault: null };
  const isLast = mark === null || mark === code || mark === follows;
  return { changes: stated, mark: isSealed ? code : null, fault: isSealed && isLast ? null : "changed" };
}

function textToSeal({ changes, follows, nonce }: JsonObject): string {
  return JSON.stringify(["changed inputs", follows, nonce, changes]);
}
