import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineCounter } from "./json-source.ts";
import {
  elementsOf,
  findJsonFault,
  type JsonNode,
  memberOf,
  membersOf,
  parseTree,
  writtenText,
} from "./json-tree.ts";

const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

/** JSON text with white space in any place that may have it, and its value. */
function spaced(value: unknown, gaps: readonly string[]): string {
  let at = 0;
  const gap = (): string => gaps[at++ % gaps.length] ?? "";
  const write = (one: unknown): string => {
    if (Array.isArray(one)) return `[${gap()}${one.map((item) => write(item) + gap()).join(`,${gap()}`)}]`;
    if (typeof one !== "object" || one === null) return JSON.stringify(one);
    const members = Object.entries(one).map(
      ([key, item]) => `${JSON.stringify(key)}${gap()}:${gap()}${write(item)}${gap()}`,
    );
    return `{${gap()}${members.join(`,${gap()}`)}}`;
  };
  return `${gap()}${write(value)}${gap()}`;
}

test("every value of any JSON text has its offset and length", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(space, { minLength: 1, maxLength: 7 }), (value, gaps) => {
      const text = spaced(value, gaps);
      const check = (node: JsonNode, expected: unknown): void => {
        expect(JSON.parse(writtenText(text, node))).toEqual(expected);
        if (Array.isArray(expected)) {
          const elements = elementsOf(node);
          expect(elements).toHaveLength(expected.length);
          for (const [at, element] of elements.entries()) check(element, expected[at]);
        } else if (typeof expected === "object" && expected !== null) {
          for (const { key, value } of membersOf(node)) {
            check(value, Object.getOwnPropertyDescriptor(expected, key.value)?.value);
          }
        }
      };
      expect(findJsonFault(text)).toBeUndefined();
      check(parseTree(text), JSON.parse(text));
    }),
  );
});

test("the last of repeated keys counts, in any spelling; a byte order mark shifts no offset", () => {
  const text = '\uFEFF{"a": 1, "\\u0061": [2], "b": {"a": 3}}';
  expect(findJsonFault(text)).toBeUndefined();
  const found = memberOf(parseTree(text), "a");
  expect(found && writtenText(text, found.value)).toBe("[2]");
});

describe("hostile nesting is refused before the parser recurses into it", () => {
  test.each([
    ["unclosed lists", "[".repeat(1_000_000), 100],
    ["closed lists", "[".repeat(100_000) + "]".repeat(100_000), 100],
    ["objects", '{"a":'.repeat(100_000), 500],
    ["one level too deep", "[".repeat(101) + "]".repeat(101), 100],
  ])("%s", (_, text, offset) => {
    expect(findJsonFault(text)).toEqual({ offset, problem: "nested deeper than 100 levels" });
  });

  test("the limits themselves are accepted, one value more is not", () => {
    expect(findJsonFault("[".repeat(100) + "]".repeat(100))).toBeUndefined();
    expect(findJsonFault(`[${"[],".repeat(199_998)}7]`)).toBeUndefined();
    const problem = "more than 200000 values";
    expect(findJsonFault(`[${"[],".repeat(199_999)}7]`)).toEqual({ offset: 599_998, problem });
  });
});

describe("a fault has its offset", () => {
  test.each([
    ["", 0, "value expected"],
    ['{"a": }', 6, "value expected"],
    ['{"a" 1}', 5, "colon expected"],
    ['{"a": 1,}', 8, "property name expected"],
    ["[1, 2,]", 6, "value expected"],
    ["{'a': 1}", 1, "invalid symbol"],
    ["[1 2]", 3, "comma expected"],
    ["[1}", 2, "comma expected"],
    ["[1", 2, "close bracket expected"],
    ["[1] x", 4, "invalid symbol"],
    ["[1] 2", 4, "end of file expected"],
    ["[1] // x", 4, "invalid comment token"],
    ['["a\tb"]', 1, "invalid character"],
    ['["a\nb"]', 1, "unexpected end of string"],
    ['["\\x"]', 1, "invalid escape character"],
    ['["\\\\ \\u12"]', 1, "invalid unicode"],
    ['["abc', 1, "unexpected end of string"],
    ["[1, NaN]", 4, "invalid symbol"],
    ["[01]", 2, "comma expected"],
  ])("%j", (text, offset, problem) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(findJsonFault(text)).toMatchObject({ offset, problem: expect.stringContaining(problem) });
  });

  test("exactly the texts that JSON.parse refuses have one", () => {
    const pieces = fc.constantFrom(
      ...'{}[],:-. "\\\t\n/+eE0u',
      '"a"',
      "1",
      "true",
      "null",
      "//",
      "/*",
      "\\u00e9",
      "\u00a0",
      "\u2028",
      "\u000b",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 9 }), (parts) => {
        const text = parts.join("");
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(findJsonFault(text) === undefined).toBe(valid);
      }),
      { numRuns: 1000 },
    );
  });
});

test("TRUST-12: the lines of 20,000 places in a text of one line are found in one pass", () => {
  const lineAt = lineCounter(" ".repeat(2_000_000));
  const before = process.cpuUsage();
  for (let at = 0; at < 20_000; at++) lineAt(at);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(100);
});
