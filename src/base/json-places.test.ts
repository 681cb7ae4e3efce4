import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonFault } from "./json-fault.ts";
import { jsonElements, jsonMember, jsonMembers, jsonRoot } from "./json-places.ts";

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

test("every value of any JSON text is found where it stands", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(space, { minLength: 1, maxLength: 7 }), (value, gaps) => {
      const text = spaced(value, gaps);
      const check = (place: { start: number; end: number }, expected: unknown): void => {
        expect(JSON.parse(text.slice(place.start, place.end))).toEqual(expected);
        if (Array.isArray(expected)) {
          const elements = jsonElements(text, place);
          expect(elements).toHaveLength(expected.length);
          for (const [at, element] of elements.entries()) check(element, expected[at]);
        } else if (typeof expected === "object" && expected !== null) {
          for (const member of jsonMembers(text, place)) {
            check(member, Object.getOwnPropertyDescriptor(expected, member.key)?.value);
          }
        }
      };
      const parsed = JSON.parse(text);
      check(jsonRoot(text), parsed);
      expect(jsonFault(text)).toBeUndefined();
    }),
  );
});

test("of repeated keys the last counts, however it is written", () => {
  const text = '{"a": 1, "\\u0061": [2], "b": {"a": 3}}';
  const found = jsonMember(text, jsonRoot(text), "a");
  expect(text.slice(found?.start, found?.end)).toBe("[2]");
});

test("a million brackets are no deeper than ten", () => {
  const text = `[${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}, 7]`;
  const elements = jsonElements(text, jsonRoot(text));
  expect(elements).toHaveLength(2);
  expect(jsonFault("[".repeat(1_000_000))?.offset).toBe(1_000_000);
});

describe("a fault is told where it is", () => {
  test.each([
    ["", 0, "a value"],
    ['{"a": }', 6, "a value"],
    ['{"a" 1}', 5, "a colon"],
    ['{"a": 1,}', 8, "a key in double quotes"],
    ["[1, 2,]", 6, "a value"],
    ["{'a': 1}", 1, "a key in double quotes or }"],
    ["[1 2]", 3, "a comma or the closing bracket"],
    ["[1}", 2, "a comma or the closing bracket"],
    ["[1] x", 4, "nothing more"],
    ['["a\nb"]', 3, "an escape such as \\n"],
    ['["\\x"]', 2, "an escape that JSON has"],
    ['["abc', 5, "a closing quote"],
    ["[1, NaN]", 4, "a value"],
    ["[01]", 2, "a comma"],
  ])("%j", (text, offset, expected) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(jsonFault(text)).toMatchObject({ offset, expected: expect.stringContaining(expected) });
  });

  test("it says so of exactly the texts that are no JSON", () => {
    const pieces = fc.constantFrom("{", "}", "[", "]", ",", ":", '"a"', "1", "-", "true", " ", '"', "\\");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 9 }), (parts) => {
        const text = parts.join("");
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(jsonFault(text) === undefined).toBe(valid);
      }),
      { numRuns: 2000 },
    );
  });
});
