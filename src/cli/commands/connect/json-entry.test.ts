import fc from "fast-check";
import { parse } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { undoHunk } from "./hunk.ts";
import { jsonEntry } from "./json-entry.ts";

const value = { command: "ralph", args: ["mcp", "--connected"] };
const format = jsonEntry("mcpServers", "ralph");

const files: readonly (readonly [name: string, before: string, after: string])[] = [
  [
    "without the section",
    '{\n  "a": 1\n}\n',
    '{\n  "a": 1,\n  "mcpServers": {\n    "ralph": {\n      "command": "ralph",\n      "args": [\n        "mcp",\n        "--connected"\n      ]\n    }\n  }\n}\n',
  ],
  [
    "with comments, a trailing comma and tabs",
    '{\n\t// mine\n\t"mcpServers": {\n\t\t"other": {}, // keep this\n\t},\n}',
    '{\n\t// mine\n\t"mcpServers": {\n\t\t"other": {}, // keep this\n\t\t"ralph": {\n\t\t\t"command": "ralph",\n\t\t\t"args": [\n\t\t\t\t"mcp",\n\t\t\t\t"--connected"\n\t\t\t]\n\t\t},\n\t},\n}',
  ],
  [
    "with a comment after the last property",
    '{\r\n    "a": 1 // keep this\r\n}',
    '{\r\n    "a": 1, // keep this\r\n    "mcpServers": {\r\n        "ralph": {\r\n            "command": "ralph",\r\n            "args": [\r\n                "mcp",\r\n                "--connected"\r\n            ]\r\n        }\r\n    }\r\n}',
  ],
  [
    "on one line",
    '{ "mcpServers": { "other": {} }, "b": [1] }',
    '{ "mcpServers": { "other": {}, "ralph": {"command":"ralph","args":["mcp","--connected"]} }, "b": [1] }',
  ],
];

describe("AGENT-8: an entry of a JSON file", () => {
  test.each(files)("is added to a file %s, whose other bytes stay, and removed again", (_, before, after) => {
    const edited = format.add(before, value);
    expect(edited.text).toBe(after);
    expect(format.read(after)).toEqual(value);
    expect(undoHunk(after, edited.hunk)).toBe(before);
    expect(parse(format.remove(after))).toEqual({ ...parse(before), mcpServers: expect.anything() });
  });

  test.each(["", "\n", "{}", "{ }", "{\n}", "{\n  // nothing yet\n}\n", "\uFEFF{}\n", '{"mcpServers":{}}'])(
    "is added to the empty file %j",
    (before) => {
      const edited = format.add(before, value);
      expect(format.read(edited.text)).toEqual(value);
      expect(undoHunk(edited.text, edited.hunk)).toBe(before);
      for (const kept of before.match(/\uFEFF|\/\/.*/g) ?? []) expect(edited.text).toContain(kept);
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
          const { text, hunk } = format.add(before, value);
          expect(parse(text)).toEqual({
            ...parse(before),
            mcpServers: { ...(has ? parse(before).mcpServers : {}), ralph: value },
          });
          expect(undoHunk(text, hunk)).toBe(before);
          expect(format.isWithout(text, format.remove(text))).toBe(true);
        },
      ),
    );
  });
});
