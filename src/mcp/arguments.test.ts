import fc from "fast-check";
import { expect, test } from "vitest";
import { RalphError } from "../base/errors.ts";
import { choice, count, parseArguments, requiredText, schemaOf, text, texts } from "./arguments.ts";
import { memoryTools } from "./memory-tools.ts";
import { noteTools } from "./note-tools.ts";
import { taskTools } from "./task-tools.ts";

const tools = [...memoryTools, ...noteTools, ...taskTools];
const inputs = {
  title: requiredText("what to do"),
  about: text("more"),
  tags: texts("tags"),
  type: choice(["tip", "stuck"], "the type").optional(),
  limit: count(50, "how many"),
};

test("AGENT-6: arguments are trimmed, a single string is a list of one, and null is absent", () => {
  expect(parseArguments(inputs, { title: "  x ", tags: "a", limit: 3, about: null })).toEqual({
    ...{ title: "x", tags: ["a"], limit: 3 },
  });
  expect(schemaOf(inputs)).toMatchObject({
    ...{ type: "object", required: ["title"], additionalProperties: false },
    properties: { title: { description: "what to do" }, limit: { minimum: 1, maximum: 50 } },
  });
});

test.each([
  [[], "invalid arguments: expected an object"],
  [{}, 'missing argument "title"'],
  [{ title: "x", titel: "y" }, 'unknown argument "titel"'],
  [{ title: "x", type: "tipp" }, 'invalid "type" "tipp": expected one of tip, stuck'],
  [{ title: "x", limit: 51 }, 'invalid "limit": expected an integer from 1 to 50'],
  [{ title: "x", tags: Array.from({ length: 101 }, () => "a") }, "expected at most 100 strings, got 101"],
])("AGENT-6: the wrong arguments %j are refused by name", (given, message) => {
  expect(() => parseArguments(inputs, given)).toThrow(message);
});

test("AGENT-6: whatever arguments a model sends, a tool runs or the answer names what is wrong, without a secret", () => {
  const secret = `ghp_${"aB3dE5gH7j".repeat(4).slice(0, 36)}`;
  const names = tools.flatMap((tool) => Object.keys(tool.schema()["properties"] ?? {}));
  const value = fc.oneof(fc.jsonValue(), fc.constant(secret), fc.string({ unit: "grapheme" }));
  const given = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string(), fc.constant(secret)), value);
  fc.assert(
    fc.property(fc.constantFrom(...tools), fc.oneof(given, fc.jsonValue()), (tool, sent) => {
      try {
        expect(tool.prepare(sent)).toBeTypeOf("function");
      } catch (error) {
        expect(error).toBeInstanceOf(RalphError);
        const { code, message, hint = "" } = error as RalphError;
        expect(code).toBe("RALPH_USAGE");
        expect(message.length + hint.length).toBeLessThan(700);
        expect(message + hint).not.toContain(secret.slice(0, 20));
      }
    }),
    { numRuns: 500 },
  );
});
