import { type SafeText, safe } from "../base/safe-text.ts";
import type { Action, ActionName } from "./model.ts";

/** An action that a person asks for: its name, its object, and the text of a message or a changed learning. */
export interface Asked {
  readonly name: string;
  readonly id: string;
  readonly text: string;
}

/** The words after `ralph` of each action. A value follows `--`, or is in one word with its option. */
const words: Readonly<Record<ActionName, (asked: Asked) => readonly string[]>> = {
  pause: () => ["pause"],
  resume: () => ["resume"],
  stop: () => ["stop", "--no-wait"],
  retry: ({ id }) => ["task", "retry", "--", id],
  skip: ({ id }) => ["task", "skip", "--", id],
  message: ({ text }) => ["message", "--", text],
  approve: ({ id }) => ["memory", "approve", "--", id],
  forget: ({ id }) => ["memory", "remove", "--", id],
  restore: ({ id }) => ["memory", "restore", "--", id],
  edit: ({ id, text }) => ["memory", "edit", `--text=${text}`, "--", id],
};

const takesText: ReadonlySet<string> = new Set(["message", "edit"]);
const takesId: ReadonlySet<string> = new Set(["retry", "skip", "approve", "forget", "restore", "edit"]);

/** Returns the words of a command that a view may execute; undefined for anything else. */
export function wordsOf(asked: Asked): readonly string[] | undefined {
  const { name, id, text } = asked;
  if (!Object.hasOwn(words, name)) return undefined;
  if (takesId.has(name) && !/^[A-Za-z0-9][\w.:-]{0,99}$/.test(id)) return undefined;
  // `ralph message -` would read the standard input.
  if (takesText.has(name) && (text.trim() === "" || text.trim() === "-" || text.length > 10_000))
    return undefined;
  return words[name as ActionName](asked);
}

/** Returns an action on something, with the command that a person would type. */
export function actionOn(name: ActionName, id: SafeText | null = null): Action {
  const command: Readonly<Record<ActionName, SafeText>> = {
    pause: safe`ralph pause`,
    resume: safe`ralph resume`,
    stop: safe`ralph stop`,
    retry: safe`ralph task retry ${id ?? ""}`,
    skip: safe`ralph task skip ${id ?? ""}`,
    message: safe`ralph message "…"`,
    approve: safe`ralph memory approve ${id ?? ""}`,
    forget: safe`ralph memory remove ${id ?? ""}`,
    restore: safe`ralph memory restore ${id ?? ""}`,
    edit: safe`ralph memory edit ${id ?? ""} --text "…"`,
  };
  return { name, id, label: safe`${name}`, command: command[name] };
}
