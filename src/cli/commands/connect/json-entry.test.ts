import fc from "fast-check";
import { parse } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { hunkOf, undoHunk } from "./connection.ts";
import { jsonEntry } from "./entry-format.ts";

const value = { command: "ralph", args: ["mcp", "--connected"] };
const format = jsonEntry("mcpServers", "ralph");

const entry = (indent: string, eol = "\n"): string =>
  JSON.stringify({ ralph: value }, null, indent).slice(1, -1).trimEnd().replaceAll("\n", `${eol}${indent}`);

const files: readonly (readonly [name: string, before: string, after: string])[] = [
  ["without the section", '{\n  "a": 1\n}\n', `{\n  "mcpServers": {${entry("  ")}\n  },\n  "a": 1\n}\n`],
  [
    "with comments, a trailing comma and tabs",
    '{\n\t// mine\n\t"mcpServers": {\n\t\t"other": {}, // keep this\n\t},\n}',
    `{\n\t// mine\n\t"mcpServers": {${entry("\t")},\n\t\t"other": {}, // keep this\n\t},\n}`,
  ],
  [
    "with a comment after the last property",
    '{\r\n    "a": 1 // keep this\r\n}',
    `{\r\n    "mcpServers": {${entry("    ", "\r\n")}\r\n    },\r\n    "a": 1 // keep this\r\n}`,
  ],
  [
    "on one line",
    '{ "mcpServers": { "other": {} } }',
    `{\n  "mcpServers": {${entry("  ")},\n    "other": {}\n  }\n}`,
  ],
];

describe("AGENT-8: an entry of a JSON file", () => {
  test.each(files)("is added to a file %s, whose comments stay, and removed again", (_, before, after) => {
    const edited = format.add(before, value);
    expect(edited).toBe(after);
    expect(format.read(after)).toEqual(value);
    expect(undoHunk(after, hunkOf(before, after))).toBe(before);
    expect(parse(format.remove(after))).toEqual({ ...parse(before), mcpServers: expect.anything() });
  });

  test.each(["", "\n", "{}", "{ }", "{\n}", "{\n  // nothing yet\n}\n", "\uFEFF{}\n", '{"mcpServers":{}}'])(
    "is added to the empty file %j",
    (before) => {
      const edited = format.add(before, value);
      expect(format.read(edited)).toEqual(value);
      expect(undoHunk(edited, hunkOf(before, edited))).toBe(before);
      for (const kept of before.match(/\uFEFF|\/\/.*/g) ?? []) expect(edited).toContain(kept);
    },
  );

  test.each([
    ['{ "a": 1', /line 1 is not valid JSON/],
    ["[]", /not a JSON object/],
    ['{ "mcpServers": [] }', /"mcpServers" is not an object/],
    ['{ "mcpServers": {}, "mcpServers": { "x": {} } }', /layout/],
  ])("is not added to %s", (text, why) => {
    expect(() => format.add(text, value)).toThrow(why);
  });

  test("whatever the file and its layout, every value stays and undoing gives the same bytes", () => {
    const spaces = fc.constantFrom<string | number>("", "\t", 1, 2, 4);
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.boolean(),
        spaces,
        fc.constantFrom("\n", "\r\n"),
        (others, servers, has, space, eol) => {
          fc.pre(!Object.keys({ ...others, ...servers }).includes("ralph"));
          const content = { ...others, ...(has ? { mcpServers: servers } : {}) };
          const before = JSON.stringify(content, null, space).replaceAll("\n", eol);
          fc.pre(has || !Object.hasOwn(others, "mcpServers"));
          const text = format.add(before, value);
          expect(parse(text)).toEqual({
            ...parse(before),
            mcpServers: { ...(has ? parse(before).mcpServers : {}), ralph: value },
          });
          expect(undoHunk(text, hunkOf(before, text))).toBe(before);
          expect(format.isWithout(text, format.remove(text))).toBe(true);
        },
      ),
    );
  });
});
