import { RalphError } from "../../base/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { nearest } from "../../base/nearest.ts";
import { clip } from "../../base/text.ts";

/** One argument of a tool. */
interface Input {
  /** `texts`: a list of them; one alone is a list of one. */
  readonly type: "text" | "texts" | "number";
  readonly about: string;
  readonly required?: true;
  /** The only texts that it can be. */
  readonly choices?: readonly string[];
  /** Of a number, which is at least 1. */
  readonly most?: number;
}
export type Inputs = Readonly<Record<string, Input>>;

/** The checked arguments of a call. */
export interface Given {
  /** "" where it was left out. */
  text(name: string): string;
  optional(name: string): string | undefined;
  texts(name: string): readonly string[];
  number(name: string, otherwise: number): number;
}

/** Far above what any tool keeps; a message of the protocol may have 10 MB. */
const mostChars = 100_000;
const mostTexts = 100;

/** The arguments of a tool as a JSON Schema. */
export function schemaOf(inputs: Inputs): { readonly type: "object" } & JsonObject {
  const names = Object.keys(inputs);
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, propertyOf(inputs[name] as Input)])),
    required: names.filter((name) => inputs[name]?.required),
    additionalProperties: false,
  };
}

function propertyOf({ type, about, choices, most }: Input): JsonObject {
  const description = about;
  if (type === "texts") return { type: "array", items: { type: "string" }, description };
  if (type === "number") return { type: "integer", minimum: 1, maximum: most ?? null, description };
  return { type: "string", ...(choices ? { enum: [...choices] } : {}), description };
}

/**
 * What a call gave, checked against what its tool takes.
 *
 * @throws RalphError `RALPH_USAGE` that names the argument, says what it must be, and what was meant.
 */
export function checkArguments(inputs: Inputs, given: unknown): Given {
  const all = objectOf(given);
  for (const [name, value] of Object.entries(all)) {
    const input = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    if (!input) throw unknown(name, Object.keys(inputs));
    if (value !== null) checks[input.type](name, input, value);
  }
  for (const [name, { required, about }] of Object.entries(inputs)) {
    if (required && isEmpty(all[name])) throw wrong(`"${name}" is missing`, `${name}: ${about}`);
  }
  const optional = (name: string): string | undefined => {
    const value = all[name];
    return typeof value === "string" ? value : undefined;
  };
  return {
    text: (name) => optional(name) ?? "",
    optional,
    texts: (name) => listOf(all[name]).filter((one) => typeof one === "string"),
    number: (name, otherwise) => {
      const value = all[name];
      return typeof value === "number" ? value : otherwise;
    },
  };
}

function objectOf(given: unknown): JsonObject {
  if (given === undefined || given === null) return {};
  if (isObject(given)) return given;
  throw wrong("the arguments are no object");
}

function isEmpty(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

type Check = (name: string, input: Input, value: JsonValue | undefined) => void;

const checks: Readonly<Record<Input["type"], Check>> = {
  number: (name, { about, most = Number.MAX_SAFE_INTEGER }, value) => {
    const fits = typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most;
    if (!fits) throw wrong(`"${name}" is no whole number from 1 to ${most}`, `${name}: ${about}`);
  },
  text: (name, { about, choices }, value) => {
    if (typeof value !== "string") throw wrong(`"${name}" is no text`, `${name}: ${about}`);
    checkLength(name, value);
    if (!choices || choices.includes(value)) return;
    const meant = nearest(value, choices);
    throw wrong(
      `"${name}" cannot be ${JSON.stringify(clip(value, 100))}`,
      meant ? `did you mean ${JSON.stringify(meant)}?` : `one of ${choices.join(", ")}`,
    );
  },
  texts: (name, { about }, value) => {
    const list = listOf(value);
    if (list.length > mostTexts) throw wrong(`"${name}" has ${list.length} texts; at most ${mostTexts} fit`);
    for (const one of list) {
      if (typeof one !== "string") throw wrong(`"${name}" is no list of texts`, `${name}: ${about}`);
      checkLength(name, one);
    }
  },
};

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function checkLength(name: string, { length }: string): void {
  if (length > mostChars) throw wrong(`"${name}" has ${length} characters; at most ${mostChars} fit`);
}

function unknown(name: string, names: readonly string[]): RalphError {
  const meant = nearest(name, names);
  const known = `it takes ${names.join(", ") || "nothing"}`;
  return wrong(
    `there is no argument ${JSON.stringify(clip(name, 100))}`,
    meant ? `did you mean "${meant}"?` : known,
  );
}

function wrong(message: string, hint?: string): RalphError {
  return new RalphError("RALPH_USAGE", message, hint === undefined ? {} : { hint });
}
