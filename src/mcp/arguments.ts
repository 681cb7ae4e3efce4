import * as z from "zod";
import { RalphError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { nearest } from "../base/nearest.ts";
import { clip } from "../base/text.ts";
import { safeLine } from "../trust/safe-text.ts";

/** The arguments of a tool by name. */
export type Inputs = z.ZodRawShape;

/** The checked arguments of a call; an absent one is undefined. */
export type Arguments<Shape extends Inputs> = z.output<z.ZodObject<Shape, z.core.$strict>>;

type OptionalInput<Value> = z.ZodOptional<z.ZodType<Value>>;

/** Far above what any tool keeps; a message of the protocol may have 10 MB. */
const maxChars = 100_000;
const maxTexts = 100;

/** A string that must be there and not be blank; surrounding blanks are removed. */
export function requiredText(about: string): z.ZodString {
  return limited(z.string({ error: "expected a string" }).trim().min(1, { error: missing })).describe(about);
}

export function text(about: string): OptionalInput<string> {
  return limited(z.string({ error: "expected a string" }))
    .optional()
    .describe(about);
}

/** A list of strings; a single string is a list of one. */
export function texts(about: string): OptionalInput<string[]> {
  const error = "expected a list of strings";
  const list = z
    .array(limited(z.string({ error })), { error })
    .max(maxTexts, { error: ({ input }) => `expected at most ${maxTexts} strings, got ${lengthOf(input)}` });
  return z
    .preprocess((given) => (typeof given === "string" ? [given] : given), list)
    .optional()
    .describe(about);
}

/** One of `values`. */
export function choice<const Value extends string>(
  values: readonly Value[],
  about: string,
): z.ZodType<Value> {
  return z.enum(values, { error: `expected one of ${values.join(", ")}` }).describe(about);
}

/** An integer from 1 to `max`. */
export function count(max: number, about: string): OptionalInput<number> {
  const error = `expected an integer from 1 to ${max}`;
  return z.int({ error }).min(1, { error }).max(max, { error }).optional().describe(about);
}

/** The arguments of a tool as a JSON Schema. */
export function schemaOf(inputs: Inputs): { readonly type: "object" } & Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(z.strictObject(inputs));
  return { ...schema, type: "object" };
}

/**
 * Returns the arguments of a call, checked; null counts as absent.
 *
 * @throws RalphError `RALPH_USAGE` that names the argument and what was expected.
 */
export function parseArguments<Shape extends Inputs>(inputs: Shape, given: unknown): Arguments<Shape> {
  if (given !== undefined && given !== null && !isObject(given)) {
    throw usageError("invalid arguments: expected an object");
  }
  const present = Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== null));
  const parsed = z.strictObject(inputs).safeParse(present);
  if (parsed.success) return parsed.data;
  throw errorOf(parsed.error, inputs, present);
}

const missing = "missing";

function limited(schema: z.ZodString): z.ZodString {
  return schema.refine(({ length }) => length <= maxChars, {
    error: ({ input }) => `expected at most ${maxChars} characters, got ${lengthOf(input)}`,
  });
}

function lengthOf(input: unknown): number {
  return typeof input === "string" || Array.isArray(input) ? input.length : 0;
}

/** Translates the issues. An unknown argument has priority: it may be a misspelt required one. */
function errorOf(
  { issues }: z.ZodError,
  inputs: Inputs,
  given: Readonly<Record<string, unknown>>,
): RalphError {
  for (const issue of issues)
    if (issue.code === "unrecognized_keys") return unknownArgument(issue.keys[0], inputs);
  const [issue] = issues;
  const name = String(issue?.path[0]);
  const value = given[name];
  const schema = inputs[name];
  const hint = `${name}: ${(schema instanceof z.ZodType && schema.description) || ""}`;
  if (value === undefined || issue?.message === missing)
    return usageError(`missing argument "${name}"`, hint);
  if (issue?.code !== "invalid_value") return usageError(`invalid "${name}": ${issue?.message}`, hint);
  const meant = typeof value === "string" ? nearest(value, issue.values.map(String)) : undefined;
  return usageError(
    `invalid "${name}" ${quoted(value)}: ${issue.message}`,
    meant === undefined ? hint : `did you mean ${JSON.stringify(meant)}?`,
  );
}

function unknownArgument(name: string | undefined, inputs: Inputs): RalphError {
  const known = Object.keys(inputs);
  const meant = name === undefined ? undefined : nearest(name, known);
  const hint = meant === undefined ? `use one of ${known.join(", ")}` : `did you mean "${meant}"?`;
  return usageError(`unknown argument ${quoted(name)}`, hint);
}

/** `value` as short JSON; redacted before the cut, which could leave a secret's unrecognizable start. */
function quoted(value: unknown): string {
  return safeLine(clip(JSON.stringify(value) ?? "", 2000), 100);
}

function usageError(message: string, hint?: string): RalphError {
  return new RalphError("RALPH_USAGE", message, hint === undefined ? {} : { hint });
}
