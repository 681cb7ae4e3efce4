import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { Permission } from "../../base/shared-settings.ts";
import { text } from "../formats/json-events.ts";

/** A setting of a session that the agent offers: its mode, its model, its effort. */
interface SessionChoice {
  readonly values: readonly string[];
  readonly current: string | null;
  readonly takesUnlisted: boolean;
  /** Returns the call that sets it. */
  readonly set: (value: string) => readonly [method: string, params: JsonObject];
}

type Category = "mode" | "model" | "thought_level";

const older: Readonly<Record<string, { list: string; id: string; current: string; method: string }>> = {
  mode: { list: "availableModes", id: "id", current: "currentModeId", method: "session/set_mode" },
  model: { list: "availableModels", id: "modelId", current: "currentModelId", method: "session/set_model" },
};

/** Reads one setting from the answer to `session/new`: a configuration option, or its own field as older agents have it. */
export function choiceOf(created: JsonObject, category: Category): SessionChoice | null {
  const options = objects(created["configOptions"]);
  const option = options.find((one) => (one["category"] ?? one["id"]) === category);
  const configId = option?.["id"];
  if (option && typeof configId === "string") {
    const values = objects(option["options"]).flatMap((one) =>
      Array.isArray(one["options"]) ? objects(one["options"]) : [one],
    );
    return {
      values: texts(values.map((one) => one["value"])),
      current: text(option["currentValue"]),
      takesUnlisted: false,
      set: (value) => ["session/set_config_option", { configId, value }],
    };
  }
  const names = older[category];
  const state = created[`${category}s`];
  if (!names || !isObject(state)) return null;
  return {
    values: texts(objects(state[names.list]).map((one) => one[names.id])),
    current: text(state[names.current]),
    takesUnlisted: category === "model",
    set: (value) => [names.method, { [names.id === "id" ? "modeId" : names.id]: value }],
  };
}

/** Modes by what they are called, in lower case without signs; the first that an agent offers is taken. */
const modes: Readonly<Record<Permission, readonly string[]>> = {
  plan: ["plan", "readonly", "architect", "chat"],
  ask: [],
  // In these an agent asks before it runs a command. `auto` is last: some agents mean by it that they ask nothing.
  edit: ["acceptedits", "autoedit", "approve", "default", "build", "agent", "code", "auto"],
  shell: ["acceptedits", "autoedit", "approve", "default", "build", "agent", "code", "auto"],
  bypass: ["bypasspermissions", "yolo", "fullaccess", "autopilot", "auto"],
};

/** Returns the offered mode of a level; null: the agent's own is left as it is. */
export function modeFor(level: Permission, { values }: Pick<SessionChoice, "values">): string | null {
  const plain = (value: string): string =>
    (value.split("#").at(-1) ?? value).toLowerCase().replace(/[^a-z]/g, "");
  const found = modes[level].map((name) => values.find((value) => plain(value) === name));
  return found.find((value) => value !== undefined) ?? null;
}

/** Returns the offered value that is called `name`, or whose last part is: `sonnet` for `anthropic/sonnet`. */
export function valueFor(name: string, { values }: Pick<SessionChoice, "values">): string | null {
  const ends = values.filter((value) => value.endsWith(`/${name}`));
  return values.find((value) => value === name) ?? (ends.length === 1 ? (ends[0] ?? null) : null);
}

const objects = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
const texts = (values: readonly (JsonValue | undefined)[]): readonly string[] =>
  values.filter((value): value is string => typeof value === "string");
