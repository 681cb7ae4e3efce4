import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Scalar,
  visit,
} from "yaml";
import { openTurns } from "./clock.ts";
import { RalphError } from "./errors.ts";
import { type LinePositions, linePositions } from "./yaml-positions.ts";
import { generalHint, splitHint, tooDeep, YamlRefusal } from "./yaml-refusal.ts";
import { yamlTokens } from "./yaml-tokens.ts";

/** A YAML value before interpretation: a scalar is its text as written (`007`, `1.10`, `yes`). */
export type YamlValue = string | null | readonly YamlValue[] | YamlObject;
export interface YamlObject {
  readonly [key: string]: YamlValue | undefined;
}
/** Keys and indexes from the top down to a value. */
export type YamlPath = readonly (string | number)[];

/** The position of a value: lines and columns from 1, offsets from 0 in UTF-16 units; `end` is after it. */
export interface YamlPlace {
  readonly line: number;
  readonly column: number;
  readonly start: number;
  readonly end: number;
  /** The position of its key, for a value in a mapping. */
  readonly key: { readonly start: number; readonly end: number } | undefined;
  /** Written with `{}` or `[]`. */
  readonly flow: boolean;
}

export interface ParsedYaml {
  /** For messages. */
  readonly file: string;
  readonly text: string;
  readonly value: YamlValue;
  readonly hasAliases: boolean;
  /** Returns the position of the value at `path`; `undefined` if there is none. */
  place(path: YamlPath): YamlPlace | undefined;
}

interface YamlLimits {
  /** The file's name for messages. */
  readonly file: string;
  readonly maxBytes?: number;
  /** Levels of nesting. */
  readonly maxDepth?: number;
}

const tenMiB = 10 * 1024 * 1024;
/** Far more than a person writes, far less than an alias bomb produces. */
const maxAliasedNodes = 10_000;
const hints: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: "Quote text that contains `: `.",
  TAB_AS_INDENT: "Indent with spaces.",
};

/**
 * Reads one YAML 1.2 document as texts, lists and mappings (without prototype). An empty value, `~` and `null` are
 * `null`; nothing else is interpreted: `yamlBoolean` and `yamlInteger` do that where the type is known.
 * Errors: RALPH_FILE_TOO_LARGE (bytes or values); RALPH_YAML_INVALID with file, line and column, also for a key given
 * twice, aliases that multiply, and more than `maxDepth` levels. Size and depth are checked before the text is composed:
 * the library recurses there, and deep nesting can abort the process without an exception.
 */
export function parseYaml(text: string, limits: YamlLimits): ParsedYaml {
  const steps = stepsOf(text, limits);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** As `parseYaml`, for a long text: signals and timers have their turn meanwhile (TRUST-12). */
export async function parseLongYaml(text: string, limits: YamlLimits): Promise<ParsedYaml> {
  const turn = openTurns();
  const steps = stepsOf(text, limits);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await turn();
  }
}

/** Yields where the reading may pause. The composer cannot: it takes a third of a second for the longest text. */
function* stepsOf(
  text: string,
  { file, maxBytes = tenMiB, maxDepth = 64 }: YamlLimits,
): Generator<undefined, ParsedYaml> {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) {
    const message = `${file} is too large: ${bytes} bytes, at most ${maxBytes} are allowed`;
    throw new RalphError("RALPH_FILE_TOO_LARGE", message, { hint: splitHint });
  }
  const position = linePositions(text);
  try {
    const document = compose(yield* yamlTokens(text, maxDepth), text.length);
    yield;
    const targets = aliasTargets(document);
    const value = read({ targets, maxDepth, aliasedNodes: 0 }, { node: document.contents, depth: 1 });
    const place = (path: YamlPath): YamlPlace | undefined => placeOf({ document, targets, position }, path);
    return { file, text, value, hasAliases: targets.size > 0, place };
  } catch (error) {
    if (!(error instanceof YamlRefusal)) throw error;
    const { line, column } = position(error.offset);
    const message = `${file}:${line}:${column}: ${error.message}`;
    throw new RalphError(error.code, message, { hint: error.hint });
  }
}

/** `true` and `false` (also `yes`, `no`, `on`, `off`, in any case); `undefined` for anything else. */
export function yamlBoolean(value: YamlValue | undefined): boolean | undefined {
  if (typeof value !== "string") return undefined;
  if (/^(true|yes|on)$/i.test(value)) return true;
  return /^(false|no|off)$/i.test(value) ? false : undefined;
}

/** An integer in decimal digits; `undefined` for anything else. */
export function yamlInteger(value: YamlValue | undefined): number | undefined {
  if (typeof value !== "string" || !/^[-+]?\d{1,15}$/.test(value)) return undefined;
  return Number(value);
}

export function isYamlObject(value: YamlValue | undefined): value is YamlObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns `file:line:column` of the value at `path`, or of its nearest existing ancestor. */
export function yamlPosition(yaml: ParsedYaml, path: YamlPath): string {
  for (let length = path.length; length >= 0; length--) {
    const place = yaml.place(path.slice(0, length));
    if (place) return `${yaml.file}:${place.line}:${place.column}`;
  }
  return yaml.file;
}

