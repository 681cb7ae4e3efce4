import { type SafeText, safe } from "../base/safe-text.ts";
import { safeLine } from "../trust/safe-text.ts";
import type { Action, ViewModel } from "../view/model.ts";
import { itemsOf, type ViewInput } from "./frame.ts";

type Typed = Pick<ViewInput, "selected" | "isOpen" | "showsKeys" | "find" | "footer">;

/** The state that the keys of a live view left. */
export interface KeyState extends Typed {
  /** The text that is typed, and for what; null: keys are commands. */
  readonly typing: { readonly what: "find" | "message"; readonly text: string } | null;
}

/** A key as `node:readline` reports it. */
export interface Key {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
}

type KeyRequest =
  | { readonly kind: "act"; readonly action: Pick<Action, "name" | "id">; readonly text: string }
  | { readonly kind: "leave" | "interrupt" | "suspend" };

export const firstKeys: KeyState = {
  ...{ selected: 0, isOpen: false, showsKeys: false, find: safe``, footer: null, typing: null },
};

const run = (name: Action["name"]): KeyRequest => ({ kind: "act", action: { name, id: null }, text: "" });

/** Returns the state after a key, and its request. */
export function pressKey(
  state: KeyState,
  key: Key,
  model: ViewModel,
): { readonly state: KeyState; readonly request: KeyRequest | null } {
  if (key.ctrl && key.name === "c") return { state, request: { kind: "interrupt" } };
  if (key.ctrl && key.name === "z") return { state, request: { kind: "suspend" } };
  if (state.typing) return typeKey(state, state.typing, key);
  const next = { ...state, footer: null, showsKeys: false };
  const items = itemsOf(model, state.find);
  const last = Math.max(0, items.length - 1);
  const selected = Math.min(state.selected, last);
  const action = items[selected]?.action ?? null;
  const chosen = (wanted: boolean): KeyRequest | null =>
    action && wanted ? { kind: "act", action, text: "" } : null;
  const paused = model.run.state === "paused" || model.run.state === "pausing";
  switch (key.sequence === "S" || key.sequence === "?" || key.sequence === "/" ? key.sequence : key.name) {
    case "j":
    case "down":
      return { state: { ...next, selected: Math.min(last, selected + 1), isOpen: false }, request: null };
    case "k":
    case "up":
      return { state: { ...next, selected: Math.max(0, selected - 1), isOpen: false }, request: null };
    case "return":
      return { state: { ...next, selected, isOpen: !state.isOpen }, request: null };
    case "/":
      return { state: typed({ ...next, selected: 0 }, "find", ""), request: null };
    case "m":
      return { state: typed(next, "message", ""), request: null };
    case "?":
      return { state: { ...next, showsKeys: !state.showsKeys }, request: null };
    case "escape":
      return { state: { ...next, find: safe``, isOpen: false }, request: null };
    case "a":
      return { state: next, request: chosen(action?.name !== "forget") };
    case "f":
      return { state: next, request: chosen(action?.name === "forget") };
    case "p":
      return { state: next, request: run(paused ? "resume" : "pause") };
    case "S":
      return { state: next, request: run("stop") };
    case "q":
      return { state: next, request: { kind: "leave" } };
    default:
      return { state: next, request: null };
  }
}

const prompts: Readonly<Record<"find" | "message", SafeText>> = {
  find: safe`find: `,
  message: safe`message: `,
};

function typed(state: KeyState, what: "find" | "message", text: string): KeyState {
  const footer = safe`${prompts[what]}${safeLine(text, 200)}_  (enter ends, esc cancels)`;
  return {
    ...state,
    footer,
    typing: { what, text },
    ...(what === "find" ? { find: safeLine(text, 200) } : {}),
  };
}

function typeKey(
  state: KeyState,
  { what, text }: NonNullable<KeyState["typing"]>,
  { name, sequence = "" }: Key,
): { readonly state: KeyState; readonly request: KeyRequest | null } {
  const over = { ...state, typing: null, footer: null };
  if (name === "escape") return { state: what === "find" ? { ...over, find: safe`` } : over, request: null };
  if (name === "return") {
    const sends = what === "message" && text.trim() !== "";
    return {
      state: over,
      request: sends ? { kind: "act", action: { name: "message", id: null }, text } : null,
    };
  }
  if (name === "backspace")
    return { state: typed(state, what, [...text].slice(0, -1).join("")), request: null };
  const isText = sequence !== "" && !/\p{Cc}/u.test(sequence);
  return { state: isText ? typed(state, what, `${text}${sequence}`.slice(0, 2000)) : state, request: null };
}
