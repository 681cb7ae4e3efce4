import { type Node, printParseErrorCode, parseTree as readTree, visit } from "jsonc-parser";

/** A value in a JSON text: its offset, its length and its child nodes. */
export type JsonNode = Node;

/** A member of an object. */
export interface JsonMember {
  readonly key: JsonNode;
  readonly value: JsonNode;
}

/** The first error of a JSON text. */
export interface JsonFault {
  readonly offset: number;
  readonly problem: string;
}

/** jsonc-parser recurses once per level. No task list comes near this depth. */
const maxDepth = 100;
/** Signals wait while a text is read: half a second for so many values (TRUST-12). An entry has some ten. */
const maxValues = 200_000;

const strict = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

/** Stops the parser, which would otherwise recover from the error and continue. */
class FaultFound extends Error {
  readonly fault: JsonFault;
  constructor(fault: JsonFault) {
    super(fault.problem);
    this.fault = fault;
  }
}

/** Returns the first error of `text`, which may begin with a byte order mark. Nesting beyond `maxDepth`
 * and more than `maxValues` are errors. */
export function findJsonFault(text: string): JsonFault | undefined {
  let depth = 0;
  let values = 0;
  const count = (offset: number): void => {
    if (++values > maxValues) throw new FaultFound({ offset, problem: `more than ${maxValues} values` });
  };
  const enter = (offset: number): void => {
    count(offset);
    if (++depth > maxDepth)
      throw new FaultFound({ offset, problem: `nested deeper than ${maxDepth} levels` });
  };
  const leave = (): void => void depth--;
  try {
    visit(
      withoutMark(text),
      {
        onObjectBegin: enter,
        onArrayBegin: enter,
        onObjectEnd: leave,
        onArrayEnd: leave,
        onLiteralValue: (_value, offset) => count(offset),
        onError: (code, offset) => {
          throw new FaultFound({ offset, problem: wordsOf(printParseErrorCode(code)) });
        },
      },
      strict,
    );
    return undefined;
  } catch (error) {
    if (error instanceof FaultFound) return error.fault;
    throw error;
  }
}

/** `CloseBraceExpected` is `close brace expected`. */
function wordsOf(name: string): string {
  return name.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}

/** Returns the outermost value of a text without faults. */
export function parseTree(text: string): JsonNode {
  const root = readTree(withoutMark(text), [], strict);
  if (!root) throw new Error("no value in a JSON text that was checked before");
  return root;
}

/** Replaces a byte order mark by a space, which keeps the offsets. */
function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? ` ${text.slice(1)}` : text;
}

/** Returns the elements of an array; none for any other value. */
export function elementsOf(node: JsonNode): readonly JsonNode[] {
  return node.type === "array" ? (node.children ?? []) : [];
}

/** Returns the members of an object, repeated keys included; none for any other value. */
export function membersOf(node: JsonNode): readonly JsonMember[] {
  if (node.type !== "object") return [];
  return (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key && value ? [{ key, value }] : [],
  );
}

/** Returns the effective member `key`: the last one if the key is repeated, as `JSON.parse` does. */
export function memberOf(node: JsonNode, key: string): JsonMember | undefined {
  return membersOf(node).findLast((member) => member.key.value === key);
}

/** Returns the text of a value, as written. */
export function writtenText(text: string, { offset, length }: JsonNode): string {
  return text.slice(offset, offset + length);
}
