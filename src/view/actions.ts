import { type SafeText, safe } from "../base/safe-text.ts";
import type { Action, ActionName } from "./model.ts";

/** An action that a person asks for: its name, its object, and the text of a message or a changed learning. */
export interface Asked {
  readonly name: string;
  readonly id: string;
  readonly text: string;
}

interface Command {
  readonly words: SafeText;
  readonly takes: "nothing" | "id" | "text" | "id and text";
}

const commands: Readonly<Record<ActionName, Command>> = {
  pause: { words: safe`pause`, takes: "nothing" },
  resume: { words: safe`resume`, takes: "nothing" },
  stop: { words: safe`stop`, takes: "nothing" },
  message: { words: safe`message`, takes: "text" },
  retry: { words: safe`task retry`, takes: "id" },
  approve: { words: safe`memory approve`, takes: "id" },
  forget: { words: safe`memory remove`, takes: "id" },
  restore: { words: safe`memory restore`, takes: "id" },
  edit: { words: safe`memory edit`, takes: "id and text" },
};

/** Returns the words of a command that a view may execute; undefined for anything else. */
export function wordsOf({ name, id, text }: Asked): readonly string[] | undefined {
  if (!Object.hasOwn(commands, name)) return undefined;
  const { words, takes } = commands[name as ActionName];
  if (takes.startsWith("id") && !/^[A-Za-z0-9][\w.:-]{0,99}$/.test(id)) return undefined;
  // `ralph message -` would read the standard input.
  if (takes.endsWith("text") && (text.trim() === "" || text.trim() === "-" || text.length > 10_000))
    return undefined;
  // A value follows `--`, or is in one word with its option.
  const values = takes === "text" ? ["--", text] : takes === "nothing" ? [] : ["--", id];
  const edit = takes === "id and text" ? [`--text=${text}`] : [];
  return [...words.split(" "), ...(name === "stop" ? ["--no-wait"] : []), ...edit, ...values];
}

/** Returns an action on something, with the command that a person would type. */
export function actionOn(name: ActionName, id: SafeText | null = null): Action {
  const { words, takes } = commands[name];
  const text = takes === "text" ? safe` "…"` : takes === "id and text" ? safe` --text "…"` : safe``;
  return { name, id, command: safe`ralph ${words}${id === null ? "" : safe` ${id}`}${text}` };
}