function compose(tokens: readonly CST.Token[], length: number): Document.Parsed {
  // Duplicate keys are found below: the library compares each key with all others of its mapping.
  const options = { prettyErrors: false, schema: "failsafe", uniqueKeys: false } as const;
  // The library creates an error for each fault in a text, and their stack traces take most of the time.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const documents = new Composer(options).compose(tokens, true, length);
    const document = documents.next().value;
    if (!document) throw new Error("the YAML composer returned no document");
    const [problem] = document.errors;
    if (problem) throw new YamlRefusal(problem.pos[0], problem.message, hints[problem.code] ?? generalHint);
    const second = documents.next().value;
    if (second)
      throw new YamlRefusal(second.range[0], "a second document begins", "Remove the `---` in the middle.");
    return document;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

interface ReadState {
  readonly targets: Targets;
  readonly maxDepth: number;
  aliasedNodes: number;
}

interface ReachedNode {
  readonly node: unknown;
  readonly depth: number;
  /** The offset of the outermost alias that led here. */
  readonly aliasAt?: number | undefined;
}

/** Converts the parser's node to a value; resolves aliases within bounds. */
function read(reading: ReadState, { node, depth, aliasAt }: ReachedNode): YamlValue {
  const at = aliasAt ?? startOf(node);
  if (depth > reading.maxDepth) throw tooDeep(at, reading.maxDepth);
  if (aliasAt !== undefined && ++reading.aliasedNodes > maxAliasedNodes) {
    throw new YamlRefusal(
      at,
      "its aliases multiply",
      `Let aliases expand to at most ${maxAliasedNodes} values in all.`,
    );
  }
  const below = (child: unknown, from = aliasAt): YamlValue =>
    read(reading, { node: child, depth: depth + 1, aliasAt: from });
  if (isAlias(node)) return below(targetOf(reading, node), at);
  if (isScalar(node)) return scalarValue(node);
  if (isSeq(node)) return node.items.map((item) => below(item));
  if (!isMap(node)) return null;
  const object: Record<string, YamlValue> = Object.create(null);
  for (const { key, value } of node.items) {
    const name = keyText(reading, key);
    if (name in object) {
      throw new YamlRefusal(startOf(key), `duplicate key ${JSON.stringify(name)}`, "Keep one of them.");
    }
    object[name] = below(value);
  }
  return object;
}

function targetOf({ targets }: ReadState, alias: Alias): Node {
  const target = targets.get(alias);
  if (target) return target;
  throw new YamlRefusal(
    startOf(alias),
    `unknown alias: no anchor &${alias.source} before it`,
    "Quote text that begins with `*`.",
  );
}

function keyText(reading: ReadState, key: unknown): string {
  const node = isAlias(key) ? targetOf(reading, key) : key;
  if (node === null) return "";
  if (isScalar(node)) return String(node.value);
  throw new YamlRefusal(startOf(key), "a key must be plain text", generalHint);
}

/** The target of each alias: the last node before it that has its anchor. */
type Targets = ReadonlyMap<unknown, Node>;

function aliasTargets(document: Document.Parsed): Targets {
  const anchored = new Map<string, Node>();
  const targets = new Map<unknown, Node>();
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node)) {
        const target = anchored.get(node.source);
        if (target) targets.set(node, target);
      } else if (node.anchor) {
        anchored.set(node.anchor, node);
      }
    },
  });
  return targets;
}

function scalarValue(node: Scalar): string | null {
  const text = String(node.value ?? "");
  const isNull = node.type === "PLAIN" && !node.tag && /^(~|null|Null|NULL)?$/.test(text);
  return isNull ? null : text;
}

function startOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0;
}

interface Places {
  readonly document: Document.Parsed;
  readonly targets: Targets;
  readonly position: LinePositions;
}

function placeOf({ document, targets, position }: Places, path: YamlPath): YamlPlace | undefined {
  let found: FoundNode = { node: document.contents, key: undefined };
  for (const step of path) {
    const holder = isAlias(found.node) ? targets.get(found.node) : found.node;
    found = childOf(holder, step);
  }
  const { node, key } = found;
  const range = (node as Node | null | undefined)?.range;
  if (!range) return undefined;
  const keyRange = (key as Node | undefined)?.range;
  return {
    ...position(range[0]),
    start: range[0],
    end: range[1],
    key: keyRange ? { start: keyRange[0], end: keyRange[1] } : undefined,
    flow: isCollection(node) && node.flow === true,
  };
}

interface FoundNode {
  readonly node: unknown;
  readonly key: unknown;
}

function childOf(holder: unknown, step: string | number): FoundNode {
  if (isSeq(holder) && typeof step === "number") return { node: holder.items[step], key: undefined };
  if (!isMap(holder)) return { node: undefined, key: undefined };
  const pair = holder.items.find((item) => isScalar(item.key) && item.key.value === step);
  return { node: pair && (pair.value ?? pair.key), key: pair?.key };
}
